import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ControlClient } from '../../../client/controlClient.ts';
import { debugWorker } from '../../../client/debugWorker.ts';
import type { RequestContext } from '../../../client/context.ts';
import type { Clock } from '../../../client/clock.ts';
import { UserError } from '../../../kit/userError.ts';
import { WorkerHold } from './actions/holdWorker.ts';
import { bundledDebugpy, configurationFor } from './debugProvider.ts';
import type { DebugSessions } from './debugSessions.ts';

/** A worker of any local platform. */
export interface DebuggedEndpoint {
  readonly context: RequestContext;
  readonly control: Pick<ControlClient, 'attachedDebugger'>;
  readonly endpointId: string;
  readonly name: string;
  readonly folder: vscode.WorkspaceFolder | undefined;
  /** Condition of the jobs that only this worker receives, once the debugger is attached. Default: it receives any job. */
  readonly condition?: string;
}

/** Attaches the debugger of the editor to a worker. @throws DebugRefusal; ApiError; UserError if no session starts */
export type AttachDebugger = (target: DebuggedEndpoint, signal: AbortSignal) => Promise<void>;

export async function attachDebugger(
  { sessions, clock }: { readonly sessions: DebugSessions; readonly clock: Clock },
  { context, control, endpointId, name, folder, condition }: DebuggedEndpoint,
  signal: AbortSignal,
): Promise<void> {
  const debugpy = bundledDebugpy();
  const body = { ...(debugpy !== undefined && { debugpy }), ...(condition !== undefined && { condition }) };
  const { hold, ready } = await WorkerHold.begin(
    (request, ending) => debugWorker(context, endpointId, request, ending),
    body,
    { clock, signal },
  );
  const configuration = configurationFor(name, { endpoint: name, ...(condition !== undefined && { condition }) });
  const attached = (debuggerId: string) => control.attachedDebugger({ endpointId, debuggerId });
  const resolved = sessions.add(hold, endpointId, { configuration, folder, attached }, ready);
  if (!resolved || !(await vscode.debug.startDebugging(folder, resolved))) {
    hold.release();
    throw new UserError(l10n.t('the debugger did not start'));
  }
}
