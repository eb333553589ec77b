import { KeyedState, type StateStorage } from '../../../kit/keyedState.ts';
import { HISTORY_NAME } from '../model/jobNames.ts';
import { StoredJob } from '../model/storedJob.ts';

/** Stores references to the last jobs of each connection, newest first. The platform stores the jobs themselves. */
export class JobHistoryStore {
  readonly #jobs: KeyedState<StoredJob>;
  /** Fires with the ID of the connection whose jobs changed. */
  readonly onDidChange: KeyedState<StoredJob>['onDidChange'];

  constructor(storage: StateStorage) {
    this.#jobs = new KeyedState(storage, { name: HISTORY_NAME, schema: StoredJob, max: 200 });
    this.onDidChange = this.#jobs.onDidChange;
  }

  recent(connectionId: string): readonly StoredJob[] {
    return [...this.#jobs.entries(connectionId).values()].reverse();
  }

  /** Adds a job, or replaces its entry in place. */
  async put(connectionId: string, job: StoredJob): Promise<void> {
    await this.#jobs.put(connectionId, job.id, job);
  }

  find(connectionId: string, jobId: string): StoredJob | undefined {
    return this.#jobs.get(connectionId, jobId);
  }

  remove(connectionId: string, jobIds: readonly string[]): Promise<void> {
    return this.#jobs.remove(connectionId, jobIds);
  }

  dispose(): void {
    this.#jobs.dispose();
  }
}
