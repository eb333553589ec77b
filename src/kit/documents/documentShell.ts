import * as vscode from 'vscode';
import type { Markdown } from '../../text/markdown.ts';
import { withSafeErrors } from '../safeErrors.ts';
import { markdownString } from '../tooltips.ts';

/** The files of the documents. */
export interface DocumentFiles extends Pick<vscode.FileSystemProvider, 'onDidChangeFile' | 'stat' | 'readFile'> {
  writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void>;
}

/**
 * The file system of the documents of a scheme, which has only files. It can be registered before the code of the documents is loaded. The
 * code is then loaded when the editor reads the first document.
 */
export class DocumentShell implements vscode.FileSystemProvider {
  readonly scheme: string;
  readonly #whyReadonly: Markdown | undefined;
  readonly #load: () => Promise<unknown>;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  #files: DocumentFiles | undefined;

  /**
   * @param whyReadonly shown when the user types into a document
   * @param load creates the documents, which connect themselves to the shell. Default: they are connected before it is registered
   */
  constructor(
    scheme: string,
    whyReadonly: Markdown | undefined,
    load: () => Promise<unknown> = () => Promise.resolve(),
  ) {
    this.scheme = scheme;
    this.#whyReadonly = whyReadonly;
    this.#load = load;
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this.#changed,
      // The editor shows the errors.
      vscode.workspace.registerFileSystemProvider(this.scheme, withSafeErrors(this), {
        isCaseSensitive: true,
        ...(this.#whyReadonly && { isReadonly: markdownString(this.#whyReadonly) }),
      }),
    );
  }

  /** Sets the documents that the shell stands for, until the returned object is disposed. */
  connect(files: DocumentFiles): vscode.Disposable {
    this.#files = files;
    return vscode.Disposable.from(
      files.onDidChangeFile((changes) => this.#changed.fire(changes)),
      new vscode.Disposable(() => {
        this.#files = undefined;
      }),
    );
  }

  /** Does nothing, because change events are sent for every document, watched or not. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return (await this.#loaded()).stat(uri);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#loaded()).readFile(uri);
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    await (await this.#loaded()).writeFile(uri, content);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  async #loaded(): Promise<DocumentFiles> {
    if (!this.#files) await this.#load();
    if (!this.#files) throw vscode.FileSystemError.Unavailable(this.scheme);
    return this.#files;
  }
}
