import type { Buffer } from 'buffer';
import { FileError, MemoryFile, MemoryFiles, type MemoryFolder } from './memoryFiles.ts';

/*
 * The part of `node:fs/promises` that the stores of features use, in a browser: a file system in memory. It contains only files of the
 * extension's own storage. Files of a workspace are read and written through `vscode.workspace.fs`.
 */

const files = new MemoryFiles();

interface WriteOptions {
  readonly flag?: string;
  readonly mode?: number;
}

type Data = string | Uint8Array;

interface Stats {
  readonly size: number;
  readonly mtimeMs: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

const bytesOf = (data: Data): Uint8Array => (typeof data === 'string' ? new TextEncoder().encode(data) : data);

function statsOf(entry: MemoryFile | MemoryFolder): Stats {
  const isFile = entry instanceof MemoryFile;
  const size = isFile ? entry.size : 0;
  return { size, mtimeMs: entry.mtimeMs, isFile: () => isFile, isDirectory: () => !isFile };
}

/** Runs a change at once, so that each one is complete before the next one. Its error rejects the promise. */
const now = <T>(change: () => T): Promise<T> =>
  new Promise((resolve) => {
    resolve(change());
  });

export const mkdir = (path: string, options?: { recursive?: boolean; mode?: number }): Promise<void> =>
  now(() => files.makeFolder(path, options));
export const rm = (path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> =>
  now(() => files.remove(path, options));
export const rename = (from: string, to: string): Promise<void> => now(() => files.rename(from, to));
export const stat = (path: string): Promise<Stats> => now(() => statsOf(files.get(path)));
/** Files in memory have no links. */
export const link = (): Promise<void> => Promise.reject(new Error('The browser build has no links.'));
export const lstat = (path: string): Promise<Stats> => stat(path);
export const realpath = (path: string): Promise<string> =>
  now(() => {
    files.get(path);
    return path;
  });
export const truncate = (path: string, size: number): Promise<void> => now(() => files.file(path).truncate(size));

interface Entry extends Pick<Stats, 'isFile' | 'isDirectory'> {
  readonly name: string;
  readonly parentPath: string;
}

export function readdir(path: string): Promise<string[]>;
export function readdir(path: string, options: { readonly withFileTypes: true }): Promise<Entry[]>;
export function readdir(path: string, options?: { readonly withFileTypes: true }): Promise<(string | Entry)[]> {
  return now(() => {
    const names = files.names(path);
    if (!options) return names;
    return names.map((name) => ({ ...statsOf(files.get(`${path}/${name}`)), name, parentPath: path }));
  });
}

export function readFile(path: string): Promise<Buffer>;
export function readFile(path: string, encoding: 'utf8'): Promise<string>;
export function readFile(path: string, encoding?: 'utf8'): Promise<Buffer | string> {
  return now(() => {
    const content = files.file(path).content();
    return encoding === undefined ? content : content.toString(encoding);
  });
}

export function writeFile(path: string, data: Data, { flag = 'w' }: WriteOptions = {}): Promise<void> {
  return now(() => {
    const file = files.create(path, { exclusive: flag === 'wx' });
    file.truncate(0);
    file.append(bytesOf(data));
  });
}

export async function mkdtemp(prefix: string): Promise<string> {
  const path = prefix + globalThis.crypto.randomUUID();
  await mkdir(path, { recursive: true });
  return path;
}

/** An open file. */
export interface FileHandle {
  appendFile(data: Data): Promise<void>;
  writeFile(data: Data): Promise<void>;
  readFile(encoding?: 'utf8'): Promise<Buffer | string>;
  read(
    target: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number; readonly buffer: Uint8Array }>;
  truncate(size?: number): Promise<void>;
  stat(): Promise<Stats>;
  sync(): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a file. Permissions do not apply to files in memory. */
export function open(path: string, flag = 'r'): Promise<FileHandle> {
  return now(() => {
    const creates = /^[aw]/.test(flag);
    const file = creates ? files.create(path, { exclusive: flag.includes('x') }) : files.file(path);
    if (flag.startsWith('w')) file.truncate(0);
    let isOpen = true;
    const ready = (): MemoryFile => {
      if (!isOpen) throw new FileError('EBADF', path);
      return file;
    };
    const append = (data: Data): Promise<void> => now(() => ready().append(bytesOf(data)));
    return {
      appendFile: append,
      writeFile: append,
      readFile: (encoding) => now(() => (encoding ? ready().content().toString(encoding) : ready().content())),
      read: (target, offset, length, position) =>
        now(() => ({ bytesRead: ready().read(target, offset, length, position), buffer: target })),
      truncate: (size = 0) => now(() => ready().truncate(size)),
      stat: () => now(() => statsOf(ready())),
      sync: () => now(() => void ready()),
      datasync: () => now(() => void ready()),
      close: () => now(() => void (isOpen = false)),
    };
  });
}

/** A browser has no files on disk. */
export const existsSync = (path: string): boolean => files.find(path) !== undefined;

/** Streams read files of batches, which need files on disk. */
export function createReadStream(path: string): never {
  throw new FileError('ENOSYS', path);
}
