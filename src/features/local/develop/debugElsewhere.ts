import * as l10n from '@vscode/l10n';
import { existsSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { callAfter, type Clock } from '../../../client/clock.ts';
import type { RequestContext } from '../../../client/context.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { WorkerError } from '../../../contract/workerError.ts';
import { UserError } from '../../../kit/userError.ts';
import { workerDirectory } from '../../../account/endpoints/workerProcess.ts';
import { DebugRefusal, SESSION_START_MS, WorkerHold } from './actions/holdWorker.ts';
import { bundledDebugpy, explained, hasPythonDebugger } from './debugProvider.ts';
import {
  DEBUG_TYPE,
  exceptionArguments,
  holdOf,
  languageConfiguration,
  openDebugger,
} from './model/debugConfiguration.ts';

/** A worker of a local platform that is not the user's own, such as that of a replay. */
export interface ElsewhereWorker {
  readonly context: RequestContext;
  readonly endpoint: Pick<Endpoint, 'id' | 'name' | 'image'>;
  readonly clock: Clock;
  /** Error at which the debugger stops, also if the program catches it. Undefined: at errors that nothing catches. */
  readonly error: WorkerError | undefined;
  /** Place that the traceback of the error names, on this machine or in a container. */
  readonly place: { readonly path: string; readonly line: number } | undefined;
}

/** An attached debugger. */
export interface AttachedDebugger {
  /** Ends the session, and removes its breakpoint. The worker continues without a debugger. */
  detach(): Promise<void>;
}

/** A message of a debugger, as far as it is read. */
interface AdapterMessage {
  readonly command?: string;
  readonly success?: boolean;
}

let last = 0;

/**
 * Starts a worker of an endpoint under the debugger of its language, and attaches the debugger. It stops at the error. Resolves once the
 * debugger has received its breakpoints.
 *
 * @throws UserError; the reason of the signal
 */
export async function debugElsewhere(worker: ElsewhereWorker, signal: AbortSignal): Promise<AttachedDebugger> {
  const { context, endpoint, clock, error } = worker;
  const { debugWorker } = await import('../../../client/debugWorker.ts');
  const localRoot = workerDirectory(endpoint) === undefined ? await sourceFolderOf(endpoint) : undefined;
  const debugpy = bundledDebugpy();
  const { hold, ready } = await WorkerHold.begin(
    (body, ending) => debugWorker(context, endpoint.id, body, ending),
    debugpy === undefined ? {} : { debugpy },
    { clock, signal },
  ).catch((failure: unknown) => {
    signal.throwIfAborted();
    throw failure instanceof DebugRefusal ? explained(failure, endpoint) : failure;
  });
  const breakpoints: vscode.Breakpoint[] = [];
  try {
    const opened = openDebugger(ready);
    if (!opened || (opened.language === 'python' && !hasPythonDebugger()))
      throw new UserError(l10n.t('the editor has no debugger for Python'));
    const name = l10n.t`Replay of ${endpoint.name}`;
    const id = `replay-${++last}`;
    const given = { type: DEBUG_TYPE, request: 'attach', name, ...(localRoot !== undefined && { localRoot }) } as const;
    // A debugger of Python that attaches to a running program does not stop at caught exceptions.
    const place = opened.language === 'python' ? localPlace(worker.place, localRoot ?? opened.directory) : undefined;
    if (place) breakpoints.push(new vscode.SourceBreakpoint(place));
    vscode.debug.addBreakpoints(breakpoints);
    const session = await attach({
      configuration: languageConfiguration(given, opened, id),
      id,
      folder: vscode.workspace.getWorkspaceFolder(vscode.Uri.file(workerDirectory(endpoint) ?? localRoot ?? '')),
      exceptions: exceptionArguments(opened.language, error),
      ...{ clock, signal },
    });
    return {
      detach: async () => {
        vscode.debug.removeBreakpoints(breakpoints);
        await vscode.debug.stopDebugging(session);
        hold.release();
      },
    };
  } catch (failure) {
    vscode.debug.removeBreakpoints(breakpoints);
    hold.release();
    throw failure;
  }
}

/** Returns the place of a traceback in a folder of this machine: of the file with the longest end of the path that exists there. */
function localPlace(place: ElsewhereWorker['place'], folder: string): vscode.Location | undefined {
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

interface Attaching {
  readonly configuration: vscode.DebugConfiguration;
  readonly id: string;
  readonly folder: vscode.WorkspaceFolder | undefined;
  /** Arguments of the request that sets the breakpoints for exceptions. */
  readonly exceptions: object;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Starts the session, and resolves with it once the debugger stops at exceptions. */
async function attach({
  configuration,
  id,
  folder,
  exceptions,
  clock,
  signal,
}: Attaching): Promise<vscode.DebugSession> {
  const attached = Promise.withResolvers<vscode.DebugSession>();
  const isOwn = (session: vscode.DebugSession): boolean => holdOf(session.configuration) === id;
  const set = async (session: vscode.DebugSession): Promise<void> => {
    try {
      await session.customRequest('setExceptionBreakpoints', exceptions);
      attached.resolve(session.parentSession ?? session);
    } catch (error) {
      attached.reject(error);
    }
  };
  // The debugger of Node.js sets breakpoints in a session below the first one.
  const needsChild = configuration.type === 'node';
  const subscription = vscode.Disposable.from(
    vscode.debug.registerDebugAdapterTrackerFactory('*', {
      createDebugAdapterTracker: (session) => {
        const isWanted = needsChild ? session.parentSession && isOwn(session.parentSession) : isOwn(session);
        if (!isWanted) return undefined;
        return {
          onDidSendMessage: ({ command, success }: AdapterMessage) => {
            if (command === 'configurationDone' && success === true) void set(session);
          },
        };
      },
    }),
    vscode.debug.onDidTerminateDebugSession((session) => {
      if (isOwn(session)) attached.reject(new UserError(l10n.t('the debugger has ended')));
    }),
  );
  const stop = () => attached.reject(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  const cancel = callAfter(clock, SESSION_START_MS, () =>
    attached.reject(new UserError(l10n.t('the debugger did not start'))),
  );
  try {
    if (!(await vscode.debug.startDebugging(folder, configuration)))
      attached.reject(new UserError(l10n.t('the debugger did not start')));
    return await attached.promise;
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
    subscription.dispose();
  }
}
