import type { RequestContext } from '../../../client/context.ts';
import { callAfter } from '../../../client/clock.ts';
import type { LogPlace } from '../../../client/logPlace.ts';
import { parseInstant } from '../../../contract/dateTime.ts';
import type { LogArchive } from '../archive/logArchive.ts';
import type { LogEntry } from '../archive/readableLog.ts';
import type { ReceivedLine } from '../archive/storedLine.ts';
import type { FollowState } from '../model/followState.ts';
import type { Backfill } from '../model/logOptions.ts';
import { TimeSlice } from '../model/timeSlice.ts';

/** State of a worker's stream. */
export type StreamStatus = 'off' | 'connecting' | 'following' | 'reconnecting' | 'refused' | 'ended';

export interface LogSink {
  /** Called with the new lines of a chunk, which are in the archive. */
  lines(entries: readonly LogEntry[]): void;
  /** Called with a change of the stream that the log shows. */
  state(state: FollowState): void;
  /** Called after the status changed. */
  status(): void;
}

/** Silence after which a stream counts as broken, in ms, if the stream has sent keep-alive comments. The local platform sends one every 15 s. */
const SILENCE_MS = 60_000;
/** The same for a stream that sends lines only. */
const LONG_SILENCE_MS = 10 * 60_000;
const CHECK_MS = 2_000;
/** Minimum length of an interruption that the log reports, in ms. */
const AWAY_MS = 5_000;
/** Time without a line after which the log of a worker that is gone is complete, in ms. */
const REST_MS = 2_000;
/** Interval at which the time of the last heartbeat is saved, in ms. */
const SAVE_MS = 30_000;

/**
 * Follows the log of one worker into its archive, over any number of streams. A stream continues after the last line of the archive. It can
 * use another address of the same platform.
 */
export class WorkerLog {
  readonly archive: LogArchive;
  readonly #sink: LogSink;
  readonly #turns = new TimeSlice();
  #status: StreamStatus = 'off';
  #place: LogPlace | undefined;
  #current: AbortController | undefined;
  #batch: ReceivedLine[] = [];
  /** Number of comments since the stream opened. A service can send one at the beginning only. */
  #comments = 0;
  #cancelWatch: (() => void) | undefined;
  /** Whether the worker no longer exists, so that the stream ends after its last line. */
  #isGone = false;
  /** Time since which the stream is open and the worker is gone, in ms since the epoch. */
  #goneSince: number | undefined;
  #savedAt = 0;
  #toldFailure = false;

  constructor(archive: LogArchive, sink: LogSink) {
    this.archive = archive;
    this.#sink = sink;
    if (archive.isEnded) this.#status = 'ended';
  }

  get status(): StreamStatus {
    return this.#status;
  }

  /** Whether a stream is open or reconnecting. */
  get isActive(): boolean {
    return this.#current !== undefined;
  }

  /** Whether the stream has ended for good: the worker is gone and all of its lines were received, or the platform refused the stream. */
  get isOver(): boolean {
    return this.#status === 'ended' || this.#status === 'refused';
  }

