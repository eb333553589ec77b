import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError, type ErrorKind } from '../../../client/apiError.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import { DocumentFiles } from '../../../vscode/documentFiles.ts';
import { connectionOfDocument } from '../../connections/documentConnection.ts';
import { NotConnectedError } from '../../connections/requireConnection.ts';
import type { Services } from '../../services.ts';
import type { JobHistoryStore } from '../jobHistoryStore.ts';
import { statusWords } from '../jobWords.ts';
import { explanations, goneCode, type ExplanationCode } from './explanations.ts';
import { JOB_SCHEME, parseDocumentPath, partPath, type ConnectedJob, type JobPart } from './jobAddress.ts';
import { LoadedJob, type JobContext } from './loadedJob.ts';

/** Maximum number of jobs that are kept for documents that are not open. */
const MAX_CLOSED = 20;
/** Time between two updates of a stream's document, in ms, and the additional time for each megabyte. */
const STREAM_EVERY_MS = 100;
const STREAM_EVERY_MS_PER_MB = 100;

export interface DocumentSources extends Pick<Services, 'clock' | 'connections' | 'endpoints'> {
  readonly history: JobHistoryStore;
}

/**
 * Provides jobs as read-only files, which the editor reopens after a restart. When a connection becomes available, its unfinished jobs are
 * read again.
 */
