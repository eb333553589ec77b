import { createHash } from 'node:crypto';

/** Returns the name of a file or folder for an ID. It is valid in every file system, although IDs of platforms can contain any characters. */
export function hashedName(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 32);
}

/** Longest name that becomes a part of a file name, in UTF-16 code units. */
const LONGEST_STEM = 100;

/** Returns a part of a file name, without characters that a file system or a pattern could reject. @param otherwise for a name without others */
export function fileStem(name: string, otherwise: string): string {
  const safe = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[.-]+|[.-]+$/g, '');
  return safe.slice(0, LONGEST_STEM) || otherwise;
}
