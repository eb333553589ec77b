import * as vscode from 'vscode';
import type { Markdown } from '../../text/markdown.ts';
import { withSafeErrors } from '../safeErrors.ts';
import { markdownString } from '../tooltips.ts';

/** Registers the documents of a scheme before their code is loaded. The code is loaded when the editor reads the first document. */
export class DocumentShell implements vscode.FileSystemProvider {
  readonly scheme: string;
  readonly #whyReadonly: Markdown | undefined;
  readonly #load: () => Promise<unknown>;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  #files: vscode.FileSystemProvider | undefined;

  /** @param load creates the documents, which connect themselves to the shell */
  constructor(scheme: string, whyReadonly: Markdown | undefined, load: () => Promise<unknown>) {
    this.scheme = scheme;
    this.#whyReadonly = whyReadonly;
    this.#load = load;
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerFileSystemProvider(this.scheme, withSafeErrors(this), {
        isCaseSensitive: true,
        ...(this.#whyReadonly && { isReadonly: markdownString(this.#whyReadonly) }),
      }),
    );
  }

  /** Sets the documents that the shell stands for, until the returned object is disposed. */
  connect(files: vscode.FileSystemProvider): vscode.Disposable {
    this.#files = files;
    return files.onDidChangeFile((changes) => this.#changed.fire(changes));
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
    await (await this.#loaded()).writeFile(uri, content, { create: false, overwrite: true });
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

  async #loaded(): Promise<vscode.FileSystemProvider> {
    if (!this.#files) await this.#load();
    if (!this.#files) throw vscode.FileSystemError.Unavailable(this.scheme);
    return this.#files;
  }
}
