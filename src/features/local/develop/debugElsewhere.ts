import * as l10n from '@vscode/l10n';
import { existsSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { RequestContext } from '../../../client/context.ts';
import type { ControlClient } from '../../../client/controlClient.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { WorkerError } from '../../../contract/workerError.ts';
import type { Log } from '../../../kit/log.ts';
import { UserError } from '../../../kit/userError.ts';
import { workerDirectory } from '../../../account/endpoints/workerProcess.ts';
import { DebugRefusal, WorkerHold } from './actions/holdWorker.ts';
import { bundledDebugpy, explained, hasPythonDebugger } from './debugProvider.ts';
import { DebugSessions } from './debugSessions.ts';
import { DEBUG_TYPE, exceptionArguments, openDebugger, type WorkerConfiguration } from './model/debugConfiguration.ts';

/** A worker of a local platform that is not the user's own, such as that of a replay. */
export interface ElsewhereWorker {
  readonly platform: {
    readonly client: { readonly context: RequestContext };
    readonly control: Pick<ControlClient, 'attachedDebugger'>;
  };
  readonly endpoint: Pick<Endpoint, 'id' | 'name' | 'image'>;
  /** Name of the debug session. */
  readonly title: string;
  /** Condition of the jobs that only this worker receives, once the debugger is attached. Default: it receives any job. */
  readonly condition?: string;
  /** Where the debugger stops, in addition to the breakpoints of the user. */
  readonly stop?: StopPoint;
  readonly log: Log;
}

/** An error of a worker, which its SDK may catch. */
export interface StopPoint {
  /** Undefined: any error that nothing catches. */
  readonly error: WorkerError | undefined;
  /** Place that the traceback of the error names, on this machine or in a container. */
  readonly place: { readonly path: string; readonly line: number } | undefined;
}

/**
 * Starts a worker of an endpoint under the debugger of its language, and attaches the debugger, also to the next process if the worker is
 * restarted. Resolves once the debugger has received its breakpoints. The session ends with the platform, or with the signal.
 *
 * @throws UserError; ApiError; the reason of the signal
 */
export async function debugElsewhere(worker: ElsewhereWorker, signal: AbortSignal): Promise<void> {
  const { platform, endpoint, title, condition, stop, log } = worker;
  const { context } = platform.client;
  const { debugWorker } = await import('../../../client/controlEvents.ts');
  const directory = workerDirectory(endpoint);
  const localRoot = directory === undefined ? await sourceFolderOf(endpoint) : undefined;
  const debugpy = bundledDebugpy();
  const conditional = condition !== undefined && { condition };
  const { hold, ready } = await WorkerHold.begin(
    (body, ending) => debugWorker(context, endpoint.id, body, ending),
    { ...(debugpy !== undefined && { debugpy }), ...conditional },
    { clock: context.clock, signal },
  ).catch((failure: unknown) => {
    signal.throwIfAborted();
    // The remedies act on the platform of the user.
    throw failure instanceof DebugRefusal ? new UserError(explained(failure, endpoint).message) : failure;
  });
  const opened = openDebugger(ready);
  if (!opened || (opened.language === 'python' && !hasPythonDebugger())) {
    hold.release();
    throw new UserError(l10n.t('the editor has no debugger for Python'));
  }
  // A debugger of Python that attaches to a running program does not stop at caught exceptions.
  const place = opened.language === 'python' ? localPlace(stop?.place, localRoot ?? opened.directory) : undefined;
  const breakpoints = place ? [new vscode.SourceBreakpoint(place)] : [];
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(directory ?? localRoot ?? ''));
  const given = { type: DEBUG_TYPE, request: 'attach', name: title, ...conditional } as const;
  const configuration: WorkerConfiguration = { ...given, ...(localRoot !== undefined && { localRoot }) };
  const sessions = new DebugSessions(log, () => undefined);
  const configured = Promise.withResolvers<void>();
  let session: vscode.DebugSession | undefined;
  const resolved = sessions.add(
    hold,
    endpoint.id,
    {
      ...{ configuration, folder },
      attached: (debuggerId) => platform.control.attachedDebugger({ endpointId: endpoint.id, debuggerId }),
      configured: async (child) => {
        session = child.parentSession ?? child;
        await Promise.resolve(
          stop && child.customRequest('setExceptionBreakpoints', exceptionArguments(opened.language, stop.error)),
        ).then(() => configured.resolve(), configured.reject);
      },
    },
    ready,
  );
  const release = () => hold.release();
  signal.addEventListener('abort', release, { once: true });
  void hold.ended.then(() => {
    signal.removeEventListener('abort', release);
    vscode.debug.removeBreakpoints(breakpoints);
    sessions.dispose();
    if (session) void vscode.debug.stopDebugging(session);
    configured.reject(new UserError(l10n.t('the debugger has ended')));
  });
  vscode.debug.addBreakpoints(breakpoints);
  const start = async () => {
    if (!resolved || !(await vscode.debug.startDebugging(folder, resolved)))
      throw new UserError(l10n.t('the debugger did not start'));
  };
  try {
    await Promise.all([start(), configured.promise]);
  } catch (failure) {
    hold.release();
    signal.throwIfAborted();
    throw failure;
  }
}

/** Returns the place of a traceback in a folder of this machine: of the file with the longest end of the path that exists there. */
function localPlace(place: StopPoint['place'], folder: string): vscode.Location | undefined {
  if (!place) return undefined;
  const segments = place.path.split(/[\\/]/).filter((segment) => segment !== '' && segment !== '..');
  const files = segments.map((_, index) => path.join(folder, ...segments.slice(index)));
  const file = [...(place.path.startsWith(folder) ? [place.path] : []), ...files].find((one) => existsSync(one));
  return file === undefined
    ? undefined
    : new vscode.Location(vscode.Uri.file(file), new vscode.Position(place.line - 1, 0));
}

const sourceFolderOf = async (endpoint: Pick<Endpoint, 'name'>): Promise<string | undefined> =>
  (await import('./sourceFolder.ts')).sourceFolder(endpoint);
