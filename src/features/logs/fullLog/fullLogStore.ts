import { LogPages } from './actions/logPages.ts';
import { LogRenumbered } from './actions/mergedLines.ts';
import { subjectKey, type LogSubject, type ConnectedWorker } from '../model/logSubject.ts';
import type { Subscription } from '../../../kit/emitter.ts';
import type { Showable } from '../../../text/shownText.ts';
import type { ReadableLog } from '../archive/readableLog.ts';

/** The stored logs that the documents of full logs show. */
export interface FullLogSource {
  /**
   * Returns the stored logs of a subject, or none. The same log is always the same object, so that its pages can be kept. The order of the
   * logs decides the order of lines with the same time.
   */
  logs(subject: LogSubject): readonly ReadableLog[] | Promise<readonly ReadableLog[]>;
  /** Fires after lines of a worker were added or removed, and after its log was added or removed. Can fire often. */
  readonly onDidChange: (listener: (worker: ConnectedWorker) => unknown) => Subscription;
  /**
   * Reads the lines that the platform has and that are not stored yet. Earlier lines change the generation of a log.
   *
   * @param report called with the progress in words
   * @throws ApiError, or the reason of the signal once it is aborted
   */
  complete(subject: LogSubject, signal: AbortSignal, report: (progress: Showable) => void): Promise<void>;
}

/** Maximum number of logs whose pages are kept. */
const MAX_LOGS = 20;
/** Number of times that work is tried while its log changes its numbering. */
const ATTEMPTS = 5;

/** Keeps the pages of logs, and creates them again after a log changed its numbering. */
export class FullLogStore {
  readonly #source: Pick<FullLogSource, 'logs'>;
  readonly #pages = new Map<string, LogPages>();

  constructor(source: Pick<FullLogSource, 'logs'>) {
    this.#source = source;
  }

  /**
   * Works with the current pages of a log. The work starts again if the log changes its numbering in the meantime.
   *
   * @throws LogRenumbered if the log changes its numbering again and again
   */
  async use<Result>(subject: LogSubject, work: (pages: LogPages) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(await this.#current(subject));
      } catch (error) {
        if (!(error instanceof LogRenumbered)) throw error;
        this.#pages.delete(subjectKey(subject));
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Creates the pages of a log again if that brings its lines into a better order. */
  reorder(subject: LogSubject): void {
    const key = subjectKey(subject);
    if (this.#pages.get(key)?.hasLateLines) this.#pages.delete(key);
  }

  async #current(subject: LogSubject): Promise<LogPages> {
    const key = subjectKey(subject);
    const logs = await this.#source.logs(subject);
    const known = this.#pages.get(key);
    const pages = known?.update(logs) ? known : new LogPages(logs);
    // The pages that were used last are at the end.
    this.#pages.delete(key);
    this.#pages.set(key, pages);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_LOGS) break;
      this.#pages.delete(oldest);
    }
    return pages;
  }
}
