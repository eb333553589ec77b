import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import type { Lazy } from '../../kit/lazy.ts';
import type { Jobs } from '../jobs/index.ts';
import { localCommands } from './commands.ts';
import type { debugElsewhere as debug } from './develop/debugElsewhere.ts';
import { registerDevelop } from './develop/index.ts';
import { followSteps } from './firstSteps/stepFacts.ts';
import { registerLocalPlatform } from './platform/index.ts';

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
