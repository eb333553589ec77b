import * as vscode from 'vscode';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { chooseEndpoint, endpointOfFile } from '../chooseEndpoint.ts';
import { chooseInput } from '../chooseInput.ts';
import { readJobFileFrom } from '../jobFiles.ts';
import { isJobFile } from '../jobShells.ts';
import type { RunKind } from '../model/jobInput.ts';
import type { JobServices } from '../jobServices.ts';
import { submitInput, type RunCommandServices } from './runJob.ts';

/** Argument of the key binding in job files, because a key binding passes no address. */
const ACTIVE_EDITOR = 'activeEditor';

/**
 * Runs a job from a file or from typed input.
 *
 * @param argument a node of the endpoints view, the address of a job file, ACTIVE_EDITOR, or nothing
 */
export async function runCommand(
  services: RunCommandServices & Pick<JobServices, 'forms'>,
  argument: unknown,
  kind: RunKind,
): Promise<void> {
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
  // An input with a schema has a form.
  if (!given && (await services.forms.openForEndpoint(snapshot, profile.id))) return;
  const input = given ?? (await chooseInput(name, services.lastInputs.get(profile.id, id)));
  if (!input) return;
  await submitInput(services, snapshot, input, kind);
}

/** Returns the job file that a command acts on. In the palette, Run and Wait acts on the active editor. */
function jobFileOf(argument: unknown, kind: RunKind): vscode.Uri | undefined {
  const isActive = argument === ACTIVE_EDITOR || (argument === undefined && kind === 'runSync');
  const active = isActive ? vscode.window.activeTextEditor?.document.uri : undefined;
  const uri = argument instanceof vscode.Uri ? argument : active;
  return uri && isJobFile(uri) ? uri : undefined;
}
