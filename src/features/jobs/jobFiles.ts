import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { fileSchemes } from '../../kit/fileSchemes.ts';
import type { JobRequest } from '../../contract/job.ts';
import { JOB_FILE_SUFFIX, type JobFile } from '../../contract/jobFile.ts';
import type { CommandId } from '../../kit/commandIds.ts';
import { UserError } from '../../kit/userError.ts';
import { shown } from '../../text/shownText.ts';
import { requireTrust, sourceOf } from '../../account/consent/workspaceTrust.ts';
import { isJobFile } from './jobShells.ts';
import { readJobFile } from './model/checkJobFile.ts';
import { jobFileText, lineAndColumn, templateRequest } from './model/jobInput.ts';

const JOB_GLOB = '**/*.job.json';
const MAX_FILES = 200;

export const jobFileSelector: vscode.DocumentSelector = fileSchemes.map((scheme) => ({ scheme, pattern: JOB_GLOB }));

/** Selects job files in their own language. Users can assign another one, such as JSON. */
export const jobLanguageSelector: vscode.DocumentSelector = fileSchemes.map((scheme) => ({
  scheme,
  pattern: JOB_GLOB,
  language: 'cloud-compute-job',
}));

/** Returns the job files in the workspace and in open editors. The file of the active editor comes first. */
export async function findJobFiles(): Promise<vscode.Uri[]> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const inWorkspace = await vscode.workspace.findFiles(JOB_GLOB, '**/node_modules/**', MAX_FILES);
  const open = vscode.workspace.textDocuments.filter(({ isClosed }) => !isClosed).map(({ uri }) => uri);
  const byAddress = new Map<string, vscode.Uri>();
  inWorkspace.sort((a, b) => a.path.localeCompare(b.path));
  for (const uri of [...(active ? [active] : []), ...inWorkspace, ...open])
    if (isJobFile(uri)) byAddress.set(uri.toString(), uri);
  return [...byAddress.values()];
}

/**
 * Reads a job file, including unsaved changes. Opens an invalid file at its first problem.
 *
 * @throws UserError if the file is invalid or belongs to an untrusted workspace
 */
export async function readJobFileFrom(uri: vscode.Uri): Promise<{ readonly file: JobFile; readonly body: JobRequest }> {
  requireTrust({ source: sourceOf(uri), process: undefined, deed: shown`running a job from ${jobFileName(uri)}` });
  return readOpenJobFile(uri, 'cloudCompute.jobs.run');
}

/**
 * Reads a job file that is not sent, including unsaved changes. Opens an invalid file at its first problem.
 *
 * @param command command that the button of an error runs again
 * @throws UserError if the file is invalid
 */
export async function readOpenJobFile(
  uri: vscode.Uri,
  command: CommandId,
): Promise<{ readonly file: JobFile; readonly body: JobRequest }> {
  const document = await vscode.workspace.openTextDocument(uri);
  const text = document.getText();
  const read = readJobFile(text);
  if (read.file) return read;
  const { line, column } = lineAndColumn(text, read.offset);
  const position = document.positionAt(read.offset);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(position, position) });
  throw new UserError(shown`${jobFileName(uri)}, line ${line}, column ${column}: ${read.problem}`, {
    label: l10n.t('Try Again'),
    command,
  });
}

export function jobFileName(uri: vscode.Uri): string {
  return path.posix.basename(uri.path);
}

export interface NewJobFile {
  /** Base name. Default: `new` */
  readonly name?: string | undefined;
  /** Default: the first workspace folder */
  readonly folder?: vscode.Uri | undefined;
  /** Member `endpoint` of the file. */
  readonly endpoint?: string | undefined;
}

/** Opens a new unsaved job file. It contains the given body or a template. */
export async function openNewJobFile(
  body: JobRequest | undefined,
  { name = 'new', folder, endpoint }: NewJobFile = {},
): Promise<void> {
  const text = jobFileText({ ...(endpoint !== undefined && { endpoint }), ...(body ?? templateRequest) });
  await openDraft(name, text, folder);
}

/**
 * Opens a new unsaved job file with this text.
 *
 * @param start start of the file name, which gets a number if another job file has the same name
 * @param folder default: the first workspace folder
 */
export async function openDraft(
  start: string,
  text: string,
  folder = vscode.workspace.workspaceFolders?.[0]?.uri,
  column?: vscode.ViewColumn,
): Promise<vscode.TextDocument> {
  const taken = new Set((await findJobFiles()).map(jobFileName));
  let number = 1;
  const name = () => `${start}${number === 1 ? '' : `-${number}`}${JOB_FILE_SUFFIX}`;
  while (taken.has(name())) number++;
  const file = folder ? vscode.Uri.joinPath(folder, name()) : vscode.Uri.from({ scheme: 'untitled', path: name() });
  const document = await vscode.workspace.openTextDocument(file.with({ scheme: 'untitled' }));
  const editor = await vscode.window.showTextDocument(document, column);
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), text));
  return document;
}
