import * as vscode from 'vscode';
import { ApiError, type ErrorKind } from '../../client/apiError.ts';
import { isTerminal, type Job } from '../../contract/job.ts';
import { connectionOfDocument } from '../connections/documentConnection.ts';
import { NotConnectedError } from '../connections/requireConnection.ts';
import type { Services } from '../services.ts';
import { jobText } from './jobText.ts';
import { JOB_SCHEME, jobPath, parseJobPath, type ConnectedJob, type ParsedJob } from './jobAddress.ts';
import { DocumentFiles } from '../../vscode/documentFiles.ts';

interface Loaded {
  /** Undefined if the job could not be read. The document then shows the reason. */
  readonly job: Job | undefined;
  readonly bytes: Uint8Array;
  /** Time at which this content was first read, in ms since the epoch. */
  readonly mtime: number;
}

/**
 * Provides jobs as read-only files, which the editor reopens after a restart. When a connection becomes available, its unfinished jobs are
 * read again.
 */
export class JobDocuments extends DocumentFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #services: Pick<Services, 'clock' | 'connections'>;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #loaded = new Map<string, Loaded>();
  readonly #subscription: vscode.Disposable;

  constructor(services: Pick<Services, 'clock' | 'connections'>) {
    super();
    this.#services = services;
    this.#subscription = services.connections.onDidChange(() => this.#reloadUnfinished());
  }

  static uriOf(address: ConnectedJob): vscode.Uri {
    return vscode.Uri.from({ scheme: JOB_SCHEME, path: jobPath(address) });
  }

  /** Updates a job and its open document. */
  update(address: ConnectedJob, job: Job): void {
    this.#take(JobDocuments.uriOf(address), job, job);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, mtime } = await this.#load(uri);
    const permissions = vscode.FilePermission.Readonly;
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length, permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (this.#loaded.get(uri.path) ?? (await this.#load(uri))).bytes;
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  async #load(uri: vscode.Uri): Promise<Loaded> {
    const address = parseJobPath(uri.path);
    // The editor also reads its own files, such as .vscode/settings.json, in the document's folder.
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    const known = this.#loaded.get(uri.path);
    if (known?.job && isTerminal(known.job.status)) return known;
    const job = await this.#read(address);
    if (typeof job !== 'string') return this.#take(uri, job, job);
    // Does not throw, because the editor would neither show the message nor read the document again.
    return known?.job ? known : this.#take(uri, undefined, { id: address.jobId, unavailable: job });
  }

  /** Reads a job. Resolves with the reason if the job cannot be read. */
  async #read({ connectionId, ...address }: ParsedJob): Promise<Job | string> {
    try {
      const { client } = await connectionOfDocument(this.#services.connections, connectionId);
      return await client.getJobStatus(address);
    } catch (error) {
      if (error instanceof NotConnectedError) return unavailable(error);
      return (
        (error instanceof ApiError ? reasons[error.kind] : undefined) ??
        `Could not read the job: ${(error as Error).message}`
      );
    }
  }

  #take(uri: vscode.Uri, job: Job | undefined, content: object): Loaded {
    const bytes = new TextEncoder().encode(`${jobText(content)}\n`);
    const before = this.#loaded.get(uri.path);
    if (before && Buffer.compare(before.bytes, bytes) === 0) return before;
    // The editor reloads a file only if its modification time has changed.
    const mtime = Math.max(this.#services.clock.now(), (before?.mtime ?? 0) + 1);
    const loaded = { job, bytes, mtime };
    this.#loaded.set(uri.path, loaded);
    if (before) this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    return loaded;
  }

  /** Makes the editor read the documents of unfinished jobs again. */
  #reloadUnfinished(): void {
    if (!this.#services.connections.client) return;
    const open = [...this.#loaded].filter(([, { job }]) => !job || !isTerminal(job.status));
    const changes = open.map(([path]): vscode.FileChangeEvent => ({
      type: vscode.FileChangeType.Changed,
      uri: vscode.Uri.from({ scheme: JOB_SCHEME, path }),
    }));
    if (changes.length > 0) this.#changed.fire(changes);
  }
}

function unavailable({ code, sentence }: NotConnectedError): string {
  return code === 'unknown' ? sentence.text : `${sentence.text} The job appears here once the connection is available.`;
}

const reasons: Partial<Record<ErrorKind, string>> = {
  notFound: 'This job does not exist on the connected platform.',
  unauthorized: 'The API key was not accepted.',
  forbidden: 'The API key does not allow reading this job.',
};