export class JobDocuments extends DocumentFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #sources: DocumentSources;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #jobs = new Map<string, LoadedJob>();
  readonly #streamUpdates = new Set<string>();
  readonly #over = new AbortController();
  readonly #subscription: vscode.Disposable;

  constructor(sources: DocumentSources) {
    super();
    this.#sources = sources;
    this.#subscription = sources.connections.onDidChange(() => this.#reloadUnfinished());
  }

  static uriOf(address: ConnectedJob, part: JobPart = 'result'): vscode.Uri {
    return vscode.Uri.from({ scheme: JOB_SCHEME, path: partPath(address, part) });
  }

  /** Updates a job and its open documents. Undefined: the platform no longer has the job, so its documents are read again. */
  update(address: ConnectedJob, job: Job | undefined): void {
    const loaded = this.#jobs.get(keyOf(address));
    if (!job) {
      loaded?.forget();
      if (loaded) this.#fire(address, ['result', 'error']);
      return;
    }
    const target = loaded ?? this.#add(address);
    const changed = target.take(job);
    if (loaded && changed) this.#fire(address, ['result', 'error']);
    this.#endStream(address, target);
  }

  /** Returns the job of a document, with what the document shows. Reads the job if necessary. */
  async load(uri: vscode.Uri): Promise<LoadedJob> {
    const parsed = parseDocumentPath(uri.path);
    // The editor also reads its own files, such as .vscode/settings.json, in the document's folder.
    if (!parsed) throw vscode.FileSystemError.FileNotFound(uri);
    const { address } = parsed;
    const known = this.#jobs.get(keyOf(address));
    if (known?.job && isTerminal(known.job.status)) return known;
    const read = await this.#read(address);
    const before = this.#jobs.get(keyOf(address));
    const loaded = before ?? this.#add(address);
    // An unavailable job does not throw, because the editor would neither show the message nor read the document again.
    const isKept = !('job' in read) && loaded.job !== undefined && !read.code;
    const changed = !isKept && ('job' in read ? loaded.take(read.job) : loaded.takeReason(read.reason, read.code));
    if (before && changed) this.#fireAll(loaded);
    return loaded;
  }

  /** Adds chunks to the document of a job's stream. */
  stream(address: ConnectedJob, change: (loaded: LoadedJob) => void): void {
    const loaded = this.#jobs.get(keyOf(address)) ?? this.#add(address);
    change(loaded);
    this.#endStream(address, loaded);
    this.#updateStream(address, loaded);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, mtime } = await this.#content(uri, true);
    const permissions = vscode.FilePermission.Readonly;
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length, permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#content(uri, false)).bytes;
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#over.abort();
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  /** @param isFresh whether an unfinished job is read again */
  async #content(uri: vscode.Uri, isFresh: boolean): Promise<{ readonly bytes: Uint8Array; readonly mtime: number }> {
    const parsed = parseDocumentPath(uri.path);
    if (!parsed) throw vscode.FileSystemError.FileNotFound(uri);
    const known = this.#jobs.get(keyOf(parsed.address));
    const isKnown = known !== undefined && (!isFresh || parsed.part === 'stream');
    // A stream is not read again, because the platform returns each chunk once.
    const loaded = isKnown ? known : parsed.part === 'stream' ? this.#add(parsed.address) : await this.load(uri);
    const bytes = loaded.bytesOf(parsed.part);
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return { bytes, mtime: loaded.mtime };
  }

  /** Reads a job, or returns the reason why it cannot be read. */
  async #read({ connectionId, ...address }: ConnectedJob): Promise<Read> {
    try {
      const { client } = await connectionOfDocument(this.#sources.connections, connectionId);
      return { job: await client.getJobStatus(address) };
    } catch (error) {
      if (error instanceof NotConnectedError) return { reason: unavailable(error) };
      if (!(error instanceof ApiError)) return { reason: l10n.t`Could not read the job: ${(error as Error).message}` };
      if (error.kind !== 'notFound')
        return { reason: reasons[error.kind] ?? l10n.t`Could not read the job: ${error.message}` };
      const stored = this.#sources.history.find(connectionId, address.jobId);
      const code = goneCode(stored);
      return { reason: explanations[code], code };
    }
  }

  #add(address: ConnectedJob): LoadedJob {
    const loaded = new LoadedJob(this.#contextOf(address));
    this.#jobs.set(keyOf(address), loaded);
    this.#removeClosed();
    return loaded;
  }

  #contextOf(address: ConnectedJob): JobContext {
    const { clock, endpoints, history } = this.#sources;
    const { connectionId, endpointId, jobId } = address;
    return {
      address,
      now: () => clock.now(),
      stored: () => history.find(connectionId, jobId),
      endpoint: () => endpoints.find(endpointId)?.endpoint,
    };
  }

  /** Adds the last line of a stream once the job has ended and all chunks are read. */
  #endStream(address: ConnectedJob, loaded: LoadedJob): void {
    const { job, stream } = loaded;
    if (!stream || stream.hasEnded || !loaded.isStreamRead || !job || !isTerminal(job.status)) return;
    stream.end(statusWords(job.status));
    this.#updateStream(address, loaded);
  }

  /** Makes the editor read the document of a stream again soon. A large document is read less often. */
  #updateStream(address: ConnectedJob, loaded: LoadedJob): void {
    const key = keyOf(address);
    if (this.#streamUpdates.has(key)) return;
    this.#streamUpdates.add(key);
    const ms = STREAM_EVERY_MS + ((loaded.stream?.length ?? 0) / 1_048_576) * STREAM_EVERY_MS_PER_MB;
    this.#sources.clock.sleep(ms, this.#over.signal).then(
      () => {
        this.#streamUpdates.delete(key);
        loaded.touch();
        this.#fire(address, ['stream']);
      },
      () => undefined,
    );
  }

  #fire(address: ConnectedJob, parts: readonly JobPart[]): void {
    const type = vscode.FileChangeType.Changed;
    this.#changed.fire(parts.map((part) => ({ type, uri: JobDocuments.uriOf(address, part) })));
  }

  #fireAll({ paths }: LoadedJob): void {
    const type = vscode.FileChangeType.Changed;
    this.#changed.fire(paths.map((path) => ({ type, uri: vscode.Uri.from({ scheme: JOB_SCHEME, path }) })));
  }

  /** Makes the editor read the documents of unfinished jobs again. */
  #reloadUnfinished(): void {
    if (!this.#sources.connections.client) return;
    const open = [...this.#jobs.values()].filter(({ job }) => !job || !isTerminal(job.status));
    for (const loaded of open) this.#fireAll(loaded);
  }

  /** Removes the oldest jobs without an open document, because a result can have many megabytes. */
  #removeClosed(): void {
    const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.path));
    const closed = [...this.#jobs].filter(([, { paths, job, stream }]) => {
      const isLive = stream !== undefined && !stream.hasEnded;
      return !isLive && job !== undefined && isTerminal(job.status) && !paths.some((path) => open.has(path));
    });
    for (const [key] of closed.slice(0, -MAX_CLOSED)) this.#jobs.delete(key);
  }
}

type Read = { readonly job: Job } | { readonly reason: string; readonly code?: ExplanationCode };

function keyOf({ connectionId, endpointId, jobId }: ConnectedJob): string {
  return JSON.stringify([connectionId, endpointId, jobId]);
}

function unavailable({ code, sentence }: NotConnectedError): string {
  return code === 'unknown'
    ? sentence.text
    : l10n.t`${sentence.text} The job appears here once the connection is available.`;
}

const reasons: Partial<Record<ErrorKind, string>> = {
  unauthorized: l10n.t('The API key was not accepted.'),
  forbidden: l10n.t('The API key does not allow reading this job.'),
};
