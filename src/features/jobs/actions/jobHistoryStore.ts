import { Emitter } from '../../../kit/emitter.ts';
import { stateKey, type StateStorage } from '../../../account/connections/connectionState.ts';
import { StoredJob } from '../model/storedJob.ts';
import { storedEntries, type StoredEntries } from '../../../kit/storedEntries.ts';

/** Maximum number of stored jobs per connection. */
const MAX_STORED_JOBS = 200;

const keyOf = (connectionId: string) => stateKey(connectionId, 'jobs.recent');

/** Stores references to the last jobs of each connection, newest first. The platform stores the jobs themselves. */
export class JobHistoryStore {
  readonly #storage: StateStorage;
  readonly #changed = new Emitter<string>();
  /** Fires with the ID of the connection whose jobs changed. */
  readonly onDidChange = this.#changed.event;

  constructor(storage: StateStorage) {
    this.#storage = storage;
  }

  recent(connectionId: string): readonly StoredJob[] {
    return this.#read(connectionId).entries;
  }

  /** Adds a job, or replaces its entry in place. */
  async put(connectionId: string, job: StoredJob): Promise<void> {
    const jobs = this.recent(connectionId);
    const isKnown = jobs.some(({ id }) => id === job.id);
    await this.#store(connectionId, isKnown ? jobs.map((old) => (old.id === job.id ? job : old)) : [job, ...jobs]);
  }

  find(connectionId: string, jobId: string): StoredJob | undefined {
    return this.recent(connectionId).find(({ id }) => id === jobId);
  }

  async remove(connectionId: string, jobIds: readonly string[]): Promise<void> {
    await this.#store(
      connectionId,
      this.recent(connectionId).filter(({ id }) => !jobIds.includes(id)),
    );
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #read(connectionId: string): StoredEntries<StoredJob> {
    return storedEntries(StoredJob, this.#storage.get(keyOf(connectionId)));
  }

  async #store(connectionId: string, jobs: readonly StoredJob[]): Promise<void> {
    const { others } = this.#read(connectionId);
    await this.#storage.update(keyOf(connectionId), [...jobs, ...others].slice(0, MAX_STORED_JOBS));
    this.#changed.fire(connectionId);
  }
}
