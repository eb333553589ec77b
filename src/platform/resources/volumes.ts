import type { Usage } from '../domain/metering.ts';
import { usesVolume, type AccountContext, refuseInUse } from './context.ts';
import { notFound } from '../domain/refusal.ts';
import type { Collection } from '../store/store.ts';
import type { VolumeDirectories } from './volumeDirectories.ts';

interface VolumeContext<Volume extends { readonly id: string }> extends AccountContext {
  /** Name of the kind in messages. */
  readonly kind: string;
  readonly records: Collection<Volume>;
  readonly directories: VolumeDirectories;
  /** Returns the usage of a volume in its current state. Omitted if the volume is free. */
  readonly usageOf?: (volume: Volume, now: number) => Usage;
}

/** Volumes of one kind. A volume is a record and a directory, and its cost depends on its size. */
export class Volumes<Volume extends { readonly id: string; readonly name: string }> {
  readonly #context: VolumeContext<Volume>;

  constructor(context: VolumeContext<Volume>) {
    this.#context = context;
  }

  list(): Volume[] {
    return this.#context.records.list();
  }

  find(id: string): Volume | undefined {
    return this.#context.records.get(id);
  }

  /** @throws Refusal 404 */
  get(id: string): Volume {
    const volume = this.find(id);
    if (!volume) throw notFound(`${this.#context.kind} '${id}'`);
    return volume;
  }

  add(volume: Volume): Volume {
    const { store, records, directories, clock } = this.#context;
    directories.of(volume.id);
    store.transaction((transaction) => {
      // If the directory cannot be removed, it only takes up disk space.
      transaction.afterRollback(
        () =>
          void directories
            .setAside(volume.id)
            .remove()
            .catch(() => undefined),
      );
      records.insert(volume);
      const usage = this.#usage(volume, clock.now());
      if (usage) store.usage.start(usage);
    });
    return volume;
  }

  /** @throws Refusal 404 */
  update(id: string, change: (volume: Volume) => Volume): Volume {
    const { store, records, clock } = this.#context;
    const before = this.get(id);
    const after = change(before);
    const now = clock.now();
    const usage = this.#usage(after, now);
    store.transaction(() => {
      records.update(after);
      if (!usage || usage.nanoUsdPerMonth === this.#usage(before, now)?.nanoUsdPerMonth) return;
      store.usage.end(id, now);
      store.usage.start(usage);
    });
    return after;
  }

  /**
   * Deletes the volume and its files. If the deletion cannot be stored, the files stay. Resolves once the files are removed.
   *
   * @throws Refusal 400 while an endpoint mounts it; 404
   */
  async delete(id: string): Promise<void> {
    const { kind, store, endpoints, records, directories, clock } = this.#context;
    const { name } = this.get(id);
    refuseInUse(
      `${kind} '${name}'`,
      endpoints().filter((endpoint) => usesVolume(endpoint, id)),
    );
    const directory = directories.setAside(id);
    store.transaction((transaction) => {
      transaction.afterRollback(() => directory.restore());
      records.delete(id);
      store.usage.end(id, clock.now());
    });
    // A power failure could otherwise restore the record after its files are gone.
    await store.flush();
    // The volume is deleted at this point. Files that cannot be removed now are removed at the next start.
    await directory.remove().catch(() => undefined);
  }

  #usage(volume: Volume, now: number): Usage | undefined {
    const { usageOf, accountId } = this.#context;
    return usageOf && { ...usageOf(volume, now), accountId };
  }
}
