import pMap from 'p-map';
import * as vscode from 'vscode';
import type { Log } from '../../../kit/log.ts';
import { textOfFile } from '../../../kit/files.ts';
import { requestedTests, setTestError, testItem } from '../../../kit/testing.ts';
import { isHttpDocument } from '../language/httpFiles.ts';
import type { HttpFile, ParsedBlock } from '../model/httpFile.ts';
import { parseHttpFile } from '../model/parseHttpFile.ts';

const HTTP_GLOB = '**/*.http';
/** Maximum number of files that are read, of files that are read at the same time, and of bytes of a file. */
const MAX_FILES = 2_000;
const CONCURRENCY = 8;
const MAX_BYTES = 1_048_576;

/** Shows the requests with expectations in the Test Explorer, below their files. */
export class RequestTestTree implements vscode.Disposable {
  readonly #controller: vscode.TestController;
  readonly #log: Log;
  readonly #subscriptions: vscode.Disposable;

  constructor(controller: vscode.TestController, log: Log) {
    this.#controller = controller;
    this.#log = log;
    const watcher = vscode.workspace.createFileSystemWatcher(HTTP_GLOB);
    const read = (uri: vscode.Uri) => this.#readSoon(uri);
    this.#subscriptions = vscode.Disposable.from(
      watcher,
      watcher.onDidCreate(read),
      watcher.onDidChange(read),
      watcher.onDidDelete((uri) => controller.items.delete(uri.toString())),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (isHttpDocument(document)) this.#update(document.uri, document.getText());
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** Resolves once all files of the workspace have been read. */
  async discover(): Promise<void> {
    const files = await vscode.workspace.findFiles(HTTP_GLOB, '**/node_modules/**', MAX_FILES);
    await pMap(files, (uri) => this.#read(uri), { concurrency: CONCURRENCY });
  }

  /** Returns the tests below the items, or all tests. Excluded items and their tests are omitted. */
  testsOf(request: Pick<vscode.TestRunRequest, 'include' | 'exclude'>): vscode.TestItem[] {
    // A file whose expectations are invalid can have no tests.
    return requestedTests(this.#controller, request).filter(({ parent }) => parent !== undefined);
  }

  #readSoon(uri: vscode.Uri): void {
    if (uri.path.includes('/node_modules/')) return;
    this.#read(uri).catch((error: unknown) => this.#log.warn('Could not read a request file', error));
  }

  async #read(uri: vscode.Uri): Promise<void> {
    const stored = await textOfFile(uri, MAX_BYTES);
    // An editor can have opened and changed the file in the meantime.
    const document = vscode.workspace.textDocuments.find(
      (one) => !one.isClosed && one.uri.toString() === uri.toString(),
    );
    const text = document?.getText() ?? stored;
    if (text === undefined) this.#controller.items.delete(uri.toString());
    else this.#update(uri, text);
  }

  /** Adds, changes, or removes the tests of a file. */
  #update(uri: vscode.Uri, text: string): void {
    const { items } = this.#controller;
    const file = parseHttpFile(text);
    const invalid = file.problems.find(({ code }) => code === 'invalidExpectation');
    const tests = file.blocks.flatMap((block, index) => (block.expect ? [{ block, index }] : []));
    if (tests.length === 0 && !invalid) {
      items.delete(uri.toString());
      return;
    }
    const label = vscode.workspace.asRelativePath(uri);
    const group = items.get(uri.toString()) ?? testItem(this.#controller, { id: uri.toString(), label, uri });
    group.children.replace(tests.map((test) => this.#itemOf(uri, file, test)));
    if (group.error !== invalid?.message) setTestError(group, invalid?.message);
    items.add(group);
  }

  #itemOf(
    uri: vscode.Uri,
    { text }: HttpFile,
    { block, index }: { block: ParsedBlock; index: number },
  ): vscode.TestItem {
    const { name, method, url, requestLine } = block;
    const item = testItem(this.#controller, { id: String(index), label: name ?? `${method} ${url}`, uri });
    const line = text.slice(0, requestLine.start).split(/\r\n|\n|\r/).length - 1;
    item.range = new vscode.Range(line, 0, line, requestLine.end - requestLine.start);
    return item;
  }
}
