import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../../client/apiError.ts';
import type { Client } from '../../../../client/client.ts';
import type { Clock } from '../../../../client/clock.ts';
import { networkCauseOf } from '../../../../client/networkCause.ts';
import { isTerminal, type Job } from '../../../../contract/job.ts';
import { operations } from '../../../../contract/operations.ts';
import { QUEUE_LIMIT_SECONDS } from '../../../../contract/rateLimit.ts';
import { AppendedFile, readRows, resultsFile, type CopiedRow } from '../batchFiles.ts';
import { Journal } from '../journal.ts';
import { EndedRate } from '../model/endedRate.ts';
import { type BatchState, type RowState, GONE, REFUSED } from '../model/batchState.ts';
import type { BatchStop, JournalEntry } from '../model/journalEntries.ts';
import { resultText, type RowResult } from '../model/resultTable.ts';
import { failedSubmission, isKeyKept } from '../model/submission.ts';
import { PlatformGate, type BatchPlatform, type Obstacle } from './platformGate.ts';
import { StatusPoller } from '../../actions/statusPoller.ts';
import { Pace, Wake } from '../../actions/wake.ts';

export interface RunBatchOptions {
  readonly folder: string;
  readonly platform: BatchPlatform;
  readonly clock: Clock;
  /** Maximum number of jobs in flight. Read again for each row. */
  readonly maxInFlight: () => number;
  /** Called when the batch is paused, resumed, or hindered. */
  readonly onChange?: () => void;
}

export interface BatchProgress {
  readonly rows: number;
  readonly counts: Readonly<Record<RowState, number>>;
  readonly inFlight: number;
  /** Rows that ended in the last seconds, per second. */
  readonly perSecond: number;
  /** Time until all rows have ended, in seconds. Undefined if it is not known. */
  readonly secondsLeft: number | undefined;
  /** Cost of the ended rows, in USD. Undefined if the price is not known. */
  readonly usd: number | undefined;
  readonly isPaused: boolean;
  /** Why the platform cannot be called now. */
  readonly obstacle: Obstacle | undefined;
}

/** Share of the documented rate limits that a batch uses on a platform with limits. The rest is for other calls. */
const SHARE = 0.5;
const perSecond = (limit: number): number => (limit / QUEUE_LIMIT_SECONDS) * SHARE;
const SUBMISSIONS_PER_SECOND = perSecond(operations.runJob.limit.requests);
const POLLS_PER_SECOND = perSecond(operations.getJobStatus.limit.requests) / 2;
const CANCELS_PER_SECOND = perSecond(operations.cancelJob.limit.requests);
/** A local platform has no limits for its owner. */
const LOCAL_PER_SECOND = 1_000;

/** Number of failed submissions after which a row counts as uncertain. */
const MAX_REPETITIONS = 5;

/** Runs the rows of a batch as jobs. Each row becomes at most one job, also after this process is killed. */
export class BatchRunner {
  readonly #options: RunBatchOptions;
  readonly #journal: Journal;
  readonly #results: AppendedFile;
  readonly #dropped = new AbortController();
  /** Aborted when the jobs in flight are no longer followed. */
  readonly #left = new AbortController();
  /** Aborted with either of the two. */
  readonly #ended: AbortSignal;
  readonly #gate: PlatformGate;
  readonly #poller: StatusPoller;
  readonly #wake = new Wake();
  readonly #tasks = new Set<Promise<void>>();
  readonly #rate: EndedRate;
  readonly #paces: Readonly<Record<'submit' | 'poll' | 'cancel', Readonly<Record<'hosted' | 'local', Pace>>>>;
  #limit: number;
  #isPaused = false;
  #canceling: 'cancel' | 'leave' | undefined;
  #failure: unknown;

