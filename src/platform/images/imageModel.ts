import { randomInt } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import type { Logger } from 'pino';
import {
  IMAGE_EDIT_ENDPOINT_ID,
  IMAGE_EDIT_PRICE_USD,
  IMAGE_URL_LIFETIME_MS,
  ImageEditInput,
  type ImageEditJobRequest,
  type ImageEditResult,
} from '../../contract/imageEdit.ts';
import type { EndpointHealth } from '../../contract/job.ts';
import type { Clock } from '../time/clock.ts';
import { OWNER_ACCOUNT_ID } from '../domain/account.ts';
import { executionTimeout, jobAnswer, type JobEvent, type JobRecord } from '../domain/job.ts';
import { imageEditCharge } from '../domain/usage.ts';
import { newToken, newWorkerId } from '../ids.ts';
import { EndpointJobs } from '../queue/endpointJobs.ts';
import type { JobQueue } from '../queue/jobQueue.ts';
import { retryingClock, retryWhileFull } from '../store/fullDisk.ts';
import type { StoredImage } from '../store/imageStore.ts';
import { isStorageFull } from '../storageFull.ts';
import type { Store } from '../store/store.ts';
import { EditThread } from './editThread.ts';
import type { FetchPolicy } from './fetchImage.ts';
import { imagePath, ownImageName, outputAt } from './imageAddress.ts';
import { EditError } from './pixels/picture.ts';

export interface ImageModelOptions {
  readonly jobs: JobQueue;
  readonly store: Store;
  readonly clock: Clock;
  /** Tells the same time, and waits in real time. */
  readonly realWaits: Clock;
  readonly log: Logger;
  readonly sources: FetchPolicy;
  /** Of the platform itself. Known once it listens. */
  readonly origin: () => string;
}

/** Longest time an image may take to arrive, in ms. */
const FETCH_TIME_LIMIT_MS = 30_000;
/** Longest time of a job whose policy does not say: ten times what its parts take on a machine that is busy with nothing else. */
const JOB_TIME_LIMIT_MS = 900_000;
const MOST_WORKERS = 2;
/** Memory of the machine for each worker, in bytes. The largest pictures take up to half of it during an edit. */
const MEMORY_OF_WORKER = 4 * 2 ** 30;
const LONGEST_SLEEP_MS = 3_600_000;

/** Each account has a queue of its own: whoever asks for a job of another's finds none. That of the owner has the model's own name. */
export const imageQueue = (accountId: string): string =>
  accountId === OWNER_ACCOUNT_ID ? IMAGE_EDIT_ENDPOINT_ID : IMAGE_EDIT_ENDPOINT_ID + OF + accountId;
const accountOf = (queue: string): string => queue.split(OF)[1] ?? OWNER_ACCOUNT_ID;
const OF = '@';

/** How many images are worked on at the same time; the rest wait in the queue. @param memory of this machine, or of the container, in bytes */
export const imageWorkers = (processors: number, memory: number): number =>
  Math.max(1, Math.min(processors - 1, Math.floor(memory / MEMORY_OF_WORKER), MOST_WORKERS));

/** One image at a time. */
interface ImageWorker {
  readonly id: string;
  readonly thread: EditThread;
}

/**
 * The public image-editing model (interface document, Endpoints 6): jobs of a queue like any other, worked off by a few threads. An
 * edit that succeeds writes its image, its charge and the end of its job in one transaction.
 */
export class ImageModel {
  readonly #options: ImageModelOptions;
  readonly #idle: ImageWorker[];
  readonly #running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>();
  #cancelExpiry: (() => void) | undefined;
  #closed = false;

