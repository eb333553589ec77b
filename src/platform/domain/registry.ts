import type { Registry } from '../../contract/registry.ts';

/** A container registry credential in the store. */
export interface RegistryRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  /** Encrypted user name and password. They are only used to pull images and never appear in a response. */
  readonly sealed: string;
}

export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
}

export function registryAnswer({ id, name }: RegistryRecord): Registry {
  return { id, name };
}
