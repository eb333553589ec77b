import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { tarOf, type TarEntry } from './tar.ts';

/** A file of an image archive that is named by its digest. */
export interface Blob {
  /** Such as `sha256:0123…`. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  readonly file: string;
}

export interface Layer extends Blob {
  readonly name: string;
  /** Digest of the layer without compression. */
  readonly diffId: string;
  /** In bytes. */
  readonly unpackedSize: number;
}

/** Writes a layer with these entries to a folder. */
export async function writeLayer(folder: string, name: string, entries: readonly TarEntry[]): Promise<Layer> {
  const file = path.join(folder, name);
  const [plain, compressed] = [measure(), measure()];
  // The header of gzip contains neither a time nor a name, so equal entries give an equal digest.
  await pipeline(Readable.from(tarOf(entries)), plain.stream, createGzip(), compressed.stream, createWriteStream(file));
  const { digest: diffId, size: unpackedSize } = plain.result();
  return { ...(await named(file, compressed.result())), name, diffId, unpackedSize };
}

/** Writes a JSON document to a folder. */
export async function writeDocument(folder: string, name: string, document: object): Promise<Blob> {
  const file = path.join(folder, name);
  const { stream, result } = measure();
  await pipeline(Readable.from([Buffer.from(JSON.stringify(document))]), stream, createWriteStream(file));
  return named(file, result());
}

/** Renames a file to its digest. */
async function named(file: string, { digest, size }: { digest: string; size: number }): Promise<Blob> {
  const own = path.join(path.dirname(file), digest.replace('sha256:', ''));
  await rename(file, own);
  return { digest, size, file: own };
}

/** Returns a stream that passes its data through, and a function that returns the digest and the size of that data. */
function measure() {
  const hash = createHash('sha256');
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ digest: `sha256:${hash.digest('hex')}`, size }) };
}
