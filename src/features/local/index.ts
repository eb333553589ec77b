import * as vscode from 'vscode';
import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands, type CommandTable } from '../../kit/commands.ts';
import type { Lazy } from '../../kit/lazy.ts';
import type { Jobs } from '../jobs/index.ts';
import type { debugElsewhere as debug } from './develop/debugElsewhere.ts';
import { registerDevelop } from './develop/index.ts';
import { registerLocalPlatform } from './platform/index.ts';
import { setContext } from '../../kit/contextKeys.ts';
import { FIRST_STEPS, type CompletedSteps, type FirstStep } from '../../account/completedSteps.ts';

/** Debugs a worker of another local platform, as its module does. */
export const debugElsewhere: typeof debug = async (...args) => {
  const module = await import('./develop/debugElsewhere.ts');
  return module.debugElsewhere(...args);
};

/** Registers the local platform, the tools for developing its workers, and the first steps with it. */
export function registerLocal(services: AccountServices, jobs: Lazy<Jobs>): vscode.Disposable {
  return vscode.Disposable.from(
    registerLocalPlatform(services),
    registerDevelop(services),
    followSteps(services),
    registerCommands(services.log, localCommands(services, jobs)),
  );
}

/** Returns the commands for the local platform, its engine and its workers, and for the first steps. */
function localCommands(services: AccountServices, jobs: Lazy<Jobs>): CommandTable {
  return {
    'cloudCompute.walkthrough.open': {
      failure: l10n.t('Could not open the walkthrough'),
      run: async () => (await import('./firstSteps/openWalkthrough.ts')).openWalkthrough(services),
    },
    'cloudCompute.sample.try': {
      failure: l10n.t('Could not try the sample'),
      run: async () => (await import('./firstSteps/trySample.ts')).trySample(services, (await jobs.get()).services),
    },
    'cloudCompute.localPlatform.start': {
      failure: l10n.t('Could not start the local platform'),
      run: async () => (await import('./platform/localPlatformCommands.ts')).startPlatform(services),
    },
    'cloudCompute.localPlatform.stop': {
      failure: l10n.t('Could not stop the local platform'),
      run: () => services.localPlatform.stop(),
    },
    'cloudCompute.localPlatform.restart': {
      failure: l10n.t('Could not restart the local platform'),
      run: async () => (await import('./platform/localPlatformCommands.ts')).restartPlatform(services),
    },
    'cloudCompute.localPlatform.reset': {
      failure: l10n.t('Could not reset the local platform'),
      run: async () => (await import('./platform/localPlatformCommands.ts')).resetPlatform(services),
    },
    'cloudCompute.localPlatform.openLog': {
      failure: l10n.t('Could not open the log'),
      run: () => services.localPlatformLog.show(),
    },
    'cloudCompute.localPlatform.showDataFolder': {
      failure: l10n.t('Could not show the data folder'),
      run: async () => (await import('./platform/localPlatformCommands.ts')).showPlatformFolder(services),
    },
    'cloudCompute.localPlatform.manage': {
      failure: l10n.t('Could not manage the local platform'),
      run: async () => (await import('./platform/localPlatformCommands.ts')).managePlatform(services),
    },
    'cloudCompute.localPlatform.chooseEngine': {
      failure: l10n.t('Could not change the engine'),
      run: async () => (await import('./engine/chooseEngine.ts')).chooseEngine(services),
    },
    'cloudCompute.localPlatform.pullImage': {
      failure: l10n.t('Could not pull the image'),
      run: async (...args) => (await import('./engine/pullImageCommand.ts')).pullImageCommand(services, args),
    },
    'cloudCompute.localPlatform.removeUnusedImages': {
      failure: l10n.t('Could not remove the images'),
      run: async () => (await import('./engine/removeUnusedImages.ts')).removeUnusedImages(services),
    },
    'cloudCompute.localPlatform.seed': {
      failure: l10n.t('Could not add the test data'),
      run: async (uri) => (await import('./platform/controlCommands.ts')).seedFromFile(services, uri),
    },
    'cloudCompute.localPlatform.setClock': {
      failure: l10n.t('Could not change the clock'),
      run: async () => (await import('./platform/controlCommands.ts')).setClock(services),
    },
    'cloudCompute.localPlatform.setFaults': {
      failure: l10n.t('Could not change the faults'),
      run: async () => (await import('./platform/controlCommands.ts')).setFaults(services),
    },
    'cloudCompute.develop.debugWorker': {
      failure: l10n.t('Could not debug the worker'),
      run: async (...args) => (await import('./develop/developCommands.ts')).debugWorker(services, args),
    },
    'cloudCompute.develop.debugMatchingJob': {
      failure: l10n.t('Could not debug the job'),
      run: async (...args) => (await import('./develop/developCommands.ts')).debugMatchingJob(services, args),
    },
    'cloudCompute.develop.openTerminal': {
      failure: l10n.t('Could not open the terminal'),
      run: async (...args) => (await import('./develop/developCommands.ts')).openWorkerTerminal(services, args),
    },
    'cloudCompute.develop.installDebugpy': {
      failure: l10n.t('Could not install debugpy'),
      run: async (...args) => (await import('./develop/developCommands.ts')).installDebugpy(services, args),
    },
  };
}

/*
 * Completes the steps of the walkthrough by facts that stores report. The steps of other facts are completed where they happen: jobs, logs,
 * billing, and the deployment to a hosted platform.
 */

/** Sets the context key of each completed step, and follows the stores. */
function followSteps(
  services: Pick<AccountServices, 'connections' | 'endpoints' | 'completedSteps'>,
): vscode.Disposable {
  const { completedSteps: steps, connections, endpoints } = services;
  for (const step of FIRST_STEPS) showStep(steps, step);
  return vscode.Disposable.from(
    steps.onDidComplete((step) => showStep(steps, step)),
    connections.onDidChange(() => {
      if (!steps.has('platform') && connections.client) steps.complete('platform');
    }),
    endpoints.onDidChange(() => {
      if (!steps.has('endpoint') && endpoints.endpoints.length > 0) steps.complete('endpoint');
    }),
  );
}

function showStep(steps: CompletedSteps, step: FirstStep): void {
  setContext(`cloudCompute.completed.${step}`, steps.has(step));
}
