import type { OfferedValues } from '../../../account/liveValues/liveValues.ts';

/** The values that the connected platform offers. */
export interface LiveSource {
  /** The latest values. Empty until they have been read. */
  readonly current: OfferedValues;
  /** Starts to read them unless they are recent. Never waits. */
  request(): void;
}
