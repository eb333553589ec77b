import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { callAfter, type Clock } from '../../client/clock.ts';
import { explain } from '../explain.ts';
import { withSafeErrors } from '../safeErrors.ts';
import type { Markdown } from '../../text/markdown.ts';
import type { DocumentAddresses } from './address.ts';
import { Contents, type Content, type Version } from './contents.ts';
import { DocumentShell, type DocumentFiles } from './documentShell.ts';

/** Maximum number of documents that are read before the editor shows them. */
const MAX_PREPARED = 4;

export interface DocumentsOptions<Address extends object, C extends Content = Content> {
  readonly addresses: DocumentAddresses<Address>;
  readonly clock: Clock;
  /** Reads a document. Resolves with undefined if it does not exist. Can reject with any error. */
  readonly read: (address: Address, uri: vscode.Uri) => C | undefined | Promise<C | undefined>;
  /** Returns the function that saves the text of a document. Default: all documents are read-only. */
  readonly writer?: (address: Address) => ((uri: vscode.Uri, text: string) => Promise<void>) | undefined;
  /** Registers the documents before their code is loaded. Default: the documents register themselves. */
  readonly shell?: DocumentShell | undefined;
  /** Shown when the user types into a document. Documents with a shell have its text. */
  readonly whyReadonly?: Markdown;
  readonly lenses?: (content: C, document: vscode.TextDocument, address: Address) => vscode.CodeLens[];
  /** Maximum number of documents that are kept while they are not shown, because they cannot be read again. Default: 0. */
  readonly maxHidden?: number;
}

/**
 * Provides documents that exist only in the editor, which opens them again after a restart. The content of a document is read once, is
 * updated by `refresh` and `put`, and is forgotten when the document is hidden.
 */
export class Documents<Address extends object, C extends Content = Content> implements DocumentFiles {
  readonly #options: DocumentsOptions<Address, C>;
  readonly #contents: Contents<C>;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  /** Functions that cancel the scheduled reads, by key. */
  readonly #scheduled = new Map<string, () => void>();
  readonly #read = new vscode.EventEmitter<void>();
  /** Fires after a document was read or changed, also if its text is the same. */
  readonly onDidRead = this.#read.event;

