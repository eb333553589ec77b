import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import { followStream, type StreamEvent } from '../actions/followStream.ts';
import type { ConnectedJob } from '../results/jobAddress.ts';
import type { JobDocuments } from '../results/jobDocuments.ts';

/** Time in which the rest of a stream is read after the job has ended, in ms. */
const MAX_REST_MS = 5_000;

interface LiveStreamOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly documents: JobDocuments;
  readonly address: ConnectedJob;
  /** Shows the document of the stream. Called with the first chunk. */
  readonly show: () => void;
  /** Receives the chunks too. */
  readonly onChunks?: ((outputs: readonly unknown[]) => void) | undefined;
}

/** The stream of one job, from its start to the last chunk. A job without chunks has no document. */
export class LiveStream {
  readonly #options: LiveStreamOptions;
  readonly #stop = new AbortController();
  #lives = true;
  #isShown = false;
  #reading: Promise<void> | undefined;

  constructor(options: LiveStreamOptions) {
    this.#options = options;
  }

  /** Begins to read the chunks. A second call has no effect. */
  start(): void {
    this.#reading ??= this.#read();
  }

  /** Whether there was a chunk. */
  get hasChunks(): boolean {
    return this.#isShown;
  }

  /** Resolves once the rest of the stream of an ended job is read. */
  async end(): Promise<void> {
    if (!this.#reading) return;
    this.#lives = false;
    const over = new AbortController();
    const limit = this.#options.clock.sleep(MAX_REST_MS, over.signal).then(
      () => this.#stop.abort(),
      () => undefined,
    );
    await this.#reading;
    over.abort();
    await limit;
  }

  async #read(): Promise<void> {
    const { client, documents, address } = this.#options;
    await followStream({
      client,
      address: { endpointId: address.endpointId, jobId: address.jobId },
      signal: this.#stop.signal,
      lives: () => this.#lives,
      onEvent: (event) => this.#take(event),
    });
    if (this.#isShown) documents.stream(address, (loaded) => loaded.endStream());
  }

  #take(event: StreamEvent): void {
    const { documents, address, show, onChunks } = this.#options;
    if (event.kind === 'chunks') onChunks?.(event.outputs);
    documents.stream(address, (loaded) => {
      if (event.kind === 'chunks') loaded.append(event.outputs);
      else loaded.interruptStream();
    });
    if (this.#isShown || event.kind !== 'chunks') return;
    this.#isShown = true;
    show();
  }
}
