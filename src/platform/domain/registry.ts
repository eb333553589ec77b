import * as z from 'zod';
import type { Registry } from '../../contract/registry.ts';
import { Moment, Text } from './recordFields.ts';

/** A container registry credential in the store. */
export const RegistryRecord = z.object({
  id: z.string().regex(/^c[a-z0-9]{24}$/),
  name: Text,
  createdAt: Moment,
  /** Encrypted user name and password. They are only used to pull images and never appear in a response. */
  sealed: Text,
});
export type RegistryRecord = Readonly<z.infer<typeof RegistryRecord>>;

export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
}

export function registryAnswer({ id, name }: RegistryRecord): Registry {
  return { id, name };
}
