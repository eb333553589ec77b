import * as l10n from '@vscode/l10n';
import path from 'node:path';
import pMap from 'p-map';
import * as vscode from 'vscode';
import type { Log } from '../../../kit/log.ts';
import { textOfFile } from '../../../kit/files.ts';
import { requestedTests, setTestError, testItem } from '../../../kit/testing.ts';
import { shown } from '../../../text/shownText.ts';
import { jobFileName } from '../jobFiles.ts';
import { isJobFile } from '../jobShells.ts';
import { readJobFile, type ReadJobFile } from '../model/checkJobFile.ts';
import { lineAndColumn } from '../model/jobInput.ts';
import { parseCommentedJson } from '../model/positionedJson.ts';

const JOB_GLOB = '**/*.job.json';
const EXCLUDED = '**/node_modules/**';
/** Maximum number of job files that are read, and that are read at the same time. */
const MAX_FILES = 2_000;
const CONCURRENCY = 8;
/** Maximum length of a text that is read after each keystroke, in UTF-16 code units. */
const MAX_TYPED_LENGTH = 200_000;
/** Maximum size of a job file in the Test Explorer, in bytes. */
const MAX_BYTES = 20 * 1_048_576;

/** Shows the job files with expectations in the Test Explorer, in a group for each folder. */
export class JobTestTree implements vscode.Disposable {
  readonly #controller: vscode.TestController;
  readonly #log: Log;
  readonly #subscriptions: vscode.Disposable[] = [];
  #discovery: Promise<void> | undefined;

  constructor(controller: vscode.TestController, log: Log) {
    this.#controller = controller;
    this.#log = log;
    const { workspace } = vscode;
    this.#subscriptions.push(
      workspace.onDidOpenTextDocument((document) => this.#updateFrom(document)),
      workspace.onDidChangeTextDocument(({ document }) => {
        // A larger text is read when it is saved.
        if (isJobFile(document.uri) && document.getText().length <= MAX_TYPED_LENGTH) this.#updateFrom(document);
      }),
      workspace.onDidCloseTextDocument(({ uri }) => this.#readAgain(uri)),
    );
    for (const document of workspace.textDocuments) this.#updateFrom(document);
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
  }

  /** Resolves once all job files of the workspace have been read. Then watches them. */
  discover(): Promise<void> {
    this.#discovery ??= this.#readAll();
    return this.#discovery;
  }

  /** Reads all job files of the workspace again. */
  refresh(): Promise<void> {
    this.#discovery = this.#readAll();
    return this.#discovery;
  }

  /** Returns the tests below the items, or all tests. Excluded items and their tests are omitted. */
  testsOf(request: Pick<vscode.TestRunRequest, 'include' | 'exclude'>): vscode.TestItem[] {
    return requestedTests(this.#controller, request);
  }

  /** Returns the test in a file. */
  find(uri: vscode.Uri): vscode.TestItem | undefined {
    return this.#controller.items.get(groupId(uri))?.children.get(uri.toString());
  }

  async #readAll(): Promise<void> {
    this.#watch();
    const files = await vscode.workspace.findFiles(JOB_GLOB, EXCLUDED, MAX_FILES);
    await pMap(files, (uri) => this.#read(uri), { concurrency: CONCURRENCY });
    const found = new Set(files.map(String));
    for (const item of this.testsOf({ include: undefined, exclude: undefined }))
      if (item.uri && !found.has(item.id) && !openDocument(item.uri)) this.#remove(item.uri);
  }

  #watching = false;

  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    const watcher = vscode.workspace.createFileSystemWatcher(JOB_GLOB);
    this.#subscriptions.push(
      watcher,
      watcher.onDidCreate((uri) => this.#readAgain(uri)),
      watcher.onDidChange((uri) => this.#readAgain(uri)),
      watcher.onDidDelete((uri) => this.#readAgain(uri)),
    );
  }

  #readAgain(uri: vscode.Uri): void {
    if (!isJobFile(uri) || uri.path.includes('/node_modules/')) return;
    this.#read(uri).catch((error: unknown) => this.#log.warn('Could not read a job file', error));
  }

  async #read(uri: vscode.Uri): Promise<void> {
    const stored = await textOf(uri);
    // An editor can have opened and changed the file in the meantime.
    const text = openDocument(uri)?.getText() ?? stored;
    if (text === undefined) this.#remove(uri);
    else this.#update(uri, text);
  }

  #updateFrom(document: vscode.TextDocument): void {
    if (isJobFile(document.uri) && !document.isClosed) this.#update(document.uri, document.getText());
  }

