import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type FrozenFile, hasFile } from './databaseFile.ts';
import { writeSnapshot } from './snapshot.ts';
import type { SnapshotAnswer } from './snapshotProcess.ts';

/** The entry point is in the same folder as this file, both in the sources and in the bundle. */
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './snapshotProcess.ts' : './snapshotProcess.js',
  import.meta.url,
);

/** Files of a store at one moment. */
interface FrozenStore {
  readonly main: FrozenFile;
  readonly logs: FrozenFile;
}

/**
 * Writes snapshots in another process, one at a time. A thread would not suffice: on POSIX systems, a process loses its locks on a file as
 * soon as any of its threads closes the file.
 */
export class SnapshotWriter {
  readonly #freeze: (file: string) => FrozenStore;
  readonly #inMemory: boolean;
  #last: Promise<void> = Promise.resolve();
  #child: ChildProcess | undefined;
  #closed = false;

  /** @param freeze freezes the store at path `path` for a snapshot in a new file */
  constructor(path: string, freeze: (file: string) => FrozenStore) {
    this.#inMemory = !hasFile(path);
    this.#freeze = freeze;
  }

  /**
   * Writes the contents of the store into a new file.
   *
   * @param begin called immediately before the moment of the snapshot
   * @throws the store's error, such as a full disk
   */
  write(file: string, begin: () => void): Promise<void> {
    const written = this.#last.then(() => this.#write(file, begin));
    this.#last = written.catch(() => undefined);
    return written;
  }

  /** Ends a snapshot that is being written. */
  close(): void {
    this.#closed = true;
    this.#child?.kill('SIGKILL');
  }

  async #write(file: string, begin: () => void): Promise<void> {
    if (this.#closed) throw new Error('the store is closed');
    begin();
    const { main, logs } = this.#freeze(file);
    try {
      if (this.#inMemory) writeSnapshot({ main: main.path, logs: logs.path }, file);
      else await this.#inProcess([main.path, logs.path, file]);
    } finally {
      main.release();
      logs.release();
    }
  }

  async #inProcess(files: readonly string[]): Promise<void> {
    const child = (this.#child = fork(ENTRY, files, { execArgv: [] }));
    let answer: SnapshotAnswer | undefined;
    child.once('message', (message) => (answer = message as SnapshotAnswer));
    try {
      const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
      if (!answer) throw new Error(`the process that writes a snapshot ended with ${code ?? signal ?? 'no status'}`);
      if (answer.failure) throw Object.assign(new Error(answer.failure.message), answer.failure);
    } finally {
      this.#child = undefined;
    }
  }
}
