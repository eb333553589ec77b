/** Reasons for which a replay cannot run. */
export type ReplayErrorCode =
  /** The local platform could not be started. The reason is its explanation. */
  | 'platform'
  /** The directory of a volume cannot be read. */
  | 'volumeUnreadable'
  /** The disk has no room for a copy of the volume. */
  | 'volumeTooLarge'
  /** The plan has a missing part that blocks the replay. */
  | 'blocked';

/** A replay cannot run. Nothing of it is left. */
export class ReplayError extends Error {
  readonly code: ReplayErrorCode;

  constructor(code: ReplayErrorCode, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'ReplayError';
    this.code = code;
  }
}
