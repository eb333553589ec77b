import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import type { Log } from '../../../vscode/log.ts';
import type { ResolveContext } from '../model/context.ts';
import type { HttpFile } from '../model/httpFile.ts';
import type { HttpProblem } from '../model/problem.ts';
import type { Resolution } from '../model/resolveRequest.ts';
import type { EndpointList } from './endpointList.ts';
import { isHttpDocument, openHttpDocuments } from './httpFiles.ts';
import type { NeighborManifests } from './neighborManifests.ts';

/** Delay between a change and its check, in ms. It combines the changes of one command. */
const DEBOUNCE_MS = 10;

interface Model {
  readonly version: number;
  readonly file: HttpFile;
  readonly endpoints: ResolveContext['endpoints'];
  readonly defaultEndpoint: string | undefined;
  readonly problems: readonly HttpProblem[];
}

/** An HTTP file in the editor, and the result of its latest check. */
export interface HttpRead {
  readonly document: vscode.TextDocument;
  readonly file: HttpFile;
  readonly context: ResolveContext;
  readonly problems: readonly HttpProblem[];
}

export interface HttpSources {
  readonly clock: Clock;
  readonly log: Log;
  readonly endpoints: EndpointList;
  readonly manifests: NeighborManifests;
}

/**
 * Parses each version of an open HTTP file once, and checks it again when the endpoints change. All services of the editor share the
 * result. The parser is loaded at the first use.
 */
export class HttpModels implements vscode.Disposable {
  readonly #sources: HttpSources;
  readonly #models = new WeakMap<vscode.TextDocument, Model>();
  readonly #pending = new Map<string, AbortController>();
  readonly #read = new vscode.EventEmitter<HttpRead>();
  /** Fired after a new version of an open file was checked, and after a check with other endpoints. */
  readonly onDidRead = this.#read.event;
  readonly #closed = new vscode.EventEmitter<vscode.TextDocument>();
  readonly onDidClose = this.#closed.event;
  readonly #subscriptions: vscode.Disposable;

  constructor(sources: HttpSources) {
    this.#sources = sources;
    this.#subscriptions = vscode.Disposable.from(
      this.#read,
      this.#closed,
      vscode.workspace.onDidOpenTextDocument((document) => this.#schedule(document, 0)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#schedule(document, DEBOUNCE_MS)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document)),
      sources.endpoints.onDidChange(() => this.#readAgain()),
      sources.manifests.onDidChange(() => this.#readAgain()),
    );
    this.#readAgain();
  }

  /** Returns the current version of a file, checked against the endpoints of the current connection. */
  async read(document: vscode.TextDocument): Promise<HttpRead> {
    const [{ parseHttpFile }, { checkHttpFile }, defaultEndpoint] = await Promise.all([
      import('../model/parseHttpFile.ts'),
      import('../model/resolveRequest.ts'),
      this.#sources.manifests.endpointOf(document.uri),
    ]);
    const { current: endpoints } = this.#sources.endpoints;
    const context: ResolveContext = { endpoints, defaultEndpoint, now: this.#sources.clock.now(), random: Math.random };
    const { version } = document;
    const known = this.#models.get(document);
    const parsed = known?.version === version ? known : undefined;
    const file = parsed?.file ?? parseHttpFile(document.getText());
    const isChecked = parsed?.endpoints === endpoints && parsed?.defaultEndpoint === defaultEndpoint;
    const problems = parsed && isChecked ? parsed.problems : checkHttpFile(file, context);
    this.#models.set(document, { version, file, endpoints, defaultEndpoint, problems });
    return { document, file, context, problems };
  }

  /**
   * Resolves a request of a file for the current connection. Reads the endpoints first if they are not known.
   *
   * @param index index of the request in the file
   * @returns undefined if the file has no such request
   */
  async resolve(document: vscode.TextDocument, index: number): Promise<Resolution | undefined> {
    await this.#sources.endpoints.load();
    const [{ file, context }, { resolveRequest }] = await Promise.all([
      this.read(document),
      import('../model/resolveRequest.ts'),
    ]);
    const block = file.blocks[index];
    return block && resolveRequest(file, block, context);
  }

  dispose(): void {
    for (const pending of this.#pending.values()) pending.abort();
    this.#subscriptions.dispose();
  }

  #readAgain(): void {
    for (const document of openHttpDocuments()) this.#schedule(document, 0);
  }

  #schedule(document: vscode.TextDocument, delay: number): void {
    if (!isHttpDocument(document)) return;
    this.#sources.endpoints.request();
    this.#cancel(document);
    const pending = new AbortController();
    this.#pending.set(document.uri.toString(), pending);
    this.#sources.clock
      .sleep(delay, pending.signal)
      .then(async () => {
        const read = await this.read(document);
        if (!pending.signal.aborted && !document.isClosed) this.#read.fire(read);
      })
      .catch((error: unknown) => {
        if (!pending.signal.aborted) this.#sources.log.error(`Could not check ${document.uri.path}`, error);
      });
  }

  #cancel(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    this.#pending.get(key)?.abort();
    this.#pending.delete(key);
  }

  #forget(document: vscode.TextDocument): void {
    if (!isHttpDocument(document)) return;
    this.#cancel(document);
    this.#closed.fire(document);
  }
}
