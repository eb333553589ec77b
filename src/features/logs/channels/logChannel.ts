import { callAfter, type Clock } from '../../../client/clock.ts';
import type { TextLine } from '../model/lineText.ts';
import type { LogViewOptions } from '../model/logOptions.ts';
import type { LogSubject } from '../model/logSubject.ts';
import { workerTags, type WorkerTag } from '../model/workerTag.ts';
import { PanelQueue, inTimeOrder, type PanelItem } from './panelQueue.ts';
import { PanelText } from './panelText.ts';

/** Text of a channel. */
export interface ChannelOutput {
  append(text: string): void;
  replace(text: string): void;
  clear(): void;
}

export interface LogChannelOptions {
  readonly subject: LogSubject;
  readonly output: ChannelOutput;
  readonly clock: Clock;
  readonly options: () => LogViewOptions;
  /** Receives each text with its colors before it is written. */
  readonly onText: (line: TextLine) => void;
}

/** Delay in ms between two writes. The panel draws no faster. */
const WRITE_MS = 100;
/** Time in ms for the past lines of several workers to arrive, so that they are written in the order of their times. */
const GATHER_MS = 700;
/** Text length at which the oldest lines of a channel are removed, in UTF-16 code units. The editor cannot show much more without delays. */
const MAX_LENGTH = 8 * 1024 * 1024;
/** Maximum number of remembered states and troubles. */
const MAX_NOTES = 200;
/** Length of the text that remains after older lines are removed, in UTF-16 code units. */
const KEPT_LENGTH = 1024 * 1024;

/** Writes the lines of one log to the panel. */
export class LogChannel {
  readonly subject: LogSubject;
  readonly #output: ChannelOutput;
  readonly #clock: Clock;
  readonly #readOptions: () => LogViewOptions;
  readonly #onText: (line: TextLine) => void;
  readonly #queue: PanelQueue;
  #text: PanelText;
  #tags: ReadonlyMap<string, WorkerTag> = new Map();
  /** The newest texts, so that the channel can drop the older ones. */
  #recent: string[] = [];
  #recentLength = 0;
  #length = 0;
  #cancelWrite: (() => void) | undefined;
  /** Number of calls of `rewrite` that are reading lines: 0 or 1. */
  #rewrites = 0;
  #wantsRewrite = false;
  /** Number of times that the channel was cleared. */
  #clears = 0;
  /** Number of calls of `gather` that are waiting. */
  #gathers = 0;
  readonly #disposed = new AbortController();
  /** The latest states and troubles, which no archive contains. */
  #notes: PanelItem[] = [];

  constructor({ subject, output, clock, options, onText }: LogChannelOptions) {
    this.subject = subject;
    this.#output = output;
    this.#clock = clock;
    this.#readOptions = options;
    this.#onText = onText;
    this.#queue = new PanelQueue(this.isMerged);
    this.#text = this.#newText();
  }

  /** Whether the log can contain several workers. */
  get isMerged(): boolean {
    return this.subject.workerIds?.length !== 1;
  }

  /** Adds items, which are written soon. */
  add(items: readonly PanelItem[]): void {
    if (items.length === 0) return;
    this.#queue.add(items);
    this.#notes.push(...items.filter(({ kind }) => kind !== 'line'));
    if (this.#notes.length > MAX_NOTES) this.#notes = this.#notes.slice(-MAX_NOTES);
    this.#writeLater();
  }

  #writeLater(): void {
    this.#cancelWrite ??= callAfter(this.#clock, WRITE_MS, () => this.write());
  }

  /** Writes the waiting items now. */
  write(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    if (this.#queue.isEmpty || this.#rewrites + this.#gathers > 0) return;
    const { items, skipped } = this.#queue.take();
    const [first] = items;
    const all: readonly PanelItem[] =
      skipped > 0 && first
        ? [{ kind: 'state', worker: undefined, at: first.at, state: { kind: 'skipped', lines: skipped } }, ...items]
        : items;
    this.#append(this.#format(all));
  }

  /** Rewrites the text once the past lines of a new worker have arrived, so that they are in order with those of other workers. */
  async gather(read: () => Promise<readonly PanelItem[]>): Promise<void> {
    if (this.#gathers > 0) return;
    this.#gathers++;
    try {
      await this.#clock.sleep(GATHER_MS, this.#disposed.signal);
      await this.rewrite(read);
    } catch (error) {
      if (!this.#disposed.signal.aborted) throw error;
    } finally {
      this.#gathers--;
      if (!this.#queue.isEmpty) this.#writeLater();
    }
  }

  /**
   * Replaces the text with the newest lines, in the current options, and with the earlier states and troubles.
   *
   * @param read starts to read the lines that were received up to the call. Lines that arrive in the meantime follow them.
   */
  async rewrite(read: () => Promise<readonly PanelItem[]>): Promise<void> {
    this.#wantsRewrite = true;
    if (this.#rewrites > 0) return;
    this.#rewrites++;
    try {
      // The lines of a request that was made in the meantime are read together.
      const isDisposed = (): boolean => this.#disposed.signal.aborted;
      while (this.#wantsRewrite && !isDisposed()) {
        this.#wantsRewrite = false;
        this.#queue.clear();
        const notes = [...this.#notes];
        const clears = this.#clears;
        const items = await read();
        if (isDisposed() || clears !== this.#clears) continue;
        this.#text = this.#newText();
        this.#forgetText();
        const text = this.#format(inTimeOrder([...items, ...notes]));
        this.#remember(text);
        this.#output.replace(text);
      }
    } finally {
      this.#rewrites--;
      if (!this.#queue.isEmpty) this.#writeLater();
    }
  }

  clear(): void {
    this.#clears++;
    this.#queue.clear();
    this.#notes = [];
    this.#forgetText();
    this.#output.clear();
  }

  dispose(): void {
    this.#disposed.abort();
    this.#cancelWrite?.();
    this.#queue.clear();
  }

  #newText(): PanelText {
    return new PanelText(this.#readOptions(), (workerId) => (this.isMerged ? this.#tagOf(workerId) : undefined));
  }

  #tagOf(workerId: string): WorkerTag | undefined {
    if (!this.#tags.has(workerId)) this.#tags = workerTags([workerId], this.#tags);
    return this.#tags.get(workerId);
  }

  #format(items: readonly PanelItem[]): string {
    const lines = this.#text.format(items);
    for (const line of lines) if (line.spans.length > 0) this.#onText(line);
    return lines.map(({ text }) => text).join('');
  }

  #append(text: string): void {
    if (text === '') return;
    this.#remember(text);
    if (this.#length <= MAX_LENGTH) {
      this.#output.append(text);
      return;
    }
    const note = this.#format([
      { kind: 'state', worker: undefined, at: this.#clock.now(), state: { kind: 'tooLarge' } },
    ]);
    const kept = [note, ...this.#recent].join('');
    this.#length = kept.length;
    this.#output.replace(kept);
  }

  #remember(text: string): void {
    this.#length += text.length;
    this.#recent.push(text);
    this.#recentLength += text.length;
    while (this.#recentLength > KEPT_LENGTH && this.#recent.length > 1) {
      this.#recentLength -= this.#recent.shift()?.length ?? 0;
    }
  }

  #forgetText(): void {
    this.#recent = [];
    this.#recentLength = 0;
    this.#length = 0;
  }
}
