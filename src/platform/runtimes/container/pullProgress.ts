import type { PulledLayer } from '../../domain/workerTraceEvent.ts';

/** A line of the report of a pull. */
export interface PullLine {
  readonly status?: string;
  /** ID of a layer, or a tag. */
  readonly id?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
  readonly error?: string;
}

/** Bytes of a layer. */
interface Layer {
  readonly total: number;
  readonly downloaded: number;
  readonly extracted: number;
}

/** Statuses of a layer that is complete. */
const COMPLETE = ['Pull complete', 'Already exists'];

/** Sums the progress of the layers of a pull. Downloading and extracting a layer count for one half each. */
export class PullProgress {
  readonly #layers = new Map<string, Layer>();
  /** Layers whose sizes are not known yet. */
  readonly #unknown = new Set<string>();
  #highest = 0;

  add({ status, id, progressDetail: { current, total } = {} }: PullLine): void {
    if (status === undefined || id === undefined) return;
    const layer = this.#layers.get(id);
    if (COMPLETE.includes(status)) {
      this.#unknown.delete(id);
      if (layer) this.#layers.set(id, { ...layer, downloaded: layer.total, extracted: layer.total });
    } else if (status === 'Download complete') {
      this.#unknown.delete(id);
      if (layer) this.#layers.set(id, { ...layer, downloaded: layer.total });
    } else if (status === 'Downloading' || status === 'Extracting') {
      if (current === undefined || total === undefined || total <= 0) return;
      this.#unknown.delete(id);
      const bytes = Math.min(current, total);
      const isDownload = status === 'Downloading';
      const downloaded = isDownload ? bytes : total;
      this.#layers.set(id, { total, downloaded, extracted: isDownload ? 0 : bytes });
    } else if (status === 'Pulling fs layer' && !layer) this.#unknown.add(id);
  }

  /**
   * Returns the progress, 0 to 100, which never decreases. An engine reports the size of a layer only once its download begins, so waiting
   * layers count with the mean size of the others. Returns undefined if no size is known.
   */
  percent(): number | undefined {
    if (this.#layers.size === 0) return undefined;
    let [done, total] = [0, 0];
    for (const layer of this.#layers.values()) {
      done += layer.downloaded + layer.extracted;
      total += 2 * layer.total;
    }
    total += (total / this.#layers.size) * this.#unknown.size;
    this.#highest = Math.max(this.#highest, Math.floor((100 * done) / total));
    return this.#highest;
  }
}

/** Maximum number of layers. An image has at most 127. */
const MAX_LAYERS = 200;

interface TimedLayer {
  bytes?: number;
  from: number;
  hasBegun: boolean;
  downloadedAt?: number;
  extractedFrom?: number;
  to?: number;
  isPresent: boolean;
}

/** Measures the layers of a pull. Docker reports the extraction of each layer, and Podman only its download. */
export class LayerTimes {
  readonly #layers = new Map<string, TimedLayer>();

  /** @param now time of the line in ms since the epoch */
  add({ status, id, progressDetail: { total } = {} }: PullLine, now: number): void {
    if (status === undefined || id === undefined || id === '') return;
    const known = this.#layers.get(id);
    switch (status) {
      case 'Pulling fs layer':
      case 'Waiting':
        if (known) known.from = known.hasBegun ? known.from : now;
        else this.#add(id, { from: now, hasBegun: false, isPresent: false });
        break;
      case 'Already exists':
        this.#layers.delete(id);
        this.#add(id, { from: now, hasBegun: true, to: now, isPresent: true });
        break;
      case 'Downloading': {
        const layer = known ?? this.#add(id, { from: now, hasBegun: false, isPresent: false });
        // The engine has a queue of downloads.
        if (!layer.hasBegun) Object.assign(layer, { from: now, hasBegun: true });
        if (total !== undefined && total > 0) layer.bytes = total;
        break;
      }
      case 'Download complete':
        if (known) known.downloadedAt ??= now;
        break;
      case 'Extracting':
        if (!known) break;
        known.downloadedAt ??= now;
        known.extractedFrom ??= now;
        break;
      case 'Pull complete':
        if (known) known.to = now;
        break;
    }
  }

  /** Returns the layers in the order of the engine's report, which is that of the image. @param now end of the pull, in ms since the epoch */
  layers(now: number): PulledLayer[] {
    return [...this.#layers].map(([id, { bytes, from, downloadedAt, extractedFrom, to, isPresent }]) => ({
      id,
      ...(bytes !== undefined && { bytes }),
      from,
      ...(downloadedAt !== undefined && { downloadedAt }),
      ...(extractedFrom !== undefined && { extractedFrom }),
      to: to ?? (extractedFrom === undefined ? downloadedAt : undefined) ?? now,
      isPresent,
    }));
  }

  #add(id: string, layer: TimedLayer): TimedLayer {
    if (this.#layers.size < MAX_LAYERS) this.#layers.set(id, layer);
    return layer;
  }
}
