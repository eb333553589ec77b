import type { Secrets } from '../../account/connections/connectionVault.ts';
import { hashedName } from '../../text/fileNames.ts';
import type { ReplayValues } from './actions/readEnvironment.ts';

/** Prefix of the keys in secret storage. */
const PREFIX = 'cloudCompute.replay.value/';

/** Values that the user gave for the replays of one manifest or endpoint. They are in the editor's secret storage only. */
export class ReplayValueStore implements ReplayValues {
  readonly #secrets: Secrets;
  readonly #prefix: string;

  /** @param owner path of the manifest, or ID of the endpoint with its connection */
  constructor(secrets: Secrets, owner: string) {
    this.#secrets = secrets;
    this.#prefix = `${PREFIX}${hashedName(owner)}/`;
  }

  get(name: string): PromiseLike<string | undefined> {
    return this.#secrets.get(this.#prefix + name);
  }

  async set(name: string, value: string): Promise<void> {
    await this.#secrets.store(this.#prefix + name, value);
  }

  async forget(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#secrets.delete(this.#prefix + name);
  }
}
