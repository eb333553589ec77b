import * as vscode from 'vscode';
import { DocumentFiles } from './documentFiles.ts';
import type { Markdown } from './text/markdown.ts';

/** Maximum number of reports in memory. The oldest ones are removed first. */
const MAX_REPORTS = 20;

export interface ReportOptions {
  readonly scheme: string;
  /** Name of each report, without its number and suffix. Consists of lowercase letters. */
  readonly name: string;
  /** Content of a report that no longer exists. */
  readonly gone: Markdown;
  /** Returns the current time in ms since the epoch. */
  readonly now: () => number;
}

interface Report {
  readonly bytes: Uint8Array;
  /** Time at which the report was added, in ms since the epoch. */
  readonly mtime: number;
}

/** Provides Markdown reports as read-only documents. They exist until the window closes. */
export class ReportDocuments extends DocumentFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #reports = new Map<string, Report>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #options: ReportOptions;
  #added = 0;

  constructor(options: ReportOptions) {
    super();
    this.#options = options;
  }

  /** Adds a report and returns its address. */
  add(report: Markdown): vscode.Uri {
    const { scheme, name, now } = this.#options;
    const uri = vscode.Uri.from({ scheme, path: `/${name}-${++this.#added}.md` });
    this.#reports.set(uri.path, { bytes: bytesOf(report), mtime: now() });
    const [oldest] = this.#reports.keys();
    if (oldest !== undefined && this.#reports.size > MAX_REPORTS) this.#reports.delete(oldest);
    return uri;
  }

  stat({ path }: vscode.Uri): vscode.FileStat {
    const { bytes, mtime } = this.#find(path);
    const permissions = vscode.FilePermission.Readonly;
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length, permissions };
  }

  readFile({ path }: vscode.Uri): Uint8Array {
    return this.#find(path).bytes;
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** The editor reopens reports of earlier windows, whose content is gone. */
  #find(path: string): Report {
    const { name, gone } = this.#options;
    const [, named] = /^\/([a-z]+)-\d+\.md$/.exec(path) ?? [];
    if (named !== name) throw vscode.FileSystemError.FileNotFound(path);
    return this.#reports.get(path) ?? { bytes: bytesOf(gone), mtime: 0 };
  }
}

function bytesOf({ source }: Markdown): Uint8Array {
  return new TextEncoder().encode(`${source}\n`);
}
