import type { PulledLayer } from '../../domain/workerTraceEvent.ts';
import type { PullLine } from './pullProgress.ts';

/** Maximum number of layers. An image has at most 127. */
const MAX_LAYERS = 200;

interface Layer {
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
  readonly #layers = new Map<string, Layer>();

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

  #add(id: string, layer: Layer): Layer {
    if (this.#layers.size < MAX_LAYERS) this.#layers.set(id, layer);
    return layer;
  }
}
