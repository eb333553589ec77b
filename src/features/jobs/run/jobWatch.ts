import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import type { Report } from '../../../kit/progress.ts';
import type { JobObserver } from '../actions/submitAndFollow.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { progressWords } from '../../../account/jobWords.ts';
import { storableRequest } from '../requests/storableRequest.ts';
import type { ConnectedJob } from '../results/jobAddress.ts';
import { showStream } from '../results/streamView.ts';
import type { JobRun, JobServices } from './jobServices.ts';
import { LiveStream } from './liveStream.ts';

/** Interval for refreshing the tree while a job waits for a worker, in ms. */
const REFRESH_EVERY_MS = 3_000;

export type OnChunks = (outputs: readonly unknown[]) => void;

/** Shows a running job in its documents, in the progress notification, and in the tree. Keeps the tracker from following it too. */
export class JobWatch implements JobObserver {
  readonly #services: JobServices;
  readonly #run: JobRun;
  readonly #client: Client;
  readonly #report: Report;
  /** Reason why the request is not stored, as a part of the history entry. */
  readonly #notStored: Pick<StoredJob, 'notStored'>;
  #stream: LiveStream | undefined;
  #release: (() => void) | undefined;
  #status: string | undefined;
  #queuedMs: number | undefined;
  #refreshedAt = 0;
  readonly #onChunks: OnChunks | undefined;

  /** @param onChunks receives the chunks of the job's stream, whose document is then not opened */
  constructor(services: JobServices, run: JobRun, client: Client, report: Report, onChunks?: OnChunks) {
    this.#onChunks = onChunks;
    this.#services = services;
    this.#run = run;
    this.#client = client;
    this.#report = report;
    const storable = storableRequest(run.body);
    this.#notStored = 'reason' in storable ? { notStored: storable.reason } : {};
  }

  seen(job: Job): void {
    const { documents, endpoints, tracking } = this.#services;
    this.#release ??= tracking.hold(this.#run.connectionId, job.id);
    documents.update(this.#addressOf(job), job);
    if (this.#status !== undefined && this.#status !== job.status) void endpoints.refresh();
    if (this.#status === undefined) this.#keepRequest(job);
    this.#status = job.status;
    if (job.status === 'IN_PROGRESS') this.#streamOf(job).start();
  }

  waiting(job: Job, elapsedMs: number): void {
    const { endpoints } = this.#services;
    const snapshot = endpoints.find(this.#run.endpointId);
    const { endpoint, health, workers } = snapshot ?? {};
    if (job.status !== 'IN_QUEUE') this.#queuedMs ??= job.delayTime ?? elapsedMs;
    this.#report(
      progressWords({
        ...{ job, elapsedMs, queuedMs: this.#queuedMs, workers: workers?.summary },
        ...{ maxWorkers: endpoint?.workers.max, inQueue: health?.jobs.inQueue },
      }),
    );
    if (job.status !== 'IN_QUEUE' || elapsedMs - this.#refreshedAt < REFRESH_EVERY_MS) return;
    this.#refreshedAt = elapsedMs;
    void endpoints.refresh();
  }

  canceling(): void {
    this.#report(l10n.t('canceling…'));
  }

  /** Whether the job has streamed chunks. */
  get hasChunks(): boolean {
    return this.#stream?.hasChunks ?? false;
  }

  readonly record = (job: StoredJob): void => {
    const { history, log } = this.#services;
    history
      .put(this.#run.connectionId, { ...job, ...this.#notStored })
      .then(undefined, (error: unknown) => log.warn('Could not write the job history', error));
  };

  /** Reads the rest of the stream of an ended job. A job that ended quickly can have chunks although it was never seen running. */
  async end(job: Job | undefined): Promise<void> {
    if (!job || !isTerminal(job.status)) return;
    const { output } = job;
    const isEmpty = output === undefined || output === null || (Array.isArray(output) && output.length === 0);
    if (job.status === 'COMPLETED' && isEmpty) this.#streamOf(job).start();
    await this.#stream?.end();
  }

  /** Lets the tracker follow a job that has not ended. */
  release(): void {
    this.#release?.();
    void this.#services.endpoints.refresh();
  }

  #streamOf(job: Job): LiveStream {
    const { documents, clock, log } = this.#services;
    const address = this.#addressOf(job);
    const onChunks = this.#onChunks;
    const show = () => {
      if (!onChunks) showStream(address).catch((error: unknown) => log.warn('Could not show the stream', error));
    };
    this.#stream ??= new LiveStream({ client: this.#client, clock, documents, address, show, onChunks });
    return this.#stream;
  }

  #keepRequest(job: Job): void {
    const { requests, log } = this.#services;
    requests
      .put(this.#run.connectionId, job.id, this.#run.body)
      .catch((error: unknown) => log.warn('Could not store the request of the job', error));
  }

  #addressOf({ id }: Job): ConnectedJob {
    const { connectionId, endpointId } = this.#run;
    return { connectionId, endpointId, jobId: id };
  }
}
