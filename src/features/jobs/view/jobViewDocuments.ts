import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import { DocumentFiles } from '../../../vscode/documentFiles.ts';
import { onDidHideDocument } from '../../../vscode/hiddenDocuments.ts';
import { codeLens } from '../../../vscode/marks.ts';
import type { CommandId } from '../../../vscode/commandIds.ts';
import type { Showable } from '../../../vscode/text/shownText.ts';
import {
  JOB_VIEW_SCHEME,
  parseViewDocumentPath,
  viewDocumentPath,
  type ViewDocumentAddress,
  type ViewDocumentKind,
} from './viewDocumentAddress.ts';

/** An action above a line of a document, from 0. */
export interface DocumentAction {
  readonly line: number;
  readonly title: Showable;
  readonly tooltip: string;
  readonly command: CommandId;
  readonly argument: unknown;
}

export interface ViewDocument {
  readonly text: string;
  readonly actions: readonly DocumentAction[];
}

/** Reads the content of a document. Rejects with an error that the editor can show. */
export type LoadDocument = (address: ViewDocumentAddress) => Promise<ViewDocument>;

interface Loaded extends ViewDocument {
  /** Time at which this content was first read, in ms since the epoch. */
  readonly mtime: number;
}

type Subject = Omit<ViewDocumentAddress, 'kind'>;

/** Provides read-only documents about jobs: their requests and their log lines. */
export class JobViewDocuments
  extends DocumentFiles
  implements vscode.FileSystemProvider, vscode.CodeLensProvider, vscode.Disposable
{
  readonly #clock: Pick<Clock, 'now'>;
  readonly #load: LoadDocument;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #lenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#lenses.event;
  readonly #loaded = new Map<string, Loaded>();
  readonly #subscription: vscode.Disposable;

  constructor(clock: Pick<Clock, 'now'>, load: LoadDocument) {
    super();
    this.#clock = clock;
    this.#load = load;
    this.#subscription = onDidHideDocument(JOB_VIEW_SCHEME, ({ path }) => this.#loaded.delete(path));
  }

  /** Shows a document with its current content. @param name name of the endpoint, for the name of the document */
  async show(kind: ViewDocumentKind, subject: Subject, name: string, content?: ViewDocument): Promise<void> {
    const address = { kind, ...subject };
    const uri = vscode.Uri.from({ scheme: JOB_VIEW_SCHEME, path: viewDocumentPath(address, name) });
    this.#take(uri, content ?? (await this.#load(address)));
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  /** Reads an open document again. */
  async refresh(uri: vscode.Uri): Promise<void> {
    const address = parseViewDocumentPath(uri.path);
    if (address) this.#take(uri, await this.#load(address));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, mtime } = await this.#content(uri);
    const permissions = vscode.FilePermission.Readonly;
    return { type: vscode.FileType.File, ctime: 0, mtime, size: Buffer.byteLength(text), permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return new TextEncoder().encode((await this.#content(uri)).text);
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const actions = this.#loaded.get(uri.path)?.actions ?? [];
    return actions.map(({ line, argument, ...action }) => codeLens(line, { ...action, arguments: [argument] }));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
    this.#lenses.dispose();
  }

  async #content(uri: vscode.Uri): Promise<Loaded> {
    const address = parseViewDocumentPath(uri.path);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    return this.#loaded.get(uri.path) ?? this.#take(uri, await this.#load(address));
  }

  #take(uri: vscode.Uri, content: ViewDocument): Loaded {
    const before = this.#loaded.get(uri.path);
    const isNew = before?.text !== content.text;
    // The editor reloads a file only if its modification time has changed.
    const mtime = before && !isNew ? before.mtime : Math.max(this.#clock.now(), (before?.mtime ?? 0) + 1);
    const loaded = { ...content, mtime };
    this.#loaded.set(uri.path, loaded);
    if (before && isNew) this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    this.#lenses.fire();
    return loaded;
  }
}
