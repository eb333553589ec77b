import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { on, registerCommands, type Command } from '../../kit/commands.ts';
import { DocumentShell } from '../../kit/documents/documentShell.ts';
import { showError } from '../../kit/errors.ts';
import { Lazy } from '../../kit/lazy.ts';
import { onFirstDocument } from '../../kit/openDocuments.ts';
import { ShownTree, TreeShell } from '../../kit/trees.ts';
import { formatted } from '../../text/markdown.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { VerificationJobs } from '../manifest/model/deployment/verificationTest.ts';
import { registerBatches } from './batch/index.ts';
import { jobCommands } from './commands.ts';
import { HISTORY_NAME, JOB_SCHEME, JOB_VIEW_SCHEME, JOBS_VIEW, FORM_VIEW_TYPE } from './model/jobNames.ts';
import { hasInputSchema, isJobFile } from './jobShells.ts';
import type { jobOfFile as read } from './chooseEndpoint.ts';
import type { showEnd as show } from './results/showJobDocument.ts';
import type { Jobs, JobServices } from './jobServices.ts';
import type { requestOrFile } from './view/requestOfJob.ts';
import type { StoredJob } from './model/storedJob.ts';
import { registerJobTests } from './tests/jobTests.ts';
import type { ChosenJob } from './view/chosenJobs.ts';
import type { JobNode } from './view/jobList.ts';

export { copyCommands } from './commands.ts';
export type { ChosenJob } from './view/chosenJobs.ts';
export type { CopyRequest } from './copyAs.ts';
export type { JobRecords, Jobs } from './jobServices.ts';

/** Shows the end of a job, as `showEnd` does. */
export const showEnd: typeof show = async (...args) => {
  const module = await import('./results/showJobDocument.ts');
  await module.showEnd(...args);
};

/** Reads a job file and finds its endpoint, as its module does. */
export const jobOfFile: typeof read = async (...args) => {
  const module = await import('./chooseEndpoint.ts');
  return module.jobOfFile(...args);
};

/** Returns the `run` of a command with a job: that of a clicked row, or one that the user picks. */
export function aJobOf(jobs: Lazy<Jobs>, placeholder: string, run: (chosen: ChosenJob) => unknown): Command['run'] {
  return on(async (args) => {
    const { services } = await jobs.get();
    return (await import('./view/chosenJobs.ts')).chosenJob(services, args, placeholder);
  }, run);
}

/** Returns the request of a job, as it was sent or as its file has it now. @throws UserError with the reason if neither is known */
export const requestOfJob: typeof requestOrFile = async (...args) => {
  const module = await import('./view/requestOfJob.ts');
  return module.requestOrFile(...args);
};

/** Reads and runs the jobs that verify deployments. */
export const verificationJobs: VerificationJobs = {
  read: async (uri) => (await loadedJobs()).read(uri),
  run: async (...run) => (await loadedJobs()).run(...run),
};

/** Returns what reads the jobs of an endpoint that the user ran from this editor, newest first. */
export function ownJobs(jobs: Lazy<Jobs>) {
  return async (connectionId: string, endpointId: string): Promise<readonly StoredJob[]> => {
    const { history } = (await jobs.get()).services;
    return history.recent(connectionId).filter((job) => job.endpointId === endpointId);
  };
}

async function loadedJobs(): Promise<VerificationJobs> {
  const { verificationJobs: jobsOf } = await import('./expectations/actions/runExpectation.ts');
  const { readText } = await import('./tests/jobTestTree.ts');
  return jobsOf(readText);
}

/**
 * Registers the commands, documents, and links for jobs of queue endpoints. The code of jobs is loaded for the first job file, and
 * for the jobs of earlier sessions.
 */
export function registerJobs(base: AccountServices): vscode.Disposable & { readonly jobs: Lazy<Jobs> } {
  const { context, log } = base;
  const jobs = new Lazy<Jobs>(async () =>
    (await import('./createJobs.ts')).createJobs(base, { results, views, tree, shown }),
  );
  const services = async (): Promise<JobServices> => (await jobs.get()).services;
  const results = new DocumentShell(
    JOB_SCHEME,
    formatted`This document shows the platform's response and is read-only.`,
    services,
  );
  const views = new DocumentShell(JOB_VIEW_SCHEME, formatted`This document shows a job and is read-only.`, services);
  const tree = new TreeShell<JobNode>();
  const shown = new ShownTree(JOBS_VIEW, { treeDataProvider: tree, canSelectMany: true });
  const load = () => {
    jobs.createSoon((error) => log.error('Could not load the jobs', error));
  };
  if (context.globalState.keys().some((key) => key.endsWith(HISTORY_NAME))) load();
  const batches = registerBatches(base);
  const registered = vscode.Disposable.from(
    results.register(),
    views.register(),
    shown,
    tree,
    onFirstDocument((document) => isJobFile(document.uri) || hasInputSchema(document), load),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (!jobs.value && hasInputSchema(document)) load();
    }),
    batches,
    registerJobTests(base),
    vscode.window.registerWebviewPanelSerializer(FORM_VIEW_TYPE, {
      deserializeWebviewPanel: async (panel, stored: unknown) => {
        const closed = new AbortController();
        panel.onDidDispose(() => closed.abort());
        const { forms } = await services();
        if (!closed.signal.aborted) await forms.restore(panel, stored);
      },
    }),
    vscode.window.registerUriHandler({
      handleUri: async (uri) => {
        try {
          await (await import('./openLink.ts')).openUri(await services(), uri);
        } catch (error) {
          showError(log, error, l10n.t('Could not open the link'));
        }
      },
    }),
    registerCommands(log, jobCommands(jobs, batches.services)),
    new vscode.Disposable(() => {
      jobs.value?.disposable.dispose();
    }),
  );
  return Object.assign(registered, { jobs });
}
