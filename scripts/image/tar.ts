import { createReadStream } from 'node:fs';

/** An entry of a tar archive. Its path is relative and has no trailing slash. */
export type TarEntry = {
  readonly path: string;
  /** Permissions. */
  readonly mode: number;
  /** ID of the user and of the group. */
  readonly owner: number;
} & (
  | { readonly kind: 'directory' }
  | { readonly kind: 'file'; readonly content: Uint8Array | string }
  /** @property size in bytes */
  | { readonly kind: 'copy'; readonly file: string; readonly size: number }
);

const BLOCK = 512;
const MAX_NAME = 100;
const MAX_PREFIX = 155;
/** Largest size that the field for it can contain. */
const MAX_SIZE = 0o77777777777;

/**
 * Yields a tar archive in the ustar format. All times are 0, so that equal entries give equal bytes.
 *
 * @throws Error for a path that is too long, or a file whose size differs; the file system's error
 */
export async function* tarOf(entries: Iterable<TarEntry>): AsyncGenerator<Uint8Array, void, undefined> {
  for (const entry of entries) {
    const size = sizeOf(entry);
    yield headerOf(entry, size);
    if (entry.kind === 'directory') continue;
    if (entry.kind === 'file') yield Buffer.from(entry.content);
    else yield* copyOf(entry);
    yield Buffer.alloc(-size & (BLOCK - 1));
  }
  yield Buffer.alloc(2 * BLOCK);
}

function sizeOf(entry: TarEntry): number {
  if (entry.kind === 'directory') return 0;
  return entry.kind === 'file' ? Buffer.byteLength(entry.content) : entry.size;
}

async function* copyOf({ file, size }: { file: string; size: number }): AsyncGenerator<Buffer, void, undefined> {
  let read = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    read += chunk.length;
    yield chunk;
  }
  if (read !== size) throw new Error(`${file} changed while it was read: it has ${read} bytes instead of ${size}`);
}

function headerOf(entry: TarEntry, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const text = (value: string, at: number): number => header.write(value, at, 'utf8');
  const octal = (value: number, at: number, digits: number): number =>
    text(value.toString(8).padStart(digits, '0'), at);
  const isDirectory = entry.kind === 'directory';
  const { prefix, name } = splitPath(isDirectory ? `${entry.path}/` : entry.path);
  if (size > MAX_SIZE) throw new Error(`${entry.path} is too large for an image: ${size} bytes`);
  text(name, 0);
  octal(entry.mode, 100, 7);
  octal(entry.owner, 108, 7);
  octal(entry.owner, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  // The checksum is computed with spaces in its place.
  text(' '.repeat(8), 148);
  text(isDirectory ? '5' : '0', 156);
  text('ustar\x0000', 257);
  text(prefix, 345);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  header[154] = 0;
  return header;
}

/** Splits a path that is longer than the field for names at one of its slashes. */
function splitPath(path: string): { prefix: string; name: string } {
  if (Buffer.byteLength(path) <= MAX_NAME) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at > 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(name) <= MAX_NAME && Buffer.byteLength(prefix) <= MAX_PREFIX) return { prefix, name };
  }
  throw new Error(`the path ${path} is too long for an image`);
}
