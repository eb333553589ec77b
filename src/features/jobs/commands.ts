import * as l10n from '@vscode/l10n';
import { on, type CommandTable } from '../../kit/commands.ts';
import type { Lazy } from '../../kit/lazy.ts';
import type { BatchServices } from './batch/batchRuns.ts';
import type { CopyRequest } from './copyAs.ts';
import type { Jobs } from './jobServices.ts';
import type { ChosenJob, ChosenJobs } from './view/chosenJobs.ts';

/** Returns the commands for jobs, their results, job files, and batches. */
export function jobCommands(jobs: Lazy<Jobs>, batches: Lazy<BatchServices>): CommandTable {
  const services = async () => (await jobs.get()).services;
  /** The job of a clicked row, or one that the user picks. */
  const aJob = (placeholder: string, run: (chosen: ChosenJob) => unknown) =>
    on(async (args) => (await import('./view/chosenJobs.ts')).chosenJob(await services(), args, placeholder), run);
  /** The jobs of the selected rows, or one that the user picks. */
  const someJobs = (placeholder: string, run: (chosen: ChosenJobs) => unknown) =>
    on(async (args) => (await import('./view/chosenJobs.ts')).chosenJobs(await services(), args, placeholder), run);
  return {
    'cloudCompute.jobs.run': {
      failure: l10n.t('Could not run the job'),
      run: async (argument) => (await import('./run/runCommand.ts')).runCommand(await services(), argument, 'run'),
    },
    'cloudCompute.jobs.runAndWait': {
      failure: l10n.t('Could not run the job'),
      run: async (argument) => (await import('./run/runCommand.ts')).runCommand(await services(), argument, 'runSync'),
    },
    'cloudCompute.jobs.newFile': {
      failure: l10n.t('Could not create the file'),
      run: async (argument) => (await import('./newJobFile.ts')).newJobFile(await services(), argument),
    },
    'cloudCompute.jobs.openForm': {
      failure: l10n.t('Could not open the form'),
      run: async (argument) => (await import('./form/lateForms.ts')).openForm(await services(), argument),
    },
    'cloudCompute.jobs.editAsJson': {
      failure: l10n.t('Could not open the JSON'),
      run: async () => (await services()).forms.editAsJson(),
    },
    'cloudCompute.jobs.insertFile': {
      failure: l10n.t('Could not insert the file'),
      run: async () => (await import('./insertFile.ts')).insertChosenFile(),
    },
    'cloudCompute.jobs.openRecent': {
      failure: l10n.t('Could not open the job'),
      run: async (argument) => (await import('./view/openResult.ts')).openRecent(await services(), argument),
    },
    'cloudCompute.jobs.checkStatus': {
      failure: l10n.t('Could not check the job'),
      run: async (argument) => (await import('./view/queueCommands.ts')).checkStatus(await services(), argument),
    },
    'cloudCompute.jobs.purgeQueue': {
      failure: l10n.t('Could not purge the queue'),
      run: async (argument) => (await import('./view/queueCommands.ts')).askAndPurge(await services(), argument),
    },
    'cloudCompute.jobs.refresh': {
      failure: l10n.t('Could not refresh'),
      run: async () => (await import('./view/changeCommands.ts')).refreshJobs(await services()),
    },
    'cloudCompute.jobs.filter': {
      failure: l10n.t('Could not filter'),
      run: async () => (await import('./view/chooseFilter.ts')).askAndFilter(await jobs.get()),
    },
    'cloudCompute.jobs.clearFilter': {
      failure: l10n.t('Could not clear the filter'),
      run: async () => (await import('./view/changeCommands.ts')).clearFilter(await jobs.get()),
    },
    'cloudCompute.jobs.clear': {
      failure: l10n.t('Could not clear the list'),
      run: async () => (await import('./view/changeCommands.ts')).askAndClear(await jobs.get()),
    },
    'cloudCompute.jobs.openResult': {
      failure: l10n.t('Could not open the result'),
      run: aJob(l10n.t('Job to open the result of'), async (chosen) =>
        (await import('./view/openResult.ts')).openResult(await services(), chosen),
      ),
    },
    'cloudCompute.jobs.openRequest': {
      failure: l10n.t('Could not open the request'),
      run: aJob(l10n.t('Job to open the request of'), async (chosen) =>
        (await import('./view/requestOfJob.ts')).openRequest(await jobs.get(), chosen),
      ),
    },
    'cloudCompute.jobs.runAgain': {
      failure: l10n.t('Could not run the job'),
      run: someJobs(l10n.t('Job to run again'), async (chosen) =>
        (await import('./view/runAgain.ts')).runAgain(await services(), chosen),
      ),
    },
    'cloudCompute.jobs.editAndRun': {
      failure: l10n.t('Could not edit the request'),
      run: aJob(l10n.t('Job to edit the request of'), async (chosen) =>
        (await import('./view/requestOfJob.ts')).editAndRun(await services(), chosen),
      ),
    },
    'cloudCompute.jobs.compare': {
      failure: l10n.t('Could not compare the results'),
      run: someJobs(l10n.t('Job to compare'), async (chosen) =>
        (await import('./view/openResult.ts')).compareJobs(await services(), chosen),
      ),
    },
    'cloudCompute.jobs.cancel': {
      failure: l10n.t('Could not cancel'),
      run: someJobs(l10n.t('Job to cancel'), async (chosen) =>
        (await import('./view/changeCommands.ts')).askAndCancel(await services(), chosen),
      ),
    },
    'cloudCompute.jobs.retry': {
      failure: l10n.t('Could not retry the job'),
      run: aJob(l10n.t('Job to retry'), async (chosen) =>
        (await import('./view/changeCommands.ts')).askAndRetry(await services(), chosen),
      ),
    },
    'cloudCompute.jobs.remove': {
      failure: l10n.t('Could not remove the job'),
      run: someJobs(l10n.t('Job to remove from the list'), async (chosen) =>
        (await import('./view/changeCommands.ts')).askAndRemove(await services(), chosen),
      ),
    },
    'cloudCompute.jobs.showLog': {
      failure: l10n.t('Could not show the log lines'),
      run: aJob(l10n.t('Job to show the log lines of'), async (chosen) =>
        (await import('./view/jobLog.ts')).showJobLog(await jobs.get(), chosen),
      ),
    },
    'cloudCompute.jobs.showTimeline': {
      failure: l10n.t('Could not show the timeline'),
      run: aJob(l10n.t('Job to show the timeline of'), async (chosen) =>
        (await import('./view/jobTimeline.ts')).showTimeline(await jobs.get(), chosen),
      ),
    },
    'cloudCompute.jobs.revealWorker': {
      failure: l10n.t('Could not reveal the worker'),
      run: aJob(l10n.t('Job to reveal the worker of'), async (chosen) =>
        (await import('./view/jobLog.ts')).revealWorker(await services(), chosen),
      ),
    },
    'cloudCompute.jobs.copyId': {
      failure: l10n.t('Could not copy the ID'),
      run: someJobs(l10n.t('Job to copy the ID of'), async (chosen) =>
        (await import('./copyAs.ts')).copyJobIds(chosen),
      ),
    },
    'cloudCompute.jobs.saveOutput': {
      failure: l10n.t('Could not save the output'),
      run: async (argument) =>
        (await import('./results/resultCommands.ts')).saveOutput((await services()).documents, argument),
    },
    'cloudCompute.jobs.openImages': {
      failure: l10n.t('Could not open the image'),
      run: async (argument, index) =>
        (await import('./results/resultCommands.ts')).openImages((await services()).documents, argument, index),
    },
    'cloudCompute.batch.run': {
      failure: l10n.t('Could not run the batch'),
      run: async (argument) =>
        (await import('./batch/runBatchCommand.ts')).runBatchCommand(await batches.get(), argument),
    },
    'cloudCompute.batch.manage': {
      failure: l10n.t('Could not show the batches'),
      run: async () => (await import('./batch/manageBatches.ts')).manageBatches(await batches.get()),
    },
  };
}

/** Returns the command that copies endpoints, jobs, job files, and requests. */
export function copyCommands(jobs: Lazy<Jobs>, copyRequest: CopyRequest): CommandTable {
  return {
    'cloudCompute.copyAs': {
      failure: l10n.t('Could not copy'),
      run: async (...args) => (await import('./copyAs.ts')).copyAs((await jobs.get()).services, copyRequest, args),
    },
  };
}
