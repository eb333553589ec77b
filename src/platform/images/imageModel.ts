import { randomInt } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import type { Logger } from 'pino';
import { ImageEditInput, type ImageEditJobRequest, type ImageEditResult } from '../../contract/imageEdit.ts';
import {
  DEFAULT_IMAGE_FORMAT,
  IMAGE_EDIT_ENDPOINT_ID,
  IMAGE_EDIT_PRICE_USD,
  IMAGE_URL_LIFETIME_MS,
} from '../../contract/imageModel.ts';
import type { EndpointHealth } from '../../contract/job.ts';
import type { Clock } from '../time/clock.ts';
import { accountOfImageQueue, imageQueue } from '../domain/imageQueue.ts';
import { executionTimeout, jobAnswer, type JobEvent, type JobRecord } from '../domain/job.ts';
import { imageEditCharge } from '../domain/usage.ts';
import { newToken, newWorkerId } from '../ids.ts';
import { EndpointJobs } from '../queue/endpointJobs.ts';
import type { JobQueue, Submission } from '../queue/jobQueue.ts';
import { retryingClock, retryWhileFull } from '../store/fullDisk.ts';
import type { StoredImage, Store } from '../store/store.ts';
import { isStorageFull } from '../storageFull.ts';
import { EditThread } from './editThread.ts';
import type { FetchPolicy } from './fetchImage.ts';
import { IMAGES_PATH, outputAt, ownImageName } from './imageAddress.ts';
import { EditError } from './picture.ts';

export interface ImageModelOptions {
  readonly jobs: JobQueue;
  readonly store: Store;
  readonly clock: Clock;
  /** A clock with the same time whose timers run in real time. */
  readonly realClock: Clock;
  readonly log: Logger;
  readonly sources: FetchPolicy;
  /** Returns the platform's origin, which is known once the platform listens. */
  readonly origin: () => string;
}

/** Time limit for fetching a source image, in ms. */
const FETCH_TIME_LIMIT_MS = 30_000;
/** Default execution timeout of a job, in ms: ten times the limits of the fetch and the edit, because a busy machine is slower. */
const JOB_TIME_LIMIT_MS = 900_000;
const MAX_WORKERS = 2;
/** Memory that the machine needs per worker, in bytes. An edit of the largest picture uses up to half of it. */
const MEMORY_PER_WORKER = 4 * 2 ** 30;

/** Returns the number of concurrent edits. Other jobs wait in the queue. @param memory of this machine or container, in bytes */
export const imageWorkers = (processors: number, memory: number): number =>
  Math.max(1, Math.min(processors - 1, Math.floor(memory / MEMORY_PER_WORKER), MAX_WORKERS));

interface ImageWorker {
  readonly id: string;
  readonly thread: EditThread;
}

/**
 * The public image-editing endpoint. Its jobs wait in queues like other jobs, and a few threads process them. A successful edit stores its
 * image, its charge, and the end of its job in one transaction.
 */
export class ImageModel {
  readonly #options: ImageModelOptions;
  readonly #idle: ImageWorker[];
  readonly #running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>();
  #cancelExpiry: (() => void) | undefined;
  #closed = false;

  constructor(options: ImageModelOptions) {
    const { clock, realClock } = options;
    this.#options = { ...options, clock: retryingClock(clock, realClock), realClock: retryingClock(realClock) };
    const workers = imageWorkers(availableParallelism(), Math.min(totalmem(), process.constrainedMemory() || Infinity));
    this.#idle = Array.from({ length: workers }, () => ({ id: newWorkerId(), thread: new EditThread(realClock) }));
  }

  /** Resumes the jobs that an earlier process left, and deletes expired images. */
  start(): void {
    const { store, jobs } = this.#options;
    for (const queue of this.#queues()) {
      for (const id of store.jobs.ids(queue, 'IN_PROGRESS', {})) jobs.apply(queue, id, { kind: 'returned' });
    }
    this.#watchExpiry();
    this.#dispatch();
  }