  constructor(options: DocumentsOptions<Address, C>) {
    this.#options = options;
    this.#contents = new Contents<C>({
      now: () => options.clock.now(),
      isShown: (key) =>
        vscode.workspace.textDocuments.some(({ uri }) => uri.scheme === this.scheme && keyOf(uri) === key),
      maxHidden: options.maxHidden ?? MAX_PREPARED,
      onRead: () => this.#read.fire(),
      onChange: (key) =>
        this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri: vscode.Uri.parse(key, true) }]),
    });
  }

  get scheme(): string {
    return this.#options.addresses.scheme;
  }

  /** Registers the documents in the editor, with their CodeLenses. */
  register(): vscode.Disposable {
    const { lenses, maxHidden, whyReadonly } = this.#options;
    const { scheme } = this;
    const shell = this.#options.shell ?? new DocumentShell(scheme, whyReadonly);
    const lensProvider = {
      onDidChangeCodeLenses: this.onDidRead,
      provideCodeLenses: async (document: vscode.TextDocument) => {
        const address = this.addressOf(document.uri);
        return address && lenses ? lenses(await this.load(document.uri), document, address) : [];
      },
    };
    return vscode.Disposable.from(
      shell.connect(this),
      ...(this.#options.shell ? [] : [shell.register()]),
      ...(lenses ? [vscode.languages.registerCodeLensProvider({ scheme }, withSafeErrors(lensProvider))] : []),
      ...(maxHidden === undefined ? [onDidHideDocument(scheme, (uri) => this.#contents.delete(keyOf(uri)))] : []),
      this.#changed,
      this.#read,
      new vscode.Disposable(() => this.#scheduled.forEach((cancel) => cancel())),
    );
  }

  uriOf(address: Address, name: string): vscode.Uri {
    return vscode.Uri.from(this.#options.addresses.uri(address, name));
  }

  /** Returns the address of a document. Undefined for any other URI. */
  addressOf(uri: vscode.Uri): Address | undefined {
    return this.#options.addresses.parse(uri);
  }

  /** Returns the documents whose content is known. */
  get known(): readonly { readonly uri: vscode.Uri; readonly address: Address }[] {
    return this.#contents.keys.flatMap((key) => {
      const uri = vscode.Uri.parse(key, true);
      const address = this.addressOf(uri);
      return address ? [{ uri, address }] : [];
    });
  }

  /** Returns the content that was last read. */
  contentOf(uri: vscode.Uri): C | undefined {
    return this.#contents.known(keyOf(uri));
  }

  /** Returns the content, which is read if it is not known. Rejects with a FileSystemError for a missing document, or the error of the read. */
  async load(uri: vscode.Uri): Promise<C> {
    return (await this.#contents.get(...this.#reading(uri))).content;
  }

  /** Reads a document again. Rejects as `load`, and keeps the content. */
  async refresh(uri: vscode.Uri): Promise<C> {
    return (await this.#contents.refresh(...this.#reading(uri))).content;
  }

  /** Replaces the content of a document. */
  put(uri: vscode.Uri, content: C): void {
    this.#contents.put(keyOf(uri), content);
  }

  /** Reads a document again after a delay. Calls during the delay have no effect. A document that cannot be read keeps its content. */
  refreshSoon(uri: vscode.Uri, ms: number): void {
    const key = keyOf(uri);
    if (this.#scheduled.has(key)) return;
    const cancel = callAfter(this.#options.clock, ms, () => {
      this.#scheduled.delete(key);
      // The document can have been hidden in the meantime.
      if (this.contentOf(uri)) this.refresh(uri).catch(() => undefined);
    });
    this.#scheduled.set(key, cancel);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const isLive = this.contentOf(uri)?.isLive ?? false;
    const { content, mtime } = await this.#version(uri, isLive ? 'refresh' : 'get');
    const { text } = content;
    const size = typeof text === 'string' ? Buffer.byteLength(text) : text.length;
    const stat = { type: vscode.FileType.File, ctime: 0, mtime, size };
    return this.#writerOf(uri) ? stat : { ...stat, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const { text } = (await this.#version(uri, 'get')).content;
    return typeof text === 'string' ? new TextEncoder().encode(text) : text;
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const write = this.#writerOf(uri);
    if (!write) throw vscode.FileSystemError.NoPermissions(uri);
    await write(uri, new TextDecoder().decode(content));
  }

  /** Rejects with a FileSystemError, because the editor shows only the messages of its own errors. */
  async #version(uri: vscode.Uri, how: 'get' | 'refresh'): Promise<Version<C>> {
    try {
      return await this.#contents[how](...this.#reading(uri));
    } catch (error) {
      if (error instanceof vscode.FileSystemError) throw error;
      throw vscode.FileSystemError.Unavailable(explain(error, l10n.t('Could not read the document')).text);
    }
  }

  /** Returns the key of a document and the function that reads it. @throws FileSystemError for any other URI */
  #reading(uri: vscode.Uri): [key: string, read: () => Promise<C>] {
    const address = this.addressOf(uri);
    // The editor also reads its own files, such as .vscode/settings.json, in the document's folder.
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    const key = keyOf(uri);
    const read = async () => {
      const content = await this.#options.read(address, vscode.Uri.parse(key, true));
      if (!content) throw vscode.FileSystemError.FileNotFound(uri);
      return content;
    };
    return [key, read];
  }

  #writerOf(uri: vscode.Uri): ((uri: vscode.Uri, text: string) => Promise<void>) | undefined {
    const address = this.addressOf(uri);
    return address && this.#options.writer?.(address);
  }
}

/** Returns the key of a document, which is its URI without a fragment. */
function keyOf(uri: vscode.Uri): string {
  return uri.with({ fragment: '' }).toString();
}

/**
 * Calls a function with the address of each document of a scheme that is no longer shown: after its last tab was closed, and after the
 * editor closed it. The editor keeps some documents open for minutes without a tab. Documents with unsaved changes are not reported.
 */
export function onDidHideDocument(scheme: string, listener: (uri: vscode.Uri) => void): vscode.Disposable {
  const report = (closed: readonly vscode.Uri[]): void => {
    const hidden = closed.filter((uri) => uri.scheme === scheme);
    if (hidden.length === 0) return;
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const unsaved = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri);
    const kept = new Set([...tabs.flatMap(urisOf), ...unsaved].map(String));
    for (const uri of hidden) if (!kept.has(uri.toString())) listener(uri);
  };
  return vscode.Disposable.from(
    // The editor also closes a document whose language changes, and opens it again in the same tab.
    vscode.workspace.onDidCloseTextDocument(({ uri }) => report([uri])),
    vscode.window.tabGroups.onDidChangeTabs(({ closed }) => report(closed.flatMap(urisOf))),
  );
}

/** Returns the addresses of the documents in a tab. */
function urisOf({ input }: vscode.Tab): vscode.Uri[] {
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom) return [input.uri];
  if (input instanceof vscode.TabInputTextDiff) return [input.original, input.modified];
  return [];
}
