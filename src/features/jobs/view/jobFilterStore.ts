import * as z from 'zod';
import { Emitter } from '../../../kit/emitter.ts';
import { stateKey, type StateStorage } from '../../../kit/keyedState.ts';
import { EVERY_JOB, isFiltering, type JobFilter } from './jobFilter.ts';
import { JOB_STATES } from './jobRows.ts';

const Stored = z.object({ states: z.array(z.enum(JOB_STATES)), endpointIds: z.array(z.string()) });

const keyOf = (connectionId: string) => stateKey(connectionId, 'jobs.filter');

/** Stores the filter of the jobs view for each connection, in the state of the workspace. */
export class JobFilterStore {
  readonly #storage: StateStorage;
  readonly #changed = new Emitter<string>();
  /** Fires with the ID of the connection whose filter changed. */
  readonly onDidChange = this.#changed.event;

  constructor(storage: StateStorage) {
    this.#storage = storage;
  }

  get(connectionId: string): JobFilter {
    return Stored.safeParse(this.#storage.get(keyOf(connectionId))).data ?? EVERY_JOB;
  }

  async set(connectionId: string, filter: JobFilter): Promise<void> {
    await this.#storage.update(keyOf(connectionId), isFiltering(filter) ? filter : undefined);
    this.#changed.fire(connectionId);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
