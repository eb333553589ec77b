import { Emitter } from '../../kit/emitter.ts';
import type { Secrets } from '../connections/connectionVault.ts';
import { isSecretName } from './envReferences.ts';

/** Key of the list of names in the editor's global state. Names are not secret. */
const NAMES = 'cloudCompute.manifest.secretNames';
/** Prefix of the keys in secret storage. The rest of a key is the name of the secret. */
const PREFIX = 'cloudCompute.manifest.secret/';

/** The members of `vscode.Memento` that this module uses. */
export interface NameStorage {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/**
 * Holds the secrets that manifests refer to. All windows share them. The values are in the editor's secret storage and are read only to
 * send them, so that no value stays in memory.
 */
export class SecretStore {
  readonly #secrets: Secrets;
  readonly #storage: NameStorage;
  readonly #changed = new Emitter<void>();
  /** Fired when `names` changes. */
  readonly onDidChange = this.#changed.event;
  readonly #subscription: { dispose(): unknown };
  #names: ReadonlySet<string>;

  constructor(secrets: Secrets, storage: NameStorage) {
    this.#secrets = secrets;
    this.#storage = storage;
    this.#names = storedNames(storage);
    this.#subscription = secrets.onDidChange(({ key }) => {
      if (key.startsWith(PREFIX)) void this.#follow(key.slice(PREFIX.length));
    });
  }

  /** Names of the secrets. The set is replaced when it changes. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Returns the value of a secret, or undefined if there is none. Rejects if secret storage fails. */
  async get(name: string): Promise<string | undefined> {
    if (!isSecretName(name)) return undefined;
    const value = await this.#secrets.get(PREFIX + name);
    // The keyring can lose values, for example when the system is reinstalled.
    if (value === undefined) await this.#list(name, false);
    return value;
  }

  /** Returns all values by name, for `hiddenValues`. Rejects if secret storage fails. */
  async values(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const name of this.#names) {
      const value = await this.get(name);
      if (value !== undefined) found.set(name, value);
    }
    return found;
  }

  /** Adds a secret or replaces its value. Rejects if secret storage fails. */
  async set(name: string, value: string): Promise<void> {
    if (!isSecretName(name)) throw new RangeError('not a name of a secret');
    await this.#secrets.store(PREFIX + name, value);
    await this.#list(name, true);
  }

  /** Deletes a secret. Rejects if secret storage fails. */
  async delete(name: string): Promise<void> {
    await this.#secrets.delete(PREFIX + name);
    await this.#list(name, false);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  /** Follows a change that this or another window made to a value. */
  async #follow(name: string): Promise<void> {
    try {
      await this.#list(name, (await this.#secrets.get(PREFIX + name)) !== undefined);
    } catch {
      // Secret storage fails. The names stay, and the next use of the value reports the failure.
    }
  }

  async #list(name: string, present: boolean): Promise<void> {
    if (this.#names.has(name) === present || !isSecretName(name)) return;
    const next = new Set(this.#names);
    if (present) next.add(name);
    else next.delete(name);
    this.#names = next;
    this.#changed.fire();
    await this.#storage.update(NAMES, secretNames(this));
  }
}

/** Returns the names of the secrets in alphabetical order. */
export function secretNames({ names }: Pick<SecretStore, 'names'>): readonly string[] {
  return [...names].sort((a, b) => a.localeCompare(b, 'en'));
}

function storedNames(storage: NameStorage): ReadonlySet<string> {
  const stored = storage.get(NAMES);
  return new Set(Array.isArray(stored) ? stored.filter((name) => typeof name === 'string' && isSecretName(name)) : []);
}
