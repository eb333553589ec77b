import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { RequestContext } from '../../../client/context.ts';
import type { ControlClient } from '../../../client/controlClient.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { WorkerError } from '../../../contract/workerError.ts';
import type { Log } from '../../../kit/log.ts';
import { UserError } from '../../../kit/userError.ts';
import { workerDirectory } from '../../../account/endpoints/workerProcess.ts';
import { DebugRefusal, WorkerHold } from './actions/holdWorker.ts';
import { bundledDebugpy, explained, hasPythonDebugger, NoPythonDebuggerError } from './debugProvider.ts';
import { DebugSessions } from './debugSessions.ts';
import { DEBUG_TYPE, openDebugger, type WorkerConfiguration } from './model/debugConfiguration.ts';
import { exceptionArguments } from './model/exceptionBreakpoints.ts';

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
  /** Stops the debugger at the error of a worker, which its SDK may catch. `error` undefined: at errors that nothing catches. */
  readonly stop?: { readonly error: WorkerError | undefined };
  readonly log: Log;
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
    if (!(failure instanceof DebugRefusal)) throw failure;
    const reason = explained(failure, endpoint);
    // Other remedies act on the platform of the user.
    throw reason instanceof NoPythonDebuggerError ? reason : new UserError(reason.message);
  });
  const opened = openDebugger(ready);
  if (!opened || (opened.language === 'python' && !hasPythonDebugger())) {
    hold.release();
    throw new NoPythonDebuggerError();
  }
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
    sessions.dispose();
    if (session) void vscode.debug.stopDebugging(session);
    configured.reject(new UserError(l10n.t('the debugger has ended')));
  });
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

const sourceFolderOf = async (endpoint: Pick<Endpoint, 'name'>): Promise<string | undefined> =>
  (await import('./sourceFolder.ts')).sourceFolder(endpoint);
