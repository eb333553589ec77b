import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { showMarkdown } from '../../../kit/showDocuments.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { askForText, pick } from '../../../kit/quickInput.ts';
import type { Reports } from '../../../kit/documents/reports.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import type { JobRecords } from '../../jobs/index.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { readMeter, readPrices } from '../actions/readMeasurements.ts';
import { estimateCosts } from '../model/estimate.ts';
import { measureHistory, type Measurement } from '../model/measurement.ts';
import type { Prices } from '../../../account/prices/workerPrice.ts';
import { estimateReport, number, parseJobs, parseSeconds } from './estimateReport.ts';
import { chooseEstimateSubject, type Subject } from '../../manifest/index.ts';

/** Answers that the caller of the command can give, so that the command does not ask for them. */
const Answers = z.object({
  secondsPerJob: z.number().positive().optional(),
  jobsPerDay: z.number().positive().optional(),
});
type Answers = z.infer<typeof Answers>;

type EstimateServices = AccountServices & Pick<JobRecords, 'history'>;

const JOBS_PER_DAY = 'cloudCompute.costs.jobsPerDay';
const DEFAULT_JOBS_PER_DAY = 1_000;

/**
 * Asks for the load, and opens an estimate of what an endpoint or a manifest costs.
 *
 * @param args arguments of the command: a row, a URI, or nothing, and answers to the questions
 */
export async function estimateCommand(
  services: EstimateServices,
  reports: Reports,
  [target, given]: readonly unknown[],
): Promise<void> {
  const { client, profile } = requireConnection(services.connections);
  const subject = await chooseEstimateSubject(services, profile, target);
  if (!subject) return;
  const answers = Answers.safeParse(given).data ?? {};
  const { prices, measurements } = await readFacts(services, { client, profile }, subject);
  const time = await chooseTime(measurements, subject, answers);
  if (!time) return;
  const jobsPerDay = answers.jobsPerDay ?? (await askForJobs(services, subject));
  if (jobsPerDay === undefined) return;
  const { measurement } = time;
  const isMetered = measurement?.kind === 'meter';
  const input = {
    secondsPerJob: time.seconds,
    jobsPerDay,
    coldStartSeconds: measurement?.kind === 'history' ? (measurement.coldStart?.seconds ?? 0) : 0,
    idleTimeoutSeconds: isMetered ? 0 : subject.workers.idleTimeout,
    minWorkers: isMetered ? 0 : subject.workers.min,
  };
  const estimate = estimateCosts({ ...input, hardware: subject.hardware, prices });
  const report = estimateReport({ subject, connection: profile, input, estimate, measurement });
  await showMarkdown(reports.add(l10n.t`Costs of ${subject.name}`, report));
}

/** Reads the prices and the measured times. A meter that cannot be read does not prevent an estimate. */
async function readFacts(
  { history: stored, liveValues, clock, log }: EstimateServices,
  { client, profile }: { readonly client: Client; readonly profile: Profile },
  { name, endpoint }: Subject,
): Promise<{ readonly prices: Prices; readonly measurements: readonly Measurement[] }> {
  return withLateProgress(clock, shown`Reading prices and times of “${name}”…`, async (signal) => {
    const { gpus, cpus } = liveValues.current;
    const prices = gpus && cpus ? { gpus, cpus } : await readPrices(client, { signal });
    if (!endpoint) return { prices, measurements: [] };
    const history = measureHistory(
      stored.recent(profile.id).filter(({ endpointId }) => endpointId === endpoint.endpoint.id),
    );
    const meter =
      profile.kind === 'local'
        ? await readMeter(client, endpoint.endpoint, prices, { signal }).catch((error: unknown) => {
            if (!(error instanceof ApiError) || error.kind === 'canceled') throw error;
            log.warn('Could not read the meter of the local platform', error);
            return undefined;
          })
        : undefined;
    return { prices, measurements: [history, meter].filter((one) => one !== undefined) };
  });
}

interface JobTime {
  readonly seconds: number;
  /** Undefined: the user entered the time. */
  readonly measurement?: Measurement;
}

/** Asks which time of a job to use. Without measured times, asks for the time itself. */
async function chooseTime(
  measurements: readonly Measurement[],
  subject: Subject,
  { secondsPerJob }: Answers,
): Promise<JobTime | undefined> {
  if (secondsPerJob !== undefined) return { seconds: secondsPerJob };
  const title = shown`Estimate Costs of “${subject.name}”: Time of a Job`;
  if (measurements.length > 0) {
    const items = [
      ...measurements.map((measurement) => ({
        label: shown`${number(measurement.seconds)} s`,
        ...wordsOf(measurement),
        time: { seconds: measurement.seconds, measurement },
      })),
      { label: shown`$(edit) Enter the Time…`, time: undefined },
    ];
    const chosen = await pick(items, { title, placeholder: l10n.t('Time of a job') });
    if (!chosen || chosen.time) return chosen?.time;
  }
  const answer = await askForText({
    title,
    prompt: l10n.t('Seconds per job'),
    value: '',
    validate: (text) => (parseSeconds(text) === undefined ? l10n.t('Enter seconds, such as 1.5') : undefined),
  });
  const seconds = answer === undefined ? undefined : parseSeconds(answer);
  return seconds === undefined ? undefined : { seconds };
}

function wordsOf(measurement: Measurement): { readonly description: string; readonly detail: ShownText } {
  if (measurement.kind === 'history')
    return {
      description: l10n.t('measured run time'),
      detail:
        measurement.jobs === 1
          ? shown`Mean of 1 job, without starts and idle time`
          : shown`Mean of ${measurement.jobs} jobs, without starts and idle time`,
    };
  return {
    description: l10n.t('metered by the local platform'),
    detail:
      measurement.jobs === 1
        ? shown`${number(measurement.billedSeconds)} s of workers for 1 job, with starts and idle time`
        : shown`${number(measurement.billedSeconds)} s of workers for ${measurement.jobs} jobs, with starts and idle time`,
  };
}

/** Asks for the number of jobs a day, and remembers the answer for the workspace. */
async function askForJobs(
  { context }: Pick<AccountServices, 'context'>,
  { name }: Subject,
): Promise<number | undefined> {
  const last = context.workspaceState.get<unknown>(JOBS_PER_DAY);
  const answer = await askForText({
    title: shown`Estimate Costs of “${name}”: Jobs`,
    prompt: l10n.t('Jobs a day'),
    value: String(typeof last === 'number' ? last : DEFAULT_JOBS_PER_DAY),
    validate: (text) => (parseJobs(text) === undefined ? l10n.t('Enter a number, such as 1000') : undefined),
  });
  const jobs = answer === undefined ? undefined : parseJobs(answer);
  if (jobs !== undefined) await context.workspaceState.update(JOBS_PER_DAY, jobs);
  return jobs;
}
