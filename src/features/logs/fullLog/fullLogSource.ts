import type { Subscription } from '../../../kit/emitter.ts';
import type { Showable } from '../../../text/shownText.ts';
import type { ReadableLog } from '../archive/readableLog.ts';
import type { ConnectedWorker } from '../model/loggedWorker.ts';
import type { LogSubject } from '../model/logSubject.ts';

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
