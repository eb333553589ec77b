import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import type { Lazy } from '../../kit/lazy.ts';
import type { Jobs } from '../jobs/index.ts';
import { localCommands } from './commands.ts';
import { registerDevelop, type Develop } from './develop/index.ts';
export type { AttachDebugger } from './develop/attachDebugger.ts';
import { followSteps } from './firstSteps/stepFacts.ts';
import { registerLocalPlatform } from './platform/index.ts';

/** Registers the local platform, the tools for developing its workers, and the first steps with it. */
export function registerLocal(services: AccountServices, jobs: Lazy<Jobs>): Develop {
  const develop = registerDevelop(services);
  const registered = vscode.Disposable.from(
    registerLocalPlatform(services),
    develop,
    followSteps(services),
    registerCommands(services.log, localCommands(services, jobs)),
  );
  return { attachDebugger: develop.attachDebugger, dispose: () => void registered.dispose() };
}
