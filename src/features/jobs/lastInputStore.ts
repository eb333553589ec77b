import * as z from 'zod';
import { JobRequest } from '../../contract/job.ts';
import { stateKey, type StateStorage } from '../../account/connections/connectionState.ts';
import { isObject } from './model/jobInput.ts';

/** Maximum number of endpoints per connection. */
const MAX_ENDPOINTS = 20;
/** Maximum length of a stored body, in UTF-16 code units. Larger inputs, such as encoded images, belong in job files. */
const MAX_CHARACTERS = 64 * 1024;

const Stored = z.record(z.string(), z.unknown());

const keyOf = (connectionId: string) => stateKey(connectionId, 'jobs.lastInputs');

/** Stores the last job body sent to each endpoint of a connection, in the state of the workspace. */
export class LastInputStore {
  readonly #storage: StateStorage;

  constructor(storage: StateStorage) {
    this.#storage = storage;
  }

  get(connectionId: string, endpointId: string): JobRequest | undefined {
    return readInputs(this.#storage.get(keyOf(connectionId)))[endpointId];
  }

  async put(connectionId: string, endpointId: string, body: JobRequest): Promise<void> {
    const { [endpointId]: replaced, ...others } = readInputs(this.#storage.get(keyOf(connectionId)));
    const isKept = JSON.stringify(body).length <= MAX_CHARACTERS;
    const kept = Object.entries(others).slice(-MAX_ENDPOINTS + 1);
    await this.#storage.update(keyOf(connectionId), Object.fromEntries(isKept ? [...kept, [endpointId, body]] : kept));
  }
}

/** Returns the stored inputs by endpoint ID. Omits invalid inputs. */
function readInputs(stored: unknown): Readonly<Record<string, JobRequest>> {
  const readable = Object.entries(Stored.safeParse(stored).data ?? {}).flatMap(([endpointId, body]) => {
    const parsed = JobRequest.safeParse(body);
    return parsed.success && isObject(parsed.data.input) ? [[endpointId, parsed.data] as const] : [];
  });
  return Object.fromEntries(readable);
}
