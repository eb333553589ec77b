import { Buffer } from 'buffer';

/** Error of a file, with the code that Node.js has for it. */
export class FileError extends Error {
  readonly code: string;

  constructor(code: string, path: string) {
    super(`${code}: ${path}`);
    this.name = 'FileError';
    this.code = code;
  }
}

/** A file in memory. Its bytes are in a buffer that grows, so that many small appends are fast. */
export class MemoryFile {
  #bytes = Buffer.alloc(0);
  #size = 0;
  mtimeMs = Date.now();

  get size(): number {
    return this.#size;
  }

  /** Returns a copy of all bytes. */
  content(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#size));
  }

  append(data: Uint8Array): void {
    const size = this.#size + data.length;
    if (size > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(size, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = grown;
    }
    this.#bytes.set(data, this.#size);
    this.#size = size;
    this.mtimeMs = Date.now();
  }

  truncate(size: number): void {
    this.#size = Math.min(size, this.#size);
    this.mtimeMs = Date.now();
  }

  /** Copies bytes from a position to `target`. Returns their number. */
  read(target: Uint8Array, offset: number, length: number, position: number): number {
    const bytes = this.#bytes.subarray(position, Math.min(position + length, this.#size));
    target.set(bytes, offset);
    return bytes.length;
  }
}

export interface MemoryFolder {
  readonly kind: 'folder';
  mtimeMs: number;
}

/**
 * Files and folders in memory, by their absolute paths. They belong to one extension host, so they end when the window is closed or
 * reloaded.
 */
export class MemoryFiles {
  readonly #entries = new Map<string, MemoryFile | MemoryFolder>();

  find(path: string): MemoryFile | MemoryFolder | undefined {
    const key = normalized(path);
    return key === '/' ? { kind: 'folder', mtimeMs: 0 } : this.#entries.get(key);
  }

  /** @throws FileError */
  get(path: string): MemoryFile | MemoryFolder {
    const found = this.find(path);
    if (!found) throw new FileError('ENOENT', path);
    return found;
  }

  /** @throws FileError */
  file(path: string): MemoryFile {
    const found = this.get(path);
    if (!(found instanceof MemoryFile)) throw new FileError('EISDIR', path);
    return found;
  }

  /** Returns the file at a path, or creates it in an existing folder. @throws FileError */
  create(path: string, { exclusive = false } = {}): MemoryFile {
    const found = this.find(path);
    if (found && exclusive) throw new FileError('EEXIST', path);
    if (found) return this.file(path);
    this.#requireFolder(parentOf(path));
    const file = new MemoryFile();
    this.#entries.set(normalized(path), file);
    return file;
  }

  makeFolder(path: string, { recursive = false } = {}): void {
    const found = this.find(path);
    if (found instanceof MemoryFile || (found && !recursive)) throw new FileError('EEXIST', path);
    if (found) return;
    if (recursive) this.makeFolder(parentOf(path), { recursive });
    else this.#requireFolder(parentOf(path));
    this.#entries.set(normalized(path), { kind: 'folder', mtimeMs: Date.now() });
  }

  /** Returns the names in a folder. @throws FileError */
  names(path: string): string[] {
    this.#requireFolder(path);
    const prefix = prefixOf(path);
    return [...this.#entries.keys()]
      .filter((key) => key.startsWith(prefix) && !key.slice(prefix.length).includes('/'))
      .map((key) => key.slice(prefix.length));
  }

  remove(path: string, { recursive = false, force = false } = {}): void {
    const found = this.find(path);
    if (!found && force) return;
    if (!found) throw new FileError('ENOENT', path);
    if (!(found instanceof MemoryFile) && !recursive) throw new FileError('EISDIR', path);
    for (const key of this.#keysOf(path)) this.#entries.delete(key);
  }

  /** Moves a file or folder. A file is replaced, a folder that is not empty is not. @throws FileError */
  rename(from: string, to: string): void {
    this.get(from);
    const target = this.find(to);
    if (target && !(target instanceof MemoryFile) && this.names(to).length > 0) throw new FileError('ENOTEMPTY', to);
    this.#requireFolder(parentOf(to));
    const [oldKey, newKey] = [normalized(from), normalized(to)];
    if (oldKey === newKey) return;
    for (const key of this.#keysOf(from)) {
      const entry = this.#entries.get(key);
      this.#entries.delete(key);
      if (entry) this.#entries.set(newKey + key.slice(oldKey.length), entry);
    }
  }

  #keysOf(path: string): string[] {
    const [key, prefix] = [normalized(path), prefixOf(path)];
    return [...this.#entries.keys()].filter((one) => one === key || one.startsWith(prefix));
  }

  #requireFolder(path: string): void {
    if (this.get(path) instanceof MemoryFile) throw new FileError('ENOTDIR', path);
  }
}

/** Returns a path with slashes and without a slash at the end. In a browser on Windows, `Uri.fsPath` contains backslashes. */
function normalized(path: string): string {
  return `/${path.replaceAll('\\', '/').split('/').filter(Boolean).join('/')}`;
}

const prefixOf = (path: string): string => (normalized(path) === '/' ? '/' : `${normalized(path)}/`);
const parentOf = (path: string): string => normalized(normalized(path).replace(/\/[^/]*$/, ''));