  /** Resolves once the job is stored. A key identifies a job of the account. */
  async submit(accountId: string, request: ImageEditJobRequest, submission: Submission): Promise<JobRecord> {
    const job = await this.#options.jobs.submit(imageQueue(accountId), request, submission);
    this.#wake();
    return job;
  }

  jobsOf(accountId: string): EndpointJobs {
    return new EndpointJobs(this.#options.jobs, imageQueue(accountId), {
      onChange: () => this.#wake(),
      onCanceled: (jobId) => this.#running.get(jobId)?.abort.abort(),
    });
  }

  /** Returns the public form of a job. Image URLs use the current origin, because the port can change with each start. */
  answer(job: JobRecord): ImageEditResult {
    const { output, ...answer } = jobAnswer(job);
    const made = outputAt(this.#options.origin(), output);
    return made ? { ...answer, output: made } : answer;
  }

  health(): EndpointHealth['workers'] {
    const [idle, running] = [this.#idle.length, this.#running.size];
    return { idle, initializing: 0, ready: idle + running, running, throttled: 0, unhealthy: 0 };
  }

  /** Returns an edited image, or undefined if it does not exist or has expired. */
  image(name: string): StoredImage | undefined {
    const image = this.#options.store.images.get(name);
    if (!image || image.expiresAt > this.#options.clock.now()) return image;
    this.#watchExpiry();
    return undefined;
  }

  /** Stops all edits. Unfinished jobs stay in the queue. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelExpiry?.();
    const running = [...this.#running.values()];
    for (const { abort } of running) abort.abort();
    await Promise.all(running.map(({ ended }) => ended));
    await Promise.all(this.#idle.map(({ thread }) => thread.close()));
  }

  /** Dispatches waiting jobs. If the disk is full, retries until it has room. */
  #wake(): void {
    retryWhileFull(this.#options.realClock, () => this.#dispatch());
  }

  /** Dispatches waiting jobs to idle workers. */
  #dispatch(): void {
    const { jobs } = this.#options;
    while (!this.#closed) {
      const worker = this.#idle.at(-1);
      const next = worker && this.#nextJob();
      if (!next) return;
      const job = jobs.apply(next.endpointId, next.id, { kind: 'taken', workerId: worker.id });
      if (job) {
        this.#idle.pop();
        this.#run(job, worker);
        continue;
      }
      // The job has expired. Other work runs before the next job is dispatched, because many jobs can expire at once.
      jobs.watchExpiry();
      setImmediate(() => this.#wake());
      return;
    }
  }

  #queues(): string[] {
    return this.#options.store.accounts.list().map(({ id }) => imageQueue(id));
  }

  /** Returns the job that has waited longest, across all accounts. */
  #nextJob(): JobRecord | undefined {
    const first = this.#queues().flatMap((queue) => this.#options.store.jobs.queued(queue, 1));
    return first.sort((one, other) => one.queuedAt - other.queuedAt)[0];
  }

  /** The promise of the end never rejects. The job records each outcome. */
  #run(job: JobRecord, worker: ImageWorker): void {
    const abort = new AbortController();
    const ended = this.#execute(job, worker.thread, abort).finally(() => {
      this.#running.delete(job.id);
      this.#idle.push(worker);
      this.#wake();
    });
    this.#running.set(job.id, { abort, ended });
  }

  async #execute(job: JobRecord, thread: EditThread, abort: AbortController): Promise<void> {
    const { clock, jobs, store } = this.#options;
    const limit = executionTimeout(job, JOB_TIME_LIMIT_MS);
    const cancelLimit = clock.after(limit, () => {
      jobs.apply(job.endpointId, job.id, { kind: 'timedOut', afterMs: limit });
      abort.abort();
    });
    try {
      const input = ImageEditInput.parse(store.jobs.request(job.id).input);
      this.#finish(job, await this.#edit(input, thread, abort.signal));
    } catch (error) {
      this.#end(job, this.#eventAfter(error, job, abort));
    } finally {
      cancelLimit();
    }
  }

  /** Returns the event for a failed edit, or undefined if the job has already ended. */
  #eventAfter(error: unknown, { id }: JobRecord, abort: AbortController): JobEvent | undefined {
    // An edit whose result could not be stored runs again.
    if (this.#closed || isStorageFull(error)) return { kind: 'returned' };
    if (error instanceof EditError) return { kind: 'failed', error: error.message };
    if (abort.signal.aborted) return undefined;
    this.#options.log.error({ err: error, job: id }, 'image edit failed');
    return { kind: 'failed', error: 'the platform failed to edit the image; see its log' };
  }

  #end({ endpointId, id }: JobRecord, event: JobEvent | undefined): void {
    if (!event) return;
    const { jobs, realClock } = this.#options;
    let isTried = false;
    retryWhileFull(realClock, () => {
      // The next start of the platform resumes the job.
      if (this.#closed && isTried) return;
      isTried = true;
      jobs.apply(endpointId, id, event);
      this.#wake();
    });
  }

  async #edit(input: ImageEditInput, thread: EditThread, signal: AbortSignal): Promise<StoredImage> {
    const { prompt, negative_prompt: negativePrompt, output_format: format = DEFAULT_IMAGE_FORMAT, seed = -1 } = input;
    const { checkPrompt } = await import('./prompt.ts');
    // An invalid prompt fails before the fetch.
    checkPrompt(prompt, negativePrompt, input.enable_safety_checker !== false);
    const image = await this.#fetch(input.image, signal);
    const request = { image, prompt, negativePrompt, format, seed: seed === -1 ? randomInt(2 ** 31) : seed };
    const bytes = await thread.run(request, signal);
    const createdAt = this.#options.clock.now();
    const expiresAt = createdAt + IMAGE_URL_LIFETIME_MS;
    return { name: `${newToken()}.${format}`, contentType: `image/${format}`, bytes, createdAt, expiresAt };
  }

  async #fetch(address: string, signal: AbortSignal): Promise<Uint8Array> {
    const { realClock, origin, sources } = this.#options;
    const own = ownImageName(address, origin());
    if (own !== undefined) {
      const image = this.image(own);
      if (!image)
        throw new EditError('the image cannot be fetched: it does not exist on this platform, or has expired');
      return image.bytes;
    }
    const limit = new AbortController();
    const cancelLimit = realClock.after(FETCH_TIME_LIMIT_MS, () =>
      limit.abort(new EditError(`the image cannot be fetched: it takes longer than ${FETCH_TIME_LIMIT_MS / 1000} s`)),
    );
    try {
      // Loaded on first use. The module loads TLS, which would slow down the start of the platform.
      const { fetchImage } = await import('./fetchImage.ts');
      return await fetchImage(address, sources, AbortSignal.any([signal, limit.signal]));
    } finally {
      cancelLimit();
    }
  }

  /** Stores the image and the charge, unless the job has ended in the meantime. */
  #finish(job: JobRecord, image: StoredImage): void {
    const { store, jobs, origin } = this.#options;
    const output = { image_url: origin() + IMAGES_PATH + image.name, cost: IMAGE_EDIT_PRICE_USD };
    store.transaction(() => {
      if (!jobs.apply(job.endpointId, job.id, { kind: 'finished', output })) return;
      store.images.insert(image);
      store.usage.record(imageEditCharge(IMAGE_EDIT_ENDPOINT_ID, image.createdAt, accountOfImageQueue(job.endpointId)));
    });
    this.#watchExpiry();
  }

  /** Schedules the removal of the image that expires next. If the disk is full, its clock retries until it has room. */
  #watchExpiry(): void {
    const { store, clock } = this.#options;
    this.#cancelExpiry?.();
    const next = this.#closed ? undefined : store.images.nextExpiry();
    if (next === undefined) return;
    const due = Math.max(next, clock.now());
    this.#cancelExpiry = clock.after(due - clock.now(), () => {
      store.images.removeExpired(due);
      this.#watchExpiry();
    });
  }
}
