import * as l10n from '@vscode/l10n';
import { explain } from '../../../kit/explain.ts';
import { confirmed, showStatusBarMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import { submitJobs, type JobOrder } from '../actions/submitJob.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { runJob } from '../run/runJob.ts';
import type { ChosenJobs } from './chosenJobs.ts';
import { JOBS_VIEW } from '../model/jobNames.ts';
import { requestOf } from './requestOfJob.ts';
import { actionServices, type JobServices } from '../jobServices.ts';

const CONFIRMATION_MS = 5_000;
/** Maximum number of jobs that are run again without a confirmation. A selection can contain jobs by mistake. */
const MAX_UNASKED = 5;

/**
 * Submits the requests of jobs again. A single job is followed with progress and opens at its end. Several jobs are followed in the
 * background.
 */
export async function runAgain(services: JobServices, { connectionId, jobs }: ChosenJobs): Promise<void> {
  const { profile } = actionServices(services, connectionId);
  services.liveValues.request();
  if (jobs.length > MAX_UNASKED) {
    const question = shown`Run ${jobs.length} jobs again?`;
    if (!(await confirmed(question, l10n.t('Each becomes a new job.'), l10n.t('Run Again')))) return;
  }
  const orders: JobOrder[] = [];
  for (const job of jobs) {
    const { endpointId, endpointName, file } = job;
    const price = priceOf(services, job);
    orders.push({
      ...{ endpointId, endpointName, body: await requestOf(services, { connectionId, job }) },
      ...{ pricePerHour: price, file },
    });
  }
  const endpointName = [...new Set(orders.map((order) => order.endpointName))].join(', ');
  const paid = { endpointName, count: orders.length, price: highestPrice(orders) };
  if (!(await mayRunOn(services.context.workspaceState, profile, paid))) return;
  const [first] = orders;
  if (!first) return;
  if (orders.length === 1) {
    await runJob(services, { connectionId, ...first });
    return;
  }
  // The current connection can have changed while a question was open.
  const connected = actionServices(services, connectionId);
  const failures = await withProgress({ title: l10n.t('Submitting…'), location: { viewId: JOBS_VIEW } }, () =>
    submitJobs(orders, connected),
  );
  const [failure] = failures;
  if (failure)
    throw new UserError(
      explain(
        failure.error,
        orders.length === 1
          ? shown`${failures.length} of 1 job was not accepted`
          : shown`${failures.length} of ${orders.length} jobs were not accepted`,
      ),
    );
  showStatusBarMessage(
    orders.length === 1 ? shown`$(pass) 1 job submitted` : shown`$(pass) ${orders.length} jobs submitted`,
    CONFIRMATION_MS,
  );
}

/** Returns the highest price of one worker of a job's endpoint, in USD per hour. */
export function priceOf({ endpoints, liveValues }: JobServices, job: StoredJob): number | undefined {
  const endpoint = endpoints.find(job.endpointId)?.endpoint;
  return (endpoint && workerPrice(endpoint, liveValues.current)) ?? job.pricePerHour;
}

function highestPrice(orders: readonly JobOrder[]): number | undefined {
  const prices = orders.flatMap(({ pricePerHour }) => pricePerHour ?? []);
  return prices.length < orders.length ? undefined : Math.max(...prices);
}
