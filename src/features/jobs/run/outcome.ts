import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Job } from '../../../contract/job.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { showError } from '../../../kit/errors.ts';
import { showMessage, showStatusBarMessage } from '../../../kit/messages.ts';
import { duration } from '../../../text/quantities.ts';
import { shown } from '../../../text/shownText.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import { outcomeOf, timesWords } from '../../../account/jobWords.ts';
import type { ConnectedJob } from '../results/jobAddress.ts';
import { showJobDocument } from '../results/showJobDocument.ts';
import type { JobRun, JobServices } from './jobServices.ts';

const LOGS: CommandId = 'cloudCompute.logs.open';

/** Shows the notification about a job that has ended, if its document is not enough. */
export function showOutcome(services: JobServices, run: JobRun, job: Job, runAgain: () => Promise<void>): void {
  const outcome = outcomeOf(job, run.endpointName);
  if (!outcome) {
    showStatusBarMessage(shown`$(pass) Job on “${run.endpointName}” ${timesWords(job)}`, 10_000);
    return;
  }
  const { severity, message } = outcome;
  const logs = l10n.t('Show Logs');
  const again = l10n.t('Run Again');
  const { workerId } = job;
  const buttons = severity === 'information' ? [again] : [...(workerId === undefined ? [] : [logs]), again];
  // Not awaited, because the command ends before the user responds to the message.
  void showMessage(severity, message, ...buttons).then((chosen) => {
    if (chosen === again)
      void confirmAndRun(services, run, runAgain).catch((error: unknown) =>
        showError(services.log, error, l10n.t('Could not run the job')),
      );
    if (chosen !== logs || workerId === undefined) return;
    const node: EndpointNode = { kind: 'worker', endpointId: run.endpointId, workerId };
    void vscode.commands.executeCommand(LOGS, node);
  });
}

async function confirmAndRun(services: JobServices, run: JobRun, runAgain: () => Promise<void>): Promise<void> {
  const profile = services.connections.find(run.connectionId);
  const requests = { endpointName: run.endpointName, count: 1, price: run.pricePerHour };
  if (!profile || (await mayRunOn(services.context.workspaceState, profile, requests))) await runAgain();
}

/** Says that a job continues after the wait for its result. @param timeout time of the wait, in ms */
export function showUnfinished(
  { log }: JobServices,
  address: ConnectedJob,
  endpointName: string,
  timeout: number | undefined,
): void {
  const waited = timeout === undefined ? '' : l10n.t` after ${duration(timeout / 1000)}`;
  const show = l10n.t('Show Job');
  const message = shown`The job on “${endpointName}” has not ended${waited}. It continues, and the editor follows it.`;
  void showMessage('information', message, show).then((chosen) => {
    if (chosen === show)
      void showJobDocument(address).catch((error: unknown) => showError(log, error, l10n.t('Could not open the job')));
  });
}
