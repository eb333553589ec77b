import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import { DocumentFiles } from '../../../vscode/documentFiles.ts';

export const BROKEN_ROWS_SCHEME = 'cloud-compute-batch';

/** Maximum number of documents that are kept. */
const MAX_DOCUMENTS = 20;

/** Read-only documents that list the broken rows of a source. They exist until the editor is closed. */
export class BrokenRowsDocuments extends DocumentFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #documents = new Map<string, { readonly bytes: Uint8Array; readonly mtime: number }>();

  constructor(clock: Pick<Clock, 'now'>) {
    super();
    this.#clock = clock;
  }

  /** Returns the address of a new document. @param name name of the tab */
  add(name: string, text: string): vscode.Uri {
    const mtime = this.#clock.now();
    const uri = vscode.Uri.from({ scheme: BROKEN_ROWS_SCHEME, path: `/${mtime}/${name}` });
    this.#documents.set(uri.path, { bytes: new TextEncoder().encode(text), mtime });
    for (const oldest of [...this.#documents.keys()].slice(0, -MAX_DOCUMENTS)) this.#documents.delete(oldest);
    return uri;
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, mtime } = this.#find(uri);
    const permissions = vscode.FilePermission.Readonly;
    return { type: vscode.FileType.File, ctime: mtime, mtime, size: bytes.length, permissions };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#find(uri).bytes;
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #find(uri: vscode.Uri) {
    const found = this.#documents.get(uri.path);
    if (!found) throw vscode.FileSystemError.FileNotFound(uri);
    return found;
  }
}
