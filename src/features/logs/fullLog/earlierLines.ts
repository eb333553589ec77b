import type { Clock } from '../../../client/clock.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import type { FullLogSource } from './fullLogSource.ts';
import { subjectKey, workerWords, type LogSubject } from '../model/logSubject.ts';

/** Reads the lines that are not stored yet, once at a time for each log. */
export class EarlierLinesReader {
  readonly #source: Pick<FullLogSource, 'complete'>;
  readonly #clock: Clock;
  readonly #running = new Map<string, Promise<void>>();

  constructor(source: Pick<FullLogSource, 'complete'>, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Reads the lines with progress that the user can cancel. Joins a read that is already running. @throws the error of the source */
  read(subject: LogSubject): Promise<void> {
    const key = subjectKey(subject);
    const running = this.#running.get(key) ?? this.#start(subject).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  #start(subject: LogSubject): Promise<void> {
    const title = shown`Reading earlier lines of ${subject.endpointName} / ${workerWords(subject)}…`;
    return withLateProgress(this.#clock, title, async (signal, report) => {
      try {
        await this.#source.complete(subject, signal, report);
      } catch (error) {
        // The lines that were read until then are stored, and the rest can be read later.
        if (!signal.aborted) throw error;
      }
    });
  }
}
