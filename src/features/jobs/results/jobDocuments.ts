import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError, type ErrorKind } from '../../../client/apiError.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import type { Content } from '../../../kit/documents/contents.ts';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import { Documents } from '../../../kit/documents/documents.ts';
import { NotConnectedError, connectionOfDocument } from '../../../account/connections/requireConnection.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { shortRequestId } from '../../../text/ids.ts';
import { statusWords } from '../../../account/jobWords.ts';
import type { ConnectedJob } from '../actions/followedJob.ts';
import type { JobHistoryStore } from '../actions/jobHistoryStore.ts';
import type { StreamEvent } from '../actions/jobStream.ts';
import { jobName } from '../model/storedJob.ts';
import { explanations, goneCode, type ExplanationCode, LoadedJob, type JobContext } from './loadedJob.ts';
import { jobAddresses, type JobDocument, type JobPart } from './jobAddress.ts';

/** Maximum number of jobs that are kept for documents that are not open. */
const MAX_CLOSED = 20;
/** Time between two updates of a stream's document, in ms, and the additional time for each megabyte. */
const STREAM_EVERY_MS = 100;
const STREAM_EVERY_MS_PER_MB = 100;

export interface DocumentSources extends Pick<AccountServices, 'clock' | 'connections' | 'endpoints'> {
  readonly history: JobHistoryStore;
}

/** Provides jobs as read-only files. When a connection becomes available, its unfinished jobs are read again. */
export class JobDocuments extends Documents<JobDocument> {
  readonly #sources: DocumentSources;
  readonly #jobs = new Map<string, LoadedJob>();

  constructor(sources: DocumentSources, shell: DocumentShell) {
    super({
      addresses: jobAddresses,
      shell,
      clock: sources.clock,
      read: async (address) => {
        // A stream is not read again, because the platform returns each chunk once.
        const isStream = address.part === 'stream';
        return contentIn(isStream ? this.#loaded(address) : await this.#load(address), address);
      },
    });
    this.#sources = sources;
  }

  override register(): vscode.Disposable {
    const subscription = this.#sources.connections.onDidChange(() => this.#reloadUnfinished());
    return vscode.Disposable.from(super.register(), subscription);
  }

  /** Returns the address of a text document of a job, which keeps its name while it is open. */
  uri(job: ConnectedJob, part: JobPart = 'result'): vscode.Uri {
    const { connectionId, endpointId, jobId } = job;
    const open = this.#documentsOf(job).find(({ address }) => address.part === part);
    return open?.uri ?? this.uriOf({ connectionId, endpointId, jobId, part }, this.#nameOf(job));
  }

  /** Returns the address of an image of a job's output. @param image number of the image, from 1 */
  imageUri({ connectionId, endpointId, jobId }: ConnectedJob, image: number, extension: string): vscode.Uri {
    const address = { connectionId, endpointId, jobId };
    return this.uriOf({ ...address, part: 'image', image, extension }, `${this.#nameOf(address)} (${image})`);
  }

  #nameOf({ connectionId, jobId }: ConnectedJob): string {
    const jobs = this.#sources.history.recent(connectionId);
    const stored = jobs.find(({ id }) => id === jobId);
    const name = stored ? jobName(stored, jobs) : shortRequestId(jobId);
    // A ratio sign looks like a colon, which cannot be in the name of a file.
    return name.replaceAll(':', '\u2236');
  }

  /** Updates a job and its open documents. Undefined: the platform no longer has the job, so its documents are read again. */
  update(address: ConnectedJob, job: Job | undefined): void {
    if (!job) {
      this.#jobs.get(keyOf(address))?.forget();
      for (const { uri } of this.#documentsOf(address)) this.#reload(uri);
      return;
    }
    const loaded = this.#loaded(address);
    loaded.take(job);
    this.#show(loaded);
    this.#endStream(address, loaded);
  }

  /** Returns the job of a document, with what the document shows. Reads the job if necessary. */
  async jobOf(uri: vscode.Uri): Promise<LoadedJob> {
    const address = this.addressOf(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    return this.#load(address);
  }

  async #load(address: ConnectedJob): Promise<LoadedJob> {
    const known = this.#jobs.get(keyOf(address));
    if (known?.isFinal) return known;
    const read = await this.#read(address);
    const loaded = this.#loaded(address);
    // An unavailable job does not throw, because the editor would neither show the message nor read the document again.
    if ('job' in read) loaded.take(read.job);
    else if (!loaded.job || read.code) loaded.takeReason(read.reason, read.code);
    this.#show(loaded);
    return loaded;
  }

  /** Adds chunks to the document of a job's stream. */
  stream(address: ConnectedJob, event: StreamEvent): void {
    const loaded = this.#loaded(address);
    if (event.kind === 'chunks') loaded.append(event.outputs);
    else if (event.kind === 'interrupted') loaded.interruptStream();
    else loaded.endStream();
    this.#endStream(address, loaded);
    this.#updateStream(address, loaded);
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
      const code = goneCode(this.#sources.history.find(connectionId, address.jobId));
      return { reason: explanations[code], code };
    }
  }

  #loaded(address: ConnectedJob): LoadedJob {
    const known = this.#jobs.get(keyOf(address));
    if (known) return known;
    const loaded = new LoadedJob(this.#contextOf(address));
    this.#jobs.set(keyOf(address), loaded);
    this.#removeClosed();
    return loaded;
  }

  #contextOf(address: ConnectedJob): JobContext {
    const { endpoints, history } = this.#sources;
    const { connectionId, endpointId, jobId } = address;
    return {
      address: { connectionId, endpointId, jobId },
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

  /** Updates the document of a stream soon. A large document is updated less often. */
  #updateStream(address: ConnectedJob, { stream }: LoadedJob): void {
    const ms = STREAM_EVERY_MS + ((stream?.length ?? 0) / 1_048_576) * STREAM_EVERY_MS_PER_MB;
    this.refreshSoon(this.uri(address, 'stream'), ms);
  }

  /** Updates the open documents of a job, except its stream. */
  #show(loaded: LoadedJob): void {
    for (const { uri, address } of this.#documentsOf(loaded.address)) {
      const content = address.part === 'stream' ? undefined : contentIn(loaded, address);
      if (content) this.put(uri, content);
    }
  }

  #documentsOf(job: ConnectedJob) {
    return this.known.filter(({ address }) => keyOf(address) === keyOf(job));
  }

  #reload(uri: vscode.Uri): void {
    this.refresh(uri).catch(() => undefined);
  }

  /** Reads the open documents of unfinished jobs again. */
  #reloadUnfinished(): void {
    if (!this.#sources.connections.client) return;
    for (const { uri } of this.known) if (this.contentOf(uri)?.isLive) this.#reload(uri);
  }

  /** Removes the oldest jobs without an open document, because a result can have many megabytes. */
  #removeClosed(): void {
    const open = new Set(this.known.map(({ address }) => keyOf(address)));
    const closed = [...this.#jobs].filter(([key, { isFinal, stream }]) => {
      const isLive = stream !== undefined && !stream.hasEnded;
      return !isLive && isFinal && !open.has(key);
    });
    for (const [key] of closed.slice(0, -MAX_CLOSED)) this.#jobs.delete(key);
  }
}

/** Returns the content of a document. A job that has not ended is read again when the editor checks the document. */
function contentIn(loaded: LoadedJob, address: JobDocument): Content | undefined {
  const text = loaded.textOf(address);
  return text === undefined ? undefined : { text, isLive: address.part !== 'stream' && !loaded.isFinal };
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
