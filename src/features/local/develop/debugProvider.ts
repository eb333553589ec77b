import * as l10n from '@vscode/l10n';
import { existsSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { DebugBody } from '../../../contract/control/controlWorkers.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { showError } from '../../../kit/errors.ts';
import { confirmed } from '../../../kit/messages.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { UserError } from '../../../kit/userError.ts';
import { controlOf } from '../../../account/localPlatform/platformControl.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { DebugRefusal, WorkerHold } from './actions/holdWorker.ts';
import { chosenWorkers, namedWorkers } from './chosenProcess.ts';
import type { DebugSessions } from './debugSessions.ts';
import {
  DEBUG_TYPE,
  PYTHON_TYPE,
  type LanguageConfiguration,
  type WorkerConfiguration,
} from './model/debugConfiguration.ts';
import { workerDirectory } from '../../../account/endpoints/workerProcess.ts';

const PYTHON_DEBUGGER = 'ms-python.debugpy';

/** The Python Debugger extension is not installed. */
export class NoPythonDebuggerError extends UserError {
  constructor() {
    super(l10n.t('the editor has no debugger for Python'), {
      label: l10n.t('Show Python Debugger'),
      command: 'workbench.extensions.action.showExtensionsWithIds',
      argument: [PYTHON_DEBUGGER],
    });
  }
}

/** Resolves debug configurations of workers to those of the debugger for the worker's language. */
export class WorkerDebugProvider implements vscode.DebugConfigurationProvider {
  readonly #services: Pick<AccountServices, 'log' | 'clock' | 'connections' | 'localPlatform' | 'endpoints'>;
  readonly #sessions: DebugSessions;

  constructor(
    services: Pick<AccountServices, 'log' | 'clock' | 'connections' | 'localPlatform' | 'endpoints'>,
    sessions: DebugSessions,
  ) {
    this.#services = services;
    this.#sessions = sessions;
  }

  /** Returns a configuration for each endpoint that can be debugged. */
  provideDebugConfigurations(): WorkerConfiguration[] {
    return this.#services.endpoints.endpoints.map(({ endpoint: { name } }) =>
      configurationFor(name, { endpoint: name }),
    );
  }

  /** Called before variables are substituted, because the editor then also asks the debugger of the resulting type. */
  async resolveDebugConfiguration(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    try {
      return await this.#resolve(folder, configuration as Partial<WorkerConfiguration>);
    } catch (error) {
      showError(this.#services.log, error, l10n.t('Could not debug the worker'));
      return undefined;
    }
  }

  async #resolve(
    folder: vscode.WorkspaceFolder | undefined,
    given: Partial<WorkerConfiguration>,
  ): Promise<LanguageConfiguration | undefined> {
    if (given.endpoint !== undefined && (await this.#offersAccess(given.endpoint, given.worker))) return undefined;
    const endpoint =
      given.endpoint === undefined
        ? await chosenWorkers(this.#services, [], l10n.t('Endpoint to debug a worker of'))
        : await namedWorkers(this.#services, given.endpoint);
    if (!endpoint) return undefined;
    if (given.condition !== undefined) await checkCondition(given.condition);
    const localRoot = workerDirectory(endpoint) === undefined ? (given.localRoot ?? (await folderOf(endpoint))) : '';
    if (localRoot === undefined) return undefined;
    const configuration: WorkerConfiguration = {
      ...configurationFor(endpoint.name, {}),
      ...given,
      ...(localRoot !== '' && { localRoot }),
    };
    const debugpy = bundledDebugpy();
    const body: DebugBody = {
      ...(given.worker !== undefined && { workerId: given.worker }),
      ...(debugpy !== undefined && { debugpy }),
      ...(given.condition !== undefined && { condition: given.condition }),
    };
    const begun = await this.#begin(endpoint, body);
    if (!begun) return undefined;
    if (begun.ready.language === 'python' && !hasPythonDebugger()) {
      begun.hold.release();
      throw new NoPythonDebuggerError();
    }
    const attached = async (debuggerId: string) => {
      const { control } = await controlOf(this.#services);
      return control.attachedDebugger({ endpointId: endpoint.id, debuggerId });
    };
    return this.#sessions.add(begun.hold, endpoint.id, { configuration, folder, attached }, begun.ready);
  }

  async #offersAccess(endpoint: string, workerId: string | undefined): Promise<boolean> {
    const { offerAccess } = await import('./workerAccess.ts');
    return offerAccess(this.#services, { endpoint, workerId, wanted: 'debugger' });
  }

  /** Holds a worker. Asks before a busy worker is restarted. */
  async #begin(endpoint: Endpoint, body: DebugBody): Promise<Awaited<ReturnType<typeof WorkerHold.begin>> | undefined> {
    const { clock } = this.#services;
    const { context } = await controlOf(this.#services);
    const { debugWorker } = await import('../../../client/controlEvents.ts');
    try {
      return await withLateProgress(clock, l10n.t`Opening the debugger of “${endpoint.name}”…`, (signal) =>
        WorkerHold.begin((request, ending) => debugWorker(context, endpoint.id, request, ending), body, {
          clock,
          signal,
        }),
      );
    } catch (error) {
      if (!(error instanceof DebugRefusal)) throw error;
      if (error.problem !== 'busy') throw explained(error, endpoint);
      const question = l10n.t`Restart the worker of “${endpoint.name}” under the debugger?`;
      const detail = l10n.t('Its running job starts again.');
      if (!(await confirmed(question, detail, l10n.t('Restart')))) return undefined;
      return this.#begin(endpoint, { ...body, restartBusy: true });
    }
  }
}

/** @throws UserError if it is not a condition for jobs */
async function checkCondition(condition: string): Promise<void> {
  const { conditionText } = await import('./conditionText.ts');
  const problem = conditionText(condition);
  if (problem !== undefined) throw new UserError(l10n.t`the condition is not valid: ${problem}`);
}

const folderOf = async (endpoint: Endpoint): Promise<string | undefined> =>
  (await import('./sourceFolder.ts')).sourceFolder(endpoint);

/** @param target the endpoint, and optionally the worker */
export function configurationFor(
  name: string,
  target: Pick<WorkerConfiguration, 'endpoint' | 'worker' | 'condition'>,
): WorkerConfiguration {
  return { type: DEBUG_TYPE, request: 'attach', name: l10n.t`Debug Worker of ${name}`, ...target };
}

/** Converts a refusal to an error with its remedy. */
export function explained(refusal: DebugRefusal, endpoint: Pick<Endpoint, 'id' | 'name' | 'image'>): UserError {
  const { id, name } = endpoint;
  switch (refusal.problem) {
    case 'notProcess':
      return new UserError(l10n.t('the engine of the worker cannot run other programs in it'));
    case 'notQueue':
      return new UserError(l10n.t`“${name}” is not queue-based, so it has no jobs`);
    case 'unknownProgram':
      return new UserError(l10n.t`the workers of “${name}” run neither Node.js nor Python`);
    case 'debugpyMissing':
      if (workerDirectory(endpoint) === undefined) {
        return new UserError(
          l10n.t`the image of “${name}” has no debugpy; add “RUN pip install debugpy” to its Dockerfile`,
        );
      }
      // The extension brings its own debugpy.
      if (!hasPythonDebugger()) return new NoPythonDebuggerError();
      return new UserError(l10n.t`the Python of “${name}” has no debugpy`, {
        label: l10n.t('Install debugpy'),
        command: 'cloudCompute.develop.installDebugpy',
        argument: { kind: 'endpoint', endpointId: id },
      });
    case 'noWorkers':
      return new UserError(l10n.t`“${name}” is paused, because it allows no workers`, {
        label: l10n.t('Scale Endpoint'),
        command: 'cloudCompute.endpoints.scale',
        argument: { kind: 'endpoint', endpointId: id },
      });
    default:
      return new UserError(refusal.message, {
        label: l10n.t('Show Logs'),
        command: 'cloudCompute.logs.open',
        argument: { kind: 'endpoint', endpointId: id },
      });
  }
}

/** Returns the debugpy of the Python Debugger extension, so that the Python of the worker needs none. */
export function bundledDebugpy(): string | undefined {
  const found = vscode.extensions.getExtension(PYTHON_DEBUGGER);
  if (!found) return undefined;
  const directory = path.join(found.extensionPath, 'bundled', 'libs', 'debugpy');
  return existsSync(directory) ? directory : undefined;
}

interface Contributions {
  readonly contributes?: { readonly debuggers?: readonly { readonly type?: string }[] };
}

export function hasPythonDebugger(): boolean {
  return vscode.extensions.all.some(({ packageJSON }) =>
    (packageJSON as Contributions).contributes?.debuggers?.some(({ type }) => type === PYTHON_TYPE),
  );
}
