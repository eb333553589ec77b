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
  /** Missing while the job could not be read: the document says why then. */
  readonly job: Job | undefined;
  readonly bytes: Uint8Array;
  /** When this content was first seen, in milliseconds. */
  readonly mtime: number;
}

/**
 * Jobs as read-only files, so that the editor keeps them open over a restart. A job that may have changed is read again when its
 * connection can be called again.
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
    this.#subscription = services.connections.onDidChange(() => this.#lookAgain());
  }

  static uriOf(address: ConnectedJob): vscode.Uri {
    return vscode.Uri.from({ scheme: JOB_SCHEME, path: jobPath(address) });
  }

  /** Takes in a job as just seen; an open document of it shows it at once. */
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
    // The editor asks for files of its own (.vscode/settings.json and the like) beside any document.
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    const known = this.#loaded.get(uri.path);
    if (known?.job && isTerminal(known.job.status)) return known;
    const job = await this.#read(address);
    if (typeof job !== 'string') return this.#take(uri, job, job);
    // Not an error: the editor would show one without its text, and never look again.
    return known?.job ? known : this.#take(uri, undefined, { id: address.jobId, unavailable: job });
  }

  /** The job as it is now, or why it cannot be had. */
  async #read({ connectionId, ...address }: ParsedJob): Promise<Job | string> {
    try {
      const { client } = await connectionOfDocument(this.#services.connections, connectionId);
      return await client.getJobStatus(address);
    } catch (error) {
      if (error instanceof NotConnectedError) return unavailable(error);
      return (
        (error instanceof ApiError ? reasons[error.kind] : undefined) ??
        `The job could not be read: ${(error as Error).message}`
      );
    }
  }

  #take(uri: vscode.Uri, job: Job | undefined, content: object): Loaded {
    const bytes = new TextEncoder().encode(`${jobText(content)}\n`);
    const before = this.#loaded.get(uri.path);
    if (before && Buffer.compare(before.bytes, bytes) === 0) return before;
    // The editor takes a file for changed only when its time moved.
    const mtime = Math.max(this.#services.clock.now(), (before?.mtime ?? 0) + 1);
    const loaded = { job, bytes, mtime };
    this.#loaded.set(uri.path, loaded);
    if (before) this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    return loaded;
  }

  /** A connection can be called: jobs that have not ended are read again where they are open. */
  #lookAgain(): void {
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
  return code === 'unknown' ? sentence.text : `${sentence.text} The job is shown here once the connection can be used.`;
}

const reasons: Partial<Record<ErrorKind, string>> = {
  notFound: 'The connected platform does not have this job, or not any more.',
  unauthorized: 'The API key was not accepted.',
  forbidden: 'The API key does not allow reading this job.',
};