  private constructor(options: RunBatchOptions, journal: Journal, results: AppendedFile) {
    const { clock, platform, onChange = () => undefined, maxInFlight } = options;
    this.#options = options;
    this.#journal = journal;
    this.#results = results;
    this.#rate = new EndedRate(clock);
    this.#limit = maxInFlight();
    const { endpointId } = journal.state.header;
    const signal = AbortSignal.any([this.#dropped.signal, this.#left.signal]);
    this.#ended = signal;
    signal.addEventListener('abort', () => this.#poller.release(), { once: true });
    this.#gate = new PlatformGate({ platform, endpointId, clock, signal, onChange });
    const paces = (hosted: number) => ({
      hosted: new Pace(clock, hosted),
      local: new Pace(clock, LOCAL_PER_SECOND),
    });
    this.#paces = {
      submit: paces(SUBMISSIONS_PER_SECOND),
      poll: paces(POLLS_PER_SECOND),
      cancel: paces(CANCELS_PER_SECOND),
    };
    const read = (jobId: string) => this.#status(jobId);
    this.#poller = new StatusPoller({ clock, signal, pace: () => this.#pace('poll', platform.client()), read });
  }

  /** Opens a batch. The caller must have its lock. @throws JournalError, or the error of the file system */
  static async open(options: RunBatchOptions): Promise<BatchRunner> {
    const journal = await Journal.open(options.folder);
    try {
      return new BatchRunner(options, journal, await AppendedFile.open(resultsFile(options.folder)));
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  get state(): BatchState {
    return this.#journal.state;
  }

  get progress(): BatchProgress {
    const { state } = this;
    const { pricePerHour } = state.header;
    const rate = this.#rate.perSecond;
    return {
      rows: state.header.rows,
      counts: state.counts,
      inFlight: this.#tasks.size,
      perSecond: rate,
      secondsLeft: rate > 0 ? state.left / rate : undefined,
      usd: pricePerHour === undefined ? undefined : (state.executionMs / 3_600_000) * pricePerHour,
      isPaused: this.#isPaused,
      obstacle: this.#gate.obstacle,
    };
  }

  /** Sends no further rows. Jobs in flight are followed. */
  pause(): void {
    this.#isPaused = true;
    this.#changed();
  }

  resume(): void {
    this.#isPaused = false;
    this.#gate.retry();
    this.#changed();
  }

  /** Ends the batch. The jobs in flight are canceled, or continue on the platform without being followed. */
  cancel(jobs: 'cancel' | 'leave'): void {
    this.#canceling = jobs;
    if (jobs === 'leave' || this.#gate.obstacle) this.#left.abort();
    else for (const row of this.state.rowsIn('accepted')) this.#start(() => this.#cancelJob(row));
    this.#changed();
  }

  /** Stops without a trace, as if the process was killed. Resolves once the files are closed. */
  async drop(): Promise<void> {
    this.#dropped.abort(new Error('dropped'));
    this.#changed();
    await this.#close();
  }

  /**
   * Runs until all rows have ended or the batch is canceled.
   *
   * @returns why the batch stopped, or undefined if it was dropped
   * @throws the error of the file system, such as a full disk. The batch can be resumed.
   */
  async run(): Promise<BatchStop | undefined> {
    const polling = this.#poller.run().catch((error: unknown) => {
      if (!this.#left.signal.aborted) this.#fail(error);
    });
    try {
      await this.#runRows();
      const stop: BatchStop = this.#canceling ? 'canceled' : 'done';
      await this.#append({ kind: 'stopped', stop });
      return stop;
    } catch (error) {
      if (this.#dropped.signal.aborted && this.#failure === undefined) return undefined;
      throw this.#failure ?? error;
    } finally {
      this.#left.abort();
      this.#dropped.abort(new Error('ended'));
      await polling;
      await this.#close();
    }
  }

  async #runRows(): Promise<void> {
    const { state } = this;
    await this.#append({ kind: 'resumed' });
    for (const row of state.rowsIn('accepted')) this.#start(() => this.#follow(row, state.jobOf(row) ?? ''));
    const isOpen = (row: number): boolean => ['pending', 'sending'].includes(state.stateOf(row));
    // The last turn of the loop sees all rows that this process has returned to the queue.
    for await (const row of readRows(this.#options.folder, state.header.rows, isOpen)) {
      if (!(await this.#hasRoom())) break;
      if (isOpen(row.number)) this.#start(() => this.#submitAndFollow(row));
    }
    while (this.#tasks.size > 0) {
      await Promise.race([...this.#tasks]);
      this.#check();
    }
  }

  /** Resolves with true once another row may be sent, or with false if the batch ends. */
  async #hasRoom(): Promise<boolean> {
    for (;;) {
      this.#check();
      if (this.#canceling) return false;
      const limit = Math.min(this.#limit, this.#options.maxInFlight());
      if (!this.#isPaused && this.#tasks.size < limit) return true;
      await this.#wake.next;
    }
  }

  #start(work: () => Promise<void>): void {
    const task = work()
      .catch((error: unknown) => {
        if (!this.#left.signal.aborted) this.#fail(error);
      })
      .finally(() => {
        this.#tasks.delete(task);
        this.#changed();
      });
    this.#tasks.add(task);
  }

  async #submitAndFollow(row: CopiedRow): Promise<void> {
    const job = await this.#submit(row);
    if (job) await this.#follow(row.number, job.id, job);
  }

  /** Submits a row. Resolves with undefined if it does not become a job. */
  async #submit({ number: row, body }: CopiedRow): Promise<Job | undefined> {
    const { state } = this;
    if (!body) {
      if (state.stateOf(row) === 'sending') await this.#append({ kind: 'uncertain', row });
      else await this.#end(row, { status: REFUSED, error: l10n.t('the stored row is damaged') });
      return undefined;
    }
    const { clock } = this.#options;
    const { endpointId } = state.header;
    for (let failures = 0; ;) {
      while (this.#isPaused && !this.#canceling) {
        await this.#wake.next;
        this.#check();
      }
      if (this.#canceling && state.stateOf(row) === 'pending') return undefined;
      const client = await this.#gate.ready();
      await this.#pace('submit', client).take(this.#dropped.signal);
      const key = state.keyOf(row);
      const sent = state.sentOf(row);
      if (sent && !(client.context.honorsIdempotencyKeys && isKeyKept(sent.at, body, clock.now()))) {
        await this.#append({ kind: 'uncertain', row });
        return undefined;
      }
      if (!sent) await this.#append({ kind: 'sending', row, key, at: clock.now() });
      try {
        // The signal is omitted: the platform may accept an aborted submission.
        const job = await client.runJob({ endpointId, body }, { idempotencyKey: key, retries: 1, waits: 0 });
        await this.#append({ kind: 'accepted', row, job: job.id });
        this.#limit = Math.min(this.#limit + 1 / this.#limit, this.#options.maxInFlight());
        return job;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        this.#check();
        const failure = { kind: error.kind, cause: networkCauseOf(error.cause) };
        const meaning = failedSubmission(failure, client.context.honorsIdempotencyKeys);
        if (meaning === 'refused') {
          await this.#end(row, { status: REFUSED, error: [error.message, ...error.errors].join('; ') });
          return undefined;
        }
        if (error.kind === 'rateLimited') this.#limit = Math.max(1, Math.floor(this.#limit / 2));
        if (meaning === 'returned') await this.#append({ kind: 'returned', row });
        const isHopeless = error.kind === 'server' && ++failures >= MAX_REPETITIONS;
        const isUncertain = meaning === 'uncertain' || isHopeless;
        if (isUncertain) await this.#append({ kind: 'uncertain', row });
        this.#gate.failed(error);
        if (isUncertain) return undefined;
      }
    }
  }

  /** Follows a job to its end. @param known state of the job in the response to its submission */
  async #follow(row: number, jobId: string, known?: Job): Promise<void> {
    if (this.#canceling === 'cancel') await this.#cancelJob(row);
    const isOver = known !== undefined && isTerminal(known.status);
    const job = isOver ? known : await this.#poller.watch(jobId);
    if (this.#left.signal.aborted && !isOver) return;
    if (!job) {
      await this.#end(row, { id: jobId, status: GONE, error: l10n.t('the platform no longer has the job') });
      return;
    }
    await this.#end(row, job);
  }

  /** Reads a job once the platform can be called. Resolves with undefined if it does not exist. */
  async #status(jobId: string): Promise<Job | undefined> {
    const { endpointId } = this.state.header;
    const signal = this.#ended;
    for (;;) {
      const client = await this.#gate.ready();
      try {
        return await client.getJobStatus({ endpointId, jobId }, { retries: 0, waits: 0, signal });
      } catch (error) {
        if (!(error instanceof ApiError) || error.kind === 'canceled') throw error;
        if (error.kind === 'notFound') return undefined;
        if (error.code === 'tooLarge') return { id: jobId, status: 'COMPLETED', error: error.message };
        this.#gate.failed(error);
      }
    }
  }

  /** Cancels a job. One that has already ended is unchanged. */
  async #cancelJob(row: number): Promise<void> {
    const jobId = this.state.jobOf(row);
    if (jobId === undefined) return;
    const { endpointId } = this.state.header;
    const client = await this.#gate.ready();
    await this.#pace('cancel', client).take(this.#left.signal);
    await client.cancelJob({ endpointId, jobId }, { signal: this.#left.signal }).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
  }

  async #end(row: number, result: Omit<RowResult, 'row'>): Promise<void> {
    const text = resultText({ row, ...result });
    this.#check();
    const at = this.#results.size;
    await this.#results.append(text);
    const ms = typeof result.executionTime === 'number' ? { ms: result.executionTime } : {};
    await this.#append({ kind: 'ended', row, status: result.status, at, length: Buffer.byteLength(text), ...ms });
    this.#rate.add();
  }

  #pace(call: 'submit' | 'poll' | 'cancel', client: Client | undefined): Pace {
    return this.#paces[call][client?.context.honorsIdempotencyKeys === true ? 'local' : 'hosted'];
  }

  async #append(entry: JournalEntry): Promise<void> {
    this.#check();
    await this.#journal.append(entry);
  }

  /** @throws the reason if this runner was dropped or has failed */
  #check(): void {
    this.#dropped.signal.throwIfAborted();
  }

  #fail(error: unknown): void {
    if (this.#dropped.signal.aborted) return;
    this.#failure = error;
    this.#dropped.abort(error);
    this.#changed();
  }

  #changed(): void {
    this.#wake.fire();
    this.#options.onChange?.();
  }

  async #close(): Promise<void> {
    this.#gate.dispose();
    await Promise.allSettled([this.#results.close(), this.#journal.close()]);
  }
}
