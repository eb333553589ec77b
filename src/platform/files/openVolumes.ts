import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { NetworkVolumeRecord } from '../domain/networkVolume.ts';
import type { Resources } from '../resources/resources.ts';
import type { Clock } from '../time/clock.ts';
import { Uploads } from './uploads.ts';
import { VolumeFiles } from './volumeFiles.ts';
import { S3Failure } from './s3Failure.ts';

/** A network volume and its files. */
export interface OpenVolume {
  readonly id: string;
  /** In bytes. */
  readonly capacity: number;
  readonly files: VolumeFiles;
  readonly uploads: Uploads;
  readonly space: VolumeSpace;
}

type Parts = Pick<OpenVolume, 'files' | 'uploads' | 'space'>;

const GIGABYTE = 1_000_000_000;
const HOUR_MS = 3_600_000;

/** The volumes whose files were used. Removes what crashes and unfinished uploads leave. */
export class OpenVolumes {
  readonly #resources: Pick<Resources, 'directoriesOf' | 'networkVolumes'>;
  readonly #clock: Clock;
  readonly #open = new Map<string, Parts>();
  readonly #closed = new AbortController();
  #cancel: (() => void) | undefined;
  #cleaning: Promise<unknown> = Promise.resolve();

  /** @param clock real time */
  constructor(resources: Pick<Resources, 'directoriesOf' | 'networkVolumes'>, clock: Clock) {
    this.#resources = resources;
    this.#clock = clock;
  }

  of({ id, size }: Pick<NetworkVolumeRecord, 'id' | 'size'>): OpenVolume {
    let parts = this.#open.get(id);
    if (!parts) this.#open.set(id, (parts = this.#parts(id)));
    return { id, capacity: size * GIGABYTE, ...parts };
  }

  #parts(id: string): Parts {
    const { directory, state } = this.#resources.directoriesOf(id);
    const files = new VolumeFiles(directory, state, this.#clock);
    const space = new VolumeSpace([directory, files.uploadsDirectory], this.#clock);
    return { files, uploads: new Uploads(files), space };
  }

  /** Removes files that an earlier process did not finish. Call this before the first request. */
  async recover(): Promise<void> {
    for (const volume of this.#resources.networkVolumes()) await this.of(volume).files.removeNewFiles();
  }

  /** Starts the removal of expired uploads and of records without files. */
  start(): void {
    this.#clean(async (volume) => {
      await volume.files.removeOldRecords(this.#closed.signal);
      await volume.uploads.removeExpired(this.#clock.now());
    });
    this.#schedule();
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(HOUR_MS, () => {
      this.#clean((volume) => volume.uploads.removeExpired(this.#clock.now()));
      this.#schedule();
    });
  }

  #clean(work: (volume: OpenVolume) => Promise<void>): void {
    // The next cleaning removes files that cannot be removed now.
    this.#cleaning = this.#cleaning.then(async () => {
      for (const volume of this.#resources.networkVolumes()) {
        if (this.#closed.signal.aborted) return;
        await work(this.of(volume)).catch(() => undefined);
      }
    });
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#cancel?.();
    for (const { files } of this.#open.values()) files.directories.forget();
    await this.#cleaning;
  }
}

/** Time for which a measured size is trusted, in ms, unless the measurement takes long. Workers may write in the meantime. */
const TRUSTED_MS = 30_000;
/** A measurement uses at most about a twentieth of the time. */
const REST = 20;

/** The space that the files of a volume use. Measures the directories now and then, because workers write without the platform. */
class VolumeSpace {
  readonly #directories: readonly string[];
  readonly #clock: Clock;
  #used = 0;
  /** Space for contents that are arriving. */
  #reserved = 0;
  #trustedUntil = -Infinity;
  #measuring: Promise<void> | undefined;

  /** @param clock real time */
  constructor(directories: readonly string[], clock: Clock) {
    this.#directories = directories;
    this.#clock = clock;
  }

  /**
   * Reserves space for contents that are about to arrive.
   *
   * @param capacity size of the volume, in bytes
   * @returns ends the reservation; `isStored` counts the contents as used
   * @throws S3Failure QuotaExceeded
   */
  async reserve(bytes: number, capacity: number): Promise<(isStored: boolean) => void> {
    const fits = (): boolean => this.#used + this.#reserved + bytes <= capacity;
    // Files may have been removed since the last measurement, so a refusal requires a new one.
    if (this.#clock.now() > this.#trustedUntil || !fits()) await this.#measure();
    if (!fits()) throw new S3Failure('QuotaExceeded');
    this.#reserved += bytes;
    return (isStored) => {
      this.#reserved -= bytes;
      if (isStored) this.#used += bytes;
    };
  }

  /** Counts removed contents. */
  release(bytes: number): void {
    this.#used = Math.max(0, this.#used - bytes);
  }

  #measure(): Promise<void> {
    return (this.#measuring ??= this.#measureNow().finally(() => (this.#measuring = undefined)));
  }

  async #measureNow(): Promise<void> {
    const begin = this.#clock.now();
    const sizes = await Promise.all(this.#directories.map(sizeOf));
    this.#used = sizes.reduce((sum, size) => sum + size, 0);
    const now = this.#clock.now();
    this.#trustedUntil = now + Math.max(TRUSTED_MS, REST * (now - begin));
  }
}

/** Number of entries that are measured at the same time. */
const TOGETHER = 64;

/** Returns the size of the files in a directory and below it, in bytes. Follows no links. */
async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  let sum = 0;
  for (let start = 0; start < entries.length; start += TOGETHER) {
    const group = entries.slice(start, start + TOGETHER).filter((entry) => entry.isFile());
    const sizes = await Promise.all(
      group.map(({ name }) =>
        lstat(path.join(directory, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    sum += sizes.reduce((total, size) => total + size, 0);
  }
  for (const entry of entries) if (entry.isDirectory()) sum += await sizeOf(path.join(directory, entry.name));
  return sum;
}
