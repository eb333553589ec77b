import * as vscode from 'vscode';
import { showMessage } from '../../../kit/messages.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import { chooseEndpoint, endpointOfFile } from '../chooseEndpoint.ts';
import { chooseInput } from '../chooseInput.ts';
import { readJobFileFrom } from '../jobFiles.ts';
import { isJobFile } from '../jobShells.ts';
import { inputWarning, type RunKind } from '../model/jobInput.ts';
import type { JobServices } from '../jobServices.ts';
import { runJob, type RunServices } from './runJob.ts';

/** Argument of the key binding in job files, because a key binding passes no address. */
const ACTIVE_EDITOR = 'activeEditor';

export type RunCommandServices = RunServices & Pick<JobServices, 'liveValues' | 'manifests'>;

/**
 * Runs a job from a file or from typed input.
 *
 * @param argument a node of the endpoints view, the address of a job file, ACTIVE_EDITOR, or nothing
 */
export async function runCommand(services: RunCommandServices, argument: unknown, kind: RunKind): Promise<void> {
  const { profile } = requireConnection(services.connections);
  services.liveValues.request();
  const uri = jobFileOf(argument, kind);
  // Reads the file first, so that an invalid file is reported before any question.
  const read = uri && { uri, ...(await readJobFileFrom(uri)) };
  const usedLast = services.history.recent(profile.id)[0]?.endpointId;
  const snapshot = read
    ? await endpointOfFile(services, { uri: read.uri, endpoint: read.file.endpoint })
    : await chooseEndpoint(services, argument, usedLast);
  if (!snapshot) return;
  const { id, name } = snapshot.endpoint;
  const given = read && { body: read.body, file: read.uri.toString() };
  const input = given ?? (await chooseInput(name, services.lastInputs.get(profile.id, id)));
  if (!input) return;
  const pricePerHour = workerPrice(snapshot.endpoint, services.liveValues.current);
  const requests = { endpointName: name, count: 1, price: pricePerHour };
  if (!(await mayRunOn(services.context.workspaceState, profile, requests))) return;
  const warning = profile.kind === 'hosted' ? inputWarning(input.body) : undefined;
  if (warning !== undefined) void showMessage('warning', warning);
  const run = { connectionId: profile.id, endpointId: id, endpointName: name, pricePerHour, ...input };
  await runJob(services, run, kind);
}

/** Returns the job file that a command acts on. In the palette, Run and Wait acts on the active editor. */
function jobFileOf(argument: unknown, kind: RunKind): vscode.Uri | undefined {
  const isActive = argument === ACTIVE_EDITOR || (argument === undefined && kind === 'runSync');
  const active = isActive ? vscode.window.activeTextEditor?.document.uri : undefined;
  const uri = argument instanceof vscode.Uri ? argument : active;
  return uri && isJobFile(uri) ? uri : undefined;
}
