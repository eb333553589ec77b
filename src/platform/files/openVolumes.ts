import type { NetworkVolumeRecord } from '../domain/networkVolume.ts';
import type { Resources } from '../resources/resources.ts';
import type { Clock } from '../time/clock.ts';
import { Uploads } from './uploads.ts';
import { VolumeFiles } from './volumeFiles.ts';
import { VolumeSpace } from './volumeSpace.ts';

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