  /** Follows the log on this platform, and closes the stream on the previous one. */
  async follow(context: RequestContext, backfill: Backfill): Promise<void> {
    this.#current?.abort();
    const current = new AbortController();
    this.#current = current;
    this.#setStatus('connecting');
    this.#comments = 0;
    this.#goneSince = undefined;
    try {
      this.#place ??= await this.archive.place();
    } catch (error) {
      if (this.#current !== current) return;
      this.#close();
      this.#setStatus('refused');
      this.#sink.state({ kind: 'notStored', reason: (error as Error).message });
      return;
    }
    // Loads the event stream code only when the first log is shown.
    const { openWorkerLogStream } = await import('../../../client/workerLogStream.ts');
    const { endpointId: id, workerId } = this.archive.worker;
    const begins = this.archive.count === 0;
    const since = begins ? await this.#start(context, backfill, current.signal) : undefined;
    if (current.signal.aborted) return;
    if (begins && 'since' in backfill && backfill.since <= 0) this.archive.markComplete();
    const now = () => context.clock.now();
    const close = openWorkerLogStream(context, {
      ...{ id, workerId, place: this.#place },
      ...(begins && 'tail' in backfill && { tail: backfill.tail }),
      since,
      beforeChunk: (isComment) => this.#beforeChunk(now(), isComment),
      onLine: (event, lineId, data) => this.#take({ event, id: lineId, data }),
      onOpen: () => this.#onOpen(now()),
      onReconnecting: () => {
        this.#setStatus('reconnecting');
        this.#sink.state({ kind: 'lost' });
      },
      onError: (error) => {
        this.archive.markEnded(error.kind === 'notFound');
        this.#close();
        this.#setStatus('refused');
        this.#sink.state({ kind: 'refused', error });
      },
    });
    current.signal.addEventListener(
      'abort',
      () => {
        close();
        this.#cancelWatch?.();
      },
      { once: true },
    );
    this.#watch(context, backfill);
  }

  /**
   * Returns the time from which a new log begins, as an RFC 3339 date-time. Undefined if it begins with a number of lines of both sources.
   * The archive always has both sources, because the log can show the other one later. So the lines of one source are counted first.
   */
  async #start(context: RequestContext, backfill: Backfill, signal: AbortSignal): Promise<string | undefined> {
    if ('since' in backfill) return new Date(backfill.since).toISOString();
    const { source, tail } = backfill;
    if (!source || tail === 0) return undefined;
    const { readWorkerLogTail } = await import('../../../client/workerLogTail.ts');
    const { endpointId: id, workerId } = this.archive.worker;
    // The stream itself reports a failure.
    const [first] = await readWorkerLogTail(context, { id, workerId, source, tail, signal }).catch(() => []);
    return first && parseInstant(first.ts) ? first.ts : undefined;
  }

  /** Stops the stream without reporting a state. A later `follow` continues after the last line. */
  stop(): void {
    this.#close();
    if (!this.isOver) this.#setStatus('off');
  }

  /** Allows another attempt after the platform refused the stream. */
  retry(): void {
    if (this.#status === 'refused') this.#setStatus('off');
  }

  /** Sets whether the worker no longer exists. If so, the stream ends once no more lines arrive. */
  setGone(isGone: boolean): void {
    this.#isGone = isGone;
    if (!isGone) this.#goneSince = undefined;
    if (isGone || this.#status !== 'ended') return;
    this.archive.markEnded(false);
    this.#setStatus('off');
  }

  #close(): void {
    this.#current?.abort();
    this.#current = undefined;
    this.#flush();
    void this.archive.save().catch(() => undefined);
  }

  #onOpen(now: number): void {
    const { heardAt, count } = this.archive;
    this.#setStatus('following');
    const awayMs = heardAt === undefined ? 0 : now - heardAt;
    this.archive.heard(now);
    if (count === 0) this.#sink.state({ kind: 'connected' });
    else if (awayMs >= AWAY_MS) this.#sink.state({ kind: 'away', awayMs });
    else this.#sink.state({ kind: 'resumed' });
  }

  /** Delays the next chunk while many lines are not stored yet, and regularly for other work of the editor. */
  #beforeChunk(now: number, isComment: boolean): Promise<void> | undefined {
    if (isComment) this.#comments++;
    this.archive.heard(now);
    if (now - this.#savedAt > SAVE_MS) {
      this.#savedAt = now;
      void this.archive.save().catch(() => undefined);
    }
    return this.archive.pressure() ?? this.#turns.next();
  }

  #take(line: ReceivedLine): void {
    // The lines of a chunk arrive without a pause, so the batch has all of them.
    if (this.#batch.push(line) === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    if (this.#batch.length === 0) return;
    const lines = this.#batch;
    this.#batch = [];
    this.#sink.lines(this.archive.append(lines));
    const { failure } = this.archive;
    if (!failure || this.#toldFailure) return;
    this.#toldFailure = true;
    this.#sink.state({ kind: 'notStored', reason: failure.message });
  }

  /**
   * Opens the stream again if it has been silent for too long, because a connection can break without an error, such as while the machine
   * sleeps. Ends the stream of a worker that is gone.
   */
  #watch(context: RequestContext, backfill: Backfill): void {
    this.#cancelWatch = callAfter(context.clock, CHECK_MS, () => {
      const now = context.clock.now();
      const heardAt = this.archive.heardAt ?? 0;
      const isOpen = this.#status === 'following';
      this.#goneSince = this.#isGone && isOpen ? (this.#goneSince ?? now) : undefined;
      if (this.#goneSince !== undefined && now - Math.max(heardAt, this.#goneSince) >= REST_MS) {
        this.archive.markEnded(true);
        this.#close();
        this.#setStatus('ended');
        this.#sink.state({ kind: 'ended' });
      } else if (isOpen && now - heardAt > (this.#comments > 1 ? SILENCE_MS : LONG_SILENCE_MS)) {
        void this.follow(context, backfill);
      } else {
        this.#watch(context, backfill);
      }
    });
  }

  #setStatus(status: StreamStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#sink.status();
  }
}
