import { S3_MAX_KEY_BYTES } from '../../contract/s3/s3Names.ts';
import { S3Failure } from './s3Failure.ts';

/** A key that names a file or a directory in a volume. */
export interface ObjectKey {
  readonly key: string;
  /** Names of the directories and the file. */
  readonly names: readonly string[];
  /** Whether the key ends with a slash. */
  readonly isDirectory: boolean;
}

/** Maximum length of a name in most file systems, in bytes. */
const MAX_NAME_BYTES = 255;
/** Characters, endings, and names that Windows does not allow. */
const WINDOWS_NAME = /[<>:"|?*\\\u0000-\u001f]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Splits a key into the names of its path. Every key that this function returns leads to a place inside a volume.
 *
 * @throws S3Failure KeyTooLongError, InvalidArgument
 */
export function parseKey(key: string, platform: NodeJS.Platform = process.platform): ObjectKey {
  if (Buffer.byteLength(key) > S3_MAX_KEY_BYTES) throw new S3Failure('KeyTooLongError');
  const isDirectory = key.endsWith('/');
  const names = (isDirectory ? key.slice(0, -1) : key).split('/');
  for (const name of names) {
    if (name === '' || name === '.' || name === '..' || name.includes('\0')) {
      throw new S3Failure('InvalidArgument', 'The key must be a path without empty names, "." and "..".');
    }
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new S3Failure('KeyTooLongError');
    if (!name.isWellFormed()) throw new S3Failure('InvalidArgument', 'The key is not valid Unicode.');
    if (platform === 'win32' && WINDOWS_NAME.test(name)) {
      throw new S3Failure('InvalidArgument', 'The file system of the platform does not allow the key.');
    }
  }
  return { key, names, isDirectory };
}

/** Compares keys by their bytes of UTF-8, which is the order of listings. */
export function compareKeys(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)];
    // UTF-16 orders surrogates, which stand for the characters after U+FFFF, before U+E000 to U+FFFF.
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

const rank = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);
