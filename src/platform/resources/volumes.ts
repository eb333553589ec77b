import { usesVolume } from '../domain/references.ts';
import { notFound } from '../domain/refusal.ts';
import type { Collection, Store } from '../store/store.ts';
import { refuseInUse } from './inUse.ts';
import type { VolumeDirectories } from './volumeDirectories.ts';

/** What network and global volumes have in common: each is a record and a directory. */
export class Volumes<Volume extends { readonly id: string; readonly name: string }> {
  readonly #kind: string;
  readonly #store: Store;
  readonly #records: Collection<Volume>;
  readonly #directories: VolumeDirectories;
  /** Volumes whose directory is being removed: nothing may begin to use them. */
  readonly #leaving = new Set<string>();

  constructor(kind: string, store: Store, records: Collection<Volume>, directories: VolumeDirectories) {
    this.#kind = kind;
    this.#store = store;
    this.#records = records;
    this.#directories = directories;
  }

  list(): Volume[] {
    return this.#records.list().filter(({ id }) => !this.#leaving.has(id));
  }

  has(id: string): boolean {
    return !this.#leaving.has(id) && this.#records.get(id) !== undefined;
  }

  /** @throws Refusal 404 */
  get(id: string): Volume {
    const volume = this.#leaving.has(id) ? undefined : this.#records.get(id);
    if (!volume) throw notFound(`${this.#kind} '${id}'`);
    return volume;
  }

  add(volume: Volume): Volume {
    this.#directories.of(volume.id);
    this.#records.insert(volume);
    return volume;
  }

  update(volume: Volume): Volume {
    this.#records.update(volume);
    return volume;
  }

  /**
   * Deletes the volume with all that is on it: the directory first, so that nothing is left behind that no record knows.
   *
   * @throws Refusal 400 while an endpoint mounts it; 404
   */
  async delete(id: string): Promise<void> {
    const { name } = this.get(id);
    refuseInUse(
      `${this.#kind} '${name}'`,
      this.#store.listEndpoints().filter((endpoint) => usesVolume(endpoint, id)),
    );
    this.#leaving.add(id);
    try {
      await this.#directories.remove(id);
      this.#records.delete(id);
    } finally {
      this.#leaving.delete(id);
    }
  }
}
