import { createHash } from 'node:crypto';

/** Returns the name of a file or folder for an ID. It is valid in every file system, although IDs of platforms can contain any characters. */
export function hashedName(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 32);
}
