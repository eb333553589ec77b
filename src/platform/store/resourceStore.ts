import type { GlobalVolumeRecord } from '../domain/globalVolume.ts';
import type { NetworkVolumeRecord } from '../domain/networkVolume.ts';
import type { RegistryRecord } from '../domain/registry.ts';
import type { TemplateRecord } from '../domain/template.ts';

/** Records of one kind, with unique IDs. */
export interface Collection<Entry extends { readonly id: string }> {
  insert(entry: Entry): void;
  /** Replaces the entry with the same ID. Does nothing if there is none. */
  update(entry: Entry): void;
  /** @returns true if the entry existed */
  delete(id: string): boolean;
  get(id: string): Entry | undefined;
  /** Returns the entries in order of insertion. */
  list(): Entry[];
}

/** Resources of an account, except its endpoints. */
export interface ResourceStore {
  readonly templates: Collection<TemplateRecord>;
  readonly registries: Collection<RegistryRecord>;
  readonly networkVolumes: Collection<NetworkVolumeRecord>;
  readonly globalVolumes: Collection<GlobalVolumeRecord>;
}

/** The resources of all accounts. */
export interface ResourceStores {
  /** Returns the resources of one account. They exclude those of every other account. */
  of(accountId: string): ResourceStore;
  /** Returns the public templates of all accounts. */
  listPublicTemplates(): TemplateRecord[];
}