  constructor(options: ImageModelOptions) {
    const { clock, realWaits } = options;
    this.#options = {
      ...options,
      clock: retryingClock(clock, realWaits),
      realWaits: retryingClock(realWaits),
    };
    const workers = imageWorkers(availableParallelism(), Math.min(totalmem(), process.constrainedMemory() || Infinity));
    this.#idle = Array.from({ length: workers }, () => ({
      id: newWorkerId(),
      thread: new EditThread(options.realWaits),
    }));
  }

  /** Takes up what an earlier platform left: its jobs, and images whose time is over. */
  start(): void {
    const { store, jobs } = this.#options;
    for (const queue of this.#queues()) {
      for (const id of store.jobs.ids(queue, 'IN_PROGRESS', {})) jobs.apply(queue, id, { kind: 'returned' });
    }
    this.#watchExpiry();
    this.#work();
  }

  /** The job is stored when this resolves. */
  async submit(accountId: string, request: ImageEditJobRequest, kind: 'run' | 'runsync'): Promise<JobRecord> {
    const job = await this.#options.jobs.submit(imageQueue(accountId), request, kind);
    this.#wake();
    return job;
  }

  /** The jobs of an account. */
  jobsOf(accountId: string): EndpointJobs {
    return new EndpointJobs(this.#options.jobs, imageQueue(accountId), {
      onChange: () => this.#wake(),
      onCanceled: (jobId) => this.#running.get(jobId)?.abort.abort(),
    });
  }

  /** The job as answers show it. The port of a platform may change from start to start: addresses of images are those of today. */
  answer(job: JobRecord): ImageEditResult {
    const { output, ...answer } = jobAnswer(job);
    const made = outputAt(this.#options.origin(), output);
    return made ? { ...answer, output: made } : answer;
  }

  health(): EndpointHealth['workers'] {
    const [idle, running] = [this.#idle.length, this.#running.size];
    return { idle, initializing: 0, ready: idle + running, running, throttled: 0, unhealthy: 0 };
  }

  /** An edited image; undefined when there is none, or not any more. */
  image(name: string): StoredImage | undefined {
    const image = this.#options.store.images.get(name);
    if (!image || image.expiresAt > this.#options.clock.now()) return image;
    this.#watchExpiry();
    return undefined;
  }

  /** Stops; unfinished jobs stay in the queue. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelExpiry?.();
    const running = [...this.#running.values()];
    for (const { abort } of running) abort.abort();
    await Promise.all(running.map(({ ended }) => ended));
    await Promise.all(this.#idle.map(({ thread }) => thread.close()));
  }

  /** Gives out work, as soon as there is room on the disk to say so. */
  #wake(): void {
    retryWhileFull(this.#options.realWaits, () => this.#work());
  }

  /** Gives waiting jobs to idle workers. */
  #work(): void {
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
      // Its life is over: it goes, with others like it, and in the meantime everything else has its turn.
      jobs.watchExpiry();
      setImmediate(() => this.#wake());
      return;
    }
  }

  #queues(): string[] {
    return this.#options.store.accounts.list().map(({ id }) => imageQueue(id));
  }

  /** The one that has waited longest, whoever's it is. */
  #nextJob(): JobRecord | undefined {
    const first = this.#queues().flatMap((queue) => this.#options.store.jobs.queued(queue, 1));
    return first.sort((one, other) => one.queuedAt - other.queuedAt)[0];
  }

  #run(job: JobRecord, worker: ImageWorker): void {
    const abort = new AbortController();
    const ended = this.#carryOut(job, worker, abort).finally(() => {
      this.#running.delete(job.id);
      this.#idle.push(worker);
      this.#wake();
    });
    this.#running.set(job.id, { abort, ended });
  }

  /** Never rejects: however it ends, the job says so. */
  async #carryOut(job: JobRecord, { thread }: ImageWorker, abort: AbortController): Promise<void> {
    const { clock, jobs, store } = this.#options;
    const limit = executionTimeout(job, JOB_TIME_LIMIT_MS);
    const cancelLimit = clock.after(limit, () => {
      jobs.apply(job.endpointId, job.id, { kind: 'timedOut', afterMs: limit });
      abort.abort();
    });
    try {
      const image = await this.#edited(ImageEditInput.parse(store.jobs.request(job.id).input), thread, abort.signal);
      this.#finish(job, image);
    } catch (error) {
      this.#end(job, this.#endBy(error, job, abort));
    } finally {
      cancelLimit();
    }
  }

  /** What becomes of a job that an error has ended; nothing when it has been ended before. */
  #endBy(error: unknown, { id }: JobRecord, abort: AbortController): JobEvent | undefined {
    // What could not be stored is made again.
    if (this.#closed || isStorageFull(error)) return { kind: 'returned' };
    if (error instanceof EditError) return { kind: 'failed', error: error.message };
    if (abort.signal.aborted) return undefined;
    this.#options.log.error({ err: error, job: id }, 'image edit failed');
    return { kind: 'failed', error: 'the platform failed to edit the image; its log says why' };
  }

  #end({ endpointId, id }: JobRecord, event: JobEvent | undefined): void {
    if (!event) return;
    const { jobs, realWaits } = this.#options;
    let isTried = false;
    retryWhileFull(realWaits, () => {
      // The next platform takes it up as it is.
      if (this.#closed && isTried) return;
      isTried = true;
      jobs.apply(endpointId, id, event);
      this.#wake();
    });
  }

  async #edited(input: ImageEditInput, thread: EditThread, signal: AbortSignal): Promise<StoredImage> {
    const { prompt, negative_prompt: negativePrompt, output_format: format = 'jpeg', seed = -1 } = input;
    const { checkPrompt } = await import('./checkPrompt.ts');
    // Told before anything is fetched.
    checkPrompt(prompt, negativePrompt, { safely: input.enable_safety_checker !== false });
    const image = await this.#fetched(input.image, signal);
    const request = { image, prompt, negativePrompt, format, seed: seed === -1 ? randomInt(2 ** 31) : seed };
    const bytes = await thread.run(request, signal);
    const now = this.#options.clock.now();
    return {
      name: `${newToken()}.${format}`,
      contentType: `image/${format}`,
      bytes,
      createdAt: now,
      expiresAt: now + IMAGE_URL_LIFETIME_MS,
    };
  }

  async #fetched(address: string, signal: AbortSignal): Promise<Uint8Array> {
    const { clock, origin, sources } = this.#options;
    const own = ownImageName(address, origin());
    if (own !== undefined) {
      const image = this.image(own);
      if (!image) throw new EditError('the image cannot be fetched: this platform has no such image, or no longer');
      return image.bytes;
    }
    const limit = new AbortController();
    const cancelLimit = clock.after(FETCH_TIME_LIMIT_MS, () =>
      limit.abort(new EditError(`the image cannot be fetched: it takes longer than ${FETCH_TIME_LIMIT_MS / 1000} s`)),
    );
    try {
      // Loaded with the first: it brings TLS, of which the start of the platform has no need.
      const { fetchImage } = await import('./fetchImage.ts');
      return await fetchImage(address, sources, AbortSignal.any([signal, limit.signal]));
    } finally {
      cancelLimit();
    }
  }

  /** Nothing is kept or charged when the job has ended otherwise in the meantime. */
  #finish(job: JobRecord, image: StoredImage): void {
    const { store, jobs, origin } = this.#options;
    const output = { image_url: origin() + imagePath(image.name), cost: IMAGE_EDIT_PRICE_USD };
    store.transaction(() => {
      if (!jobs.apply(job.endpointId, job.id, { kind: 'finished', output })) return;
      store.images.insert(image);
      store.usage.record(imageEditCharge(IMAGE_EDIT_ENDPOINT_ID, image.createdAt, accountOf(job.endpointId)));
    });
    this.#watchExpiry();
  }

  /** Removes images whose time is over, as soon as there is room on the disk to do so, and comes back when the next one's is. */
  #watchExpiry(): void {
    const { store, clock, realWaits } = this.#options;
    this.#cancelExpiry?.();
    if (this.#closed) return;
    let cancelNext: (() => void) | undefined;
    const cancelTry = retryWhileFull(realWaits, () => {
      store.images.removeExpired(clock.now());
      const next = store.images.nextExpiry();
      if (next === undefined) return;
      const pause = Math.min(Math.max(next - clock.now(), 0), LONGEST_SLEEP_MS);
      cancelNext = clock.after(pause, () => this.#watchExpiry());
    });
    this.#cancelExpiry = () => {
      cancelTry();
      cancelNext?.();
    };
  }
}
