import * as vscode from 'vscode';
import { callAfter, type Clock } from '../../../client/clock.ts';
import { DocumentFiles } from '../../../vscode/documentFiles.ts';
import type { Exchange } from '../send/exchange.ts';
import type { ExchangeStore } from '../send/exchangeStore.ts';
import { parseResponsePath, RESPONSE_SCHEME, responsePath, titleOf, type ResponseContent } from './responseAddress.ts';
import { responseContent, type ResponseSources } from './responseContent.ts';

/** Interval between updates of a document while its response arrives, in ms. */
const UPDATE_EVERY_MS = 200;

interface Sources extends ResponseSources {
  readonly exchanges: ExchangeStore;
  readonly clock: Clock;
}

interface Loaded {
  readonly mtime: number;
  /** Undefined once the content has changed. */
  readonly content: Promise<Uint8Array | undefined> | undefined;
}

/** Request of a document, from memory or from the history. */
export interface Titled {
  readonly id: string;
  readonly name?: string | undefined;
  readonly method: string;
  readonly path: string;
}

/** Provides responses as read-only files, which the editor reopens after a restart. Open documents follow their response. */
export class ResponseDocuments extends DocumentFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #sources: Sources;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  /** Contents by path. */
  readonly #loaded = new Map<string, Loaded>();
  /** IDs of requests whose documents are updated soon, with functions that prevent the update. */
  readonly #pending = new Map<string, () => void>();
  readonly #subscriptions: vscode.Disposable;

  constructor(sources: Sources) {
    super();
    this.#sources = sources;
    const subscription = sources.exchanges.onDidChange((exchange) => this.#follow(exchange));
    this.#subscriptions = vscode.Disposable.from(
      subscription,
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === RESPONSE_SCHEME) this.#loaded.delete(uri.path);
      }),
    );
  }

  static uriOf(connectionId: string, request: Titled, content: ResponseContent, suffix?: string): vscode.Uri {
    const address = { connectionId, requestId: request.id };
    return vscode.Uri.from({
      scheme: RESPONSE_SCHEME,
      path: responsePath(address, content, titleOf(request), suffix),
    });
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { mtime, content } = this.#load(uri);
    const size = (await content)?.length;
    if (size === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const content = await this.#load(uri).content;
    if (!content) throw vscode.FileSystemError.FileNotFound(uri);
    return content;
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    for (const prevent of this.#pending.values()) prevent();
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  #load(uri: vscode.Uri): Loaded & { readonly content: Promise<Uint8Array | undefined> } {
    const address = parseResponsePath(uri.path);
    // The editor also reads its own files, such as .vscode/settings.json, in the document's folder.
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    const known = this.#loaded.get(uri.path);
    const content = known?.content ?? responseContent(this.#sources, address);
    const loaded = { mtime: known?.mtime ?? this.#sources.clock.now(), content };
    this.#loaded.set(uri.path, loaded);
    return loaded;
  }

  /** Updates the documents of a request soon, or immediately once it has ended. */
  #follow(exchange: Exchange): void {
    const { id, isActive } = exchange;
    if (isActive && this.#pending.has(id)) return;
    this.#pending.get(id)?.();
    const update = (): void => {
      this.#pending.delete(id);
      this.#update(id);
    };
    if (isActive) this.#pending.set(id, callAfter(this.#sources.clock, UPDATE_EVERY_MS, update));
    else update();
  }

  #update(requestId: string): void {
    const paths = [...this.#loaded.keys()].filter((path) => parseResponsePath(path)?.requestId === requestId);
    for (const path of paths) {
      const { mtime } = this.#loaded.get(path) ?? { mtime: 0 };
      // The editor reloads a file only if its modification time has changed.
      this.#loaded.set(path, { mtime: Math.max(this.#sources.clock.now(), mtime + 1), content: undefined });
    }
    const changes = paths.map((path): vscode.FileChangeEvent => ({
      type: vscode.FileChangeType.Changed,
      uri: vscode.Uri.from({ scheme: RESPONSE_SCHEME, path }),
    }));
    if (changes.length > 0) this.#changed.fire(changes);
  }
}
