import type { GlobalVolumeRecord } from '../domain/globalVolume.ts';
import type { NetworkVolumeRecord } from '../domain/networkVolume.ts';
import type { RegistryRecord } from '../domain/registry.ts';
import type { TemplateRecord } from '../domain/template.ts';

/** Records of one kind, each with an id of its own. */
export interface Collection<Entry extends { readonly id: string }> {
  insert(entry: Entry): void;
  /** Replaces the entry with that id; without one nothing happens. */
  update(entry: Entry): void;
  /** @returns whether there was one */
  delete(id: string): boolean;
  get(id: string): Entry | undefined;
  /** In the order they were inserted. */
  list(): Entry[];
}

/** What an account has beside its endpoints. */
export interface ResourceStore {
  readonly templates: Collection<TemplateRecord>;
  readonly registries: Collection<RegistryRecord>;
  readonly networkVolumes: Collection<NetworkVolumeRecord>;
  readonly globalVolumes: Collection<GlobalVolumeRecord>;
}

/** The resources of all accounts. */
export interface ResourceStores {
  /** Resources of one account. They exclude those of every other account. */
  of(accountId: string): ResourceStore;
  /** Public templates of all accounts. */
  listPublicTemplates(): TemplateRecord[];
}
