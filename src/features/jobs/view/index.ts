import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { oneLine } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { connectionOfDocument } from '../../../account/connections/documentConnection.ts';
import { RUN_FAILED } from '../run/runJob.ts';
import {
  askAndCancel,
  askAndClear,
  askAndRemove,
  askAndRetry,
  currentConnection,
  refreshJobs,
} from './changeCommands.ts';
import { chooseFilter } from './chooseFilter.ts';
import { chosenJob, chosenJobs, type ChosenJob, type ChosenJobs } from './chosenJobs.ts';
import { compareJobs } from './compareJobs.ts';
import { EVERY_JOB } from './jobFilter.ts';
import { JobFilterStore } from './jobFilterStore.ts';
import { loadJobLog, showJobLog } from './jobLog.ts';
import { registerJobView } from './jobView.ts';
import { JobViewDocuments, type ViewDocument } from './jobViewDocuments.ts';
import { openRecent } from './openRecent.ts';
import { openResult } from './openResult.ts';
import { askAndPurge, checkStatus } from './queueCommands.ts';
import { editAndRun, openRequest, requestOf } from './requestOfJob.ts';
import { revealWorker } from './revealWorker.ts';
import { runAgain } from './runAgain.ts';
import type { ViewDocumentAddress } from './viewDocumentAddress.ts';
import type { JobServices } from '../jobServices.ts';

const CONFIRMATION_MS = 3_000;

/** Registers the jobs view, its commands, and the documents that they open. */
export function registerJobsView(services: JobServices): vscode.Disposable {
  const { context, connections, clock, history } = services;
  const filters = new JobFilterStore(context.workspaceState);
  const documents = new JobViewDocuments(clock, (address) => load(services, address));
  return vscode.Disposable.from(
    filters,
    documents.register(),
    registerJobView({ clock, history, filters, connections }),
    registerRowCommands(services, documents),
    registerListCommands(services, filters),
  );
}

function registerRowCommands(services: JobServices, documents: JobViewDocuments): vscode.Disposable {
  const { log } = services;
  const onOne =
    (placeholder: string, act: (chosen: ChosenJob) => unknown) =>
    async (...args: unknown[]) => {
      const chosen = await chosenJob(services, args, placeholder);
      if (chosen) await act(chosen);
    };
  const onSeveral =
    (placeholder: string, act: (chosen: ChosenJobs) => unknown) =>
    async (...args: unknown[]) => {
      const chosen = await chosenJobs(services, args, placeholder);
      if (chosen) await act(chosen);
    };
  return vscode.Disposable.from(
    registerCommand(
      log,
      'cloudCompute.jobs.openResult',
      l10n.t('Could not open the result'),
      onOne(l10n.t('Job whose result to open'), (chosen) => openResult(services, chosen)),
    ),
    registerCommand(
      log,
      'cloudCompute.jobs.openRequest',
      l10n.t('Could not open the request'),
      onOne(l10n.t('Job whose request to open'), (chosen) => openRequest(services, documents, chosen)),
    ),
    registerCommand(
      log,
      'cloudCompute.jobs.runAgain',
      RUN_FAILED,
      onSeveral(l10n.t('Job to run again'), (chosen) => runAgain(services, chosen)),
    ),
    registerCommand(
      log,
      'cloudCompute.jobs.editAndRun',
      l10n.t('Could not edit the request'),
      onOne(l10n.t('Job whose request to edit'), (chosen) => editAndRun(services, chosen)),
    ),
    registerCommand(
      log,
      'cloudCompute.jobs.compare',
      l10n.t('Could not compare the results'),
      onSeveral(l10n.t('Job to compare'), (chosen) => compareJobs(services, chosen)),
    ),
    registerCommand(
      log,
      'cloudCompute.jobs.cancel',
      l10n.t('Could not cancel'),
      onSeveral(l10n.t('Job to cancel'), (chosen) => askAndCancel(services, chosen)),
    ),
    registerCommand(
      log,
      'cloudCompute.jobs.retry',
      l10n.t('Could not retry the job'),
      onOne(l10n.t('Job to retry'), (chosen) => askAndRetry(services, chosen)),
    ),
    registerCommand(
      log,
      'cloudCompute.jobs.showLog',
      l10n.t('Could not show the log lines'),
      onOne(l10n.t('Job whose log lines to show'), (chosen) => showJobLog(services, documents, chosen)),
    ),
    registerCommand(
      log,
      'cloudCompute.jobs.revealWorker',
      l10n.t('Could not reveal the worker'),
      onOne(l10n.t('Job whose worker to reveal'), (chosen) => revealWorker(services, chosen)),
    ),
    registerCommand(
      log,
      'cloudCompute.jobs.copyId',
      l10n.t('Could not copy the ID'),
      onSeveral(l10n.t('Job whose ID to copy'), async ({ jobs }) => {
        await vscode.env.clipboard.writeText(jobs.map(({ id }) => oneLine(id)).join('\n'));
        showStatusBarMessage(
          jobs.length === 1 ? l10n.t('Job ID copied') : l10n.t`${jobs.length} job IDs copied`,
          CONFIRMATION_MS,
        );
      }),
    ),
    registerCommand(
      log,
      'cloudCompute.jobs.remove',
      l10n.t('Could not remove the job'),
      onSeveral(l10n.t('Job to remove from the list'), (chosen) => askAndRemove(services, chosen)),
    ),
  );
}

function registerListCommands(services: JobServices, filters: JobFilterStore): vscode.Disposable {
  const { log, history } = services;
  return vscode.Disposable.from(
    registerCommand(log, 'cloudCompute.jobs.filter', l10n.t('Could not filter'), async () => {
      const id = currentConnection(services);
      const filter = await chooseFilter(history.recent(id), filters.get(id));
      if (filter) await filters.set(id, filter);
    }),
    registerCommand(log, 'cloudCompute.jobs.clearFilter', l10n.t('Could not clear the filter'), () =>
      filters.set(currentConnection(services), EVERY_JOB),
    ),
    registerCommand(log, 'cloudCompute.jobs.refresh', l10n.t('Could not refresh'), () => refreshJobs(services)),
    registerCommand(log, 'cloudCompute.jobs.clear', l10n.t('Could not clear the list'), () =>
      askAndClear(services, filters),
    ),
    registerCommand(log, 'cloudCompute.jobs.openRecent', l10n.t('Could not open the job'), (argument) =>
      openRecent(services, argument),
    ),
    registerCommand(log, 'cloudCompute.jobs.checkStatus', l10n.t('Could not check the job'), () =>
      checkStatus(services),
    ),
    registerCommand(log, 'cloudCompute.jobs.purgeQueue', l10n.t('Could not purge the queue'), (argument) =>
      askAndPurge(services, argument),
    ),
  );
}

/** Reads a document again, for example after a restart of the editor. */
async function load(services: JobServices, address: ViewDocumentAddress): Promise<ViewDocument> {
  const { connectionId, jobId } = address;
  const job = services.history.find(connectionId, jobId);
  if (!job) throw new UserError(l10n.t('the job is no longer in the list'));
  if (address.kind === 'request') {
    const request = await requestOf(services, { connectionId, job });
    return { text: `${JSON.stringify(request, null, 2)}\n`, actions: [] };
  }
  await connectionOfDocument(services.connections, connectionId);
  return loadJobLog(services, connectionId, job);
}
