import { JobRequest } from '../../contract/job.ts';
import { KeyedState, type StateStorage } from '../../kit/keyedState.ts';
import { isObject } from './model/jobInput.ts';

/** Maximum length of a stored body, in UTF-16 code units. Larger inputs, such as encoded images, belong in job files. */
const MAX_CHARACTERS = 64 * 1024;

/** Stores the last job body sent to each endpoint of a connection, in the state of the workspace. */
export class LastInputStore {
  readonly #inputs: KeyedState<JobRequest>;

  constructor(storage: StateStorage) {
    const schema = JobRequest.refine(({ input }) => isObject(input));
    this.#inputs = new KeyedState(storage, { name: 'jobs.lastInputs', schema, max: 20 });
  }

  get(connectionId: string, endpointId: string): JobRequest | undefined {
    return this.#inputs.get(connectionId, endpointId);
  }

  async put(connectionId: string, endpointId: string, body: JobRequest): Promise<void> {
    const isKept = JSON.stringify(body).length <= MAX_CHARACTERS;
    await this.#inputs.change(connectionId, [[endpointId, isKept ? body : undefined]]);
  }
}
