import * as vscode from 'vscode';
import { DocumentFiles } from '../../../vscode/documentFiles.ts';
import type { Markdown } from '../../../vscode/text/markdown.ts';

export const REPORT_SCHEME = 'cloud-compute-deployment';
/** Maximum number of reports in memory. The oldest ones are removed first. */
const MAX_REPORTS = 20;
const GONE = 'This report is no longer available. Run *Deploy All…* again.\n';

interface Report {
  readonly bytes: Uint8Array;
  /** Time at which the report was added, in ms since the epoch. */
  readonly mtime: number;
}

/** Provides the reports of deployments as read-only documents. They exist until the window closes. */
export class ReportDocuments extends DocumentFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #reports = new Map<string, Report>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #now: () => number;
  #added = 0;

  constructor(now: () => number) {
    super();
    this.#now = now;
  }

  /** Adds a report and returns its address. */
  add(report: Markdown): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: REPORT_SCHEME, path: `/deployment-${++this.#added}.md` });
    this.#reports.set(uri.path, { bytes: new TextEncoder().encode(`${report.source}\n`), mtime: this.#now() });
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
    if (!/^\/deployment-\d+\.md$/.test(path)) throw vscode.FileSystemError.FileNotFound(path);
    return this.#reports.get(path) ?? { bytes: new TextEncoder().encode(GONE), mtime: 0 };
  }
}
