import type { Registry } from '../../contract/registry.ts';

/** A container registry credential as it is stored. */
export interface RegistryRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  /** User name and password, encrypted: they are never answered, only used to pull images. */
  readonly sealed: string;
}

export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
}

export function registryAnswer({ id, name }: RegistryRecord): Registry {
  return { id, name };
}
