import type { StoredJob } from '../model/storedJob.ts';

/**
 * Time in which jobs ended:
 *
 * - `closed`: the editor was closed, or its connection was not available since the start of the editor.
 * - `away`: the editor used another connection, or its platform was stopped.
 * - `now`: the editor followed the jobs.
 */
export type EndedWhen = 'closed' | 'away' | 'now';

/** Followed jobs that have ended. */
export interface EndedJobs {
  readonly connectionId: string;
  readonly when: EndedWhen;
  readonly jobs: readonly StoredJob[];
}