  /** Adds, changes, or removes the test in a file. */
  #update(uri: vscode.Uri, text: string): void {
    const read = readJobFile(text);
    if (!mayHaveExpectations(read, text)) {
      this.#remove(uri);
      return;
    }
    const item = this.find(uri) ?? this.#add(uri);
    const problem = problemText(read, text);
    if (item.error !== problem?.text) setTestError(item, problem);
    if (!problem) item.range = rangeOfExpect(text);
  }

  #add(uri: vscode.Uri): vscode.TestItem {
    const { items } = this.#controller;
    const folder = vscode.Uri.joinPath(uri, '..');
    let group = items.get(groupId(uri));
    if (!group) {
      group = testItem(this.#controller, { id: groupId(uri), label: folderLabel(folder), uri: folder });
      items.add(group);
    }
    const item = testItem(this.#controller, { id: uri.toString(), label: jobFileName(uri), uri });
    group.children.add(item);
    return item;
  }

  #remove(uri: vscode.Uri): void {
    const group = this.#controller.items.get(groupId(uri));
    group?.children.delete(uri.toString());
    if (group?.children.size === 0) this.#controller.items.delete(group.id);
  }
}

function groupId(uri: vscode.Uri): string {
  return `folder:${vscode.Uri.joinPath(uri, '..').toString()}`;
}

/** Returns the path of a folder in the workspace, or the name of a folder elsewhere. */
function folderLabel(folder: vscode.Uri): string {
  const root = vscode.workspace.getWorkspaceFolder(folder);
  if (!root) return path.posix.basename(folder.path) || folder.scheme;
  const relative = path.posix.relative(root.uri.path, folder.path);
  const isSeveral = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  if (relative === '') return root.name;
  return isSeveral ? `${root.name}/${relative}` : relative;
}

function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((one) => !one.isClosed && one.uri.toString() === uri.toString());
}

/** Returns the text of a file with unsaved changes. Undefined if the file does not exist or is too large. */
export async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const document = openDocument(uri);
  if (document) return document.getText();
  if (uri.scheme === 'untitled') return undefined;
  return textOfFile(uri, MAX_BYTES);
}

/** Returns the text of a file with unsaved changes. @throws if the file does not exist or is too large */
export async function readText(uri: string): Promise<string> {
  const text = await textOf(vscode.Uri.parse(uri, true));
  if (text === undefined) throw new Error(l10n.t('the file cannot be read'));
  return text;
}

/** Returns whether a file contains expectations. An invalid file has them if it contains the member's name. */
function mayHaveExpectations({ file }: ReadJobFile, text: string): boolean {
  return file ? file.expect !== undefined : /"expect"\s*:/.test(text);
}

function problemText(read: ReadJobFile, text: string) {
  if (read.problem === undefined) return undefined;
  const { line, column } = lineAndColumn(text, read.offset);
  return shown`Line ${line}, column ${column}: ${read.problem}`;
}

/** Returns the range of the member `expect`, where the editor shows the button that runs the test. */
function rangeOfExpect(text: string): vscode.Range | undefined {
  const json = parseCommentedJson(text);
  const key = 'error' in json ? undefined : json.keyOf(['expect']);
  return key && rangeIn(text, key);
}

export function rangeIn(text: string, { start, end }: { readonly start: number; readonly end: number }): vscode.Range {
  return new vscode.Range(positionIn(text, start), positionIn(text, end));
}

function positionIn(text: string, offset: number): vscode.Position {
  const { line, column } = lineAndColumn(text, offset);
  return new vscode.Position(line - 1, column - 1);
}
