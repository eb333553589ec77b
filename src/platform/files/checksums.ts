import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { S3Checksum } from '../../contract/s3/s3Names.ts';

/** Computes a checksum of bytes that arrive in parts. */
export interface Digest {
  update(bytes: Buffer): void;
  /** Returns the checksum in base64, as headers contain it. */
  end(): string;
}

export function digestOf(algorithm: S3Checksum | 'md5'): Digest {
  if (algorithm === 'crc32') return crcDigest((bytes, value) => crc32(bytes, value));
  if (algorithm === 'crc32c') return crcDigest(crc32c);
  const digest = createHash(algorithm);
  return { update: (bytes) => void digest.update(bytes), end: () => digest.digest('base64') };
}

function crcDigest(next: (bytes: Buffer, value: number) => number): Digest {
  let value = 0;
  return {
    update: (bytes) => {
      value = next(bytes, value);
    },
    end: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes.toString('base64');
    },
  };
}

/** Reversed polynomial of CRC-32C (Castagnoli). */
const CASTAGNOLI = 0x82f63b78;
let table: Int32Array | undefined;

function crc32c(bytes: Buffer, value: number): number {
  table ??= Int32Array.from({ length: 256 }, (_, index) => {
    let entry = index;
    for (let bit = 0; bit < 8; bit++) entry = (entry & 1) === 1 ? (entry >>> 1) ^ CASTAGNOLI : entry >>> 1;
    return entry;
  });
  let crc = ~value;
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}
