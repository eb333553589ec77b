import * as z from 'zod';
import { Emitter } from '../../vscode/emitter.ts';
import { stateKey, type StateStorage } from '../connections/connectionState.ts';
import { storedEntries, type StoredEntries } from '../storedEntries.ts';

export const StoredJob = z.object({
  id: z.string(),
  endpointId: z.string(),
  endpointName: z.string(),
  /** Time at which the submission was sent, in ms since the epoch. */
  submittedAt: z.number(),
  /**
   * Time at which the response to the submission arrived, in ms since the epoch. The platform accepted the job between the two times.
   */
  answeredAt: z.number().optional(),
  status: z.string(),
  /** Time in the queue and execution time, in ms. */
  delayTime: z.number().optional(),
  executionTime: z.number().optional(),
  workerId: z.string().optional(),
  /** Time at which this editor saw the end of the job, in ms since the epoch. */
  endedAt: z.number().optional(),
  /** Price of one worker in USD per hour: that of the job's worker, or the highest one that its endpoint allows. */
  pricePerHour: z.number().optional(),
  /** Whether the price is that of the job's worker. */
  isWorkerPrice: z.boolean().optional(),
  /** Address of the job file. */
  file: z.string().optional(),
  /** Whether the platform no longer has the job. */
  gone: z.boolean().optional(),
  /** Reason why this machine does not store the request. */
  notStored: z.enum(['tooLarge', 'secret', 'submittedElsewhere']).optional().catch(undefined),
});
/** A job that this editor submitted. Its input and output are not part of it, because they can be private. */
export type StoredJob = z.infer<typeof StoredJob>;

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
