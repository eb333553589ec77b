import type { ResponseEnd, ResponseHead } from '../actions/sendRequest.ts';
import type { ResolvedRequest } from '../model/httpFile.ts';
import type { ExchangeState, ShownResponse } from '../responses/responseText.ts';
import type { RouteSocket } from '../../../client/openSocket.ts';
import { FrameLog } from '../sockets/frameLog.ts';

/** Place from which a request was sent. */
export interface Origin {
  readonly connectionId: string;
  /** Address of the HTTP file. */
  readonly file: string | undefined;
}

/** A request that was sent in this session, and its response as far as it has arrived. Only in memory. */
export class Exchange {
  readonly id: string;
  readonly request: ResolvedRequest;
  readonly origin: Origin;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  /** Messages of a WebSocket. */
  readonly log: FrameLog | undefined;
  /** The connection of an open WebSocket. */
  socket: RouteSocket | undefined;
  readonly #cancellation = new AbortController();
  readonly #changed: () => void;
  #state: ExchangeState = { kind: 'waiting' };
  #head: ResponseHead | undefined;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #totalMs: number | undefined;
  #isBodyDropped = false;

  constructor(init: Pick<Exchange, 'id' | 'request' | 'origin' | 'sentAt'>, changed: () => void) {
    this.id = init.id;
    this.request = init.request;
    this.origin = init.origin;
    this.sentAt = init.sentAt;
    this.log = init.request.method === 'WEBSOCKET' ? new FrameLog() : undefined;
    this.#changed = changed;
  }

  get state(): ExchangeState {
    return this.#state;
  }

  get head(): ResponseHead | undefined {
    return this.#head;
  }

  /** Received bytes. */
  get size(): number {
    return this.#size;
  }

  get totalMs(): number | undefined {
    return this.#totalMs;
  }

  get isActive(): boolean {
    return this.#state.kind === 'waiting' || this.#state.kind === 'receiving';
  }

  /** Aborted when the user cancels the request. */
  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  /** Received part of the body. Undefined if it is no longer in memory. */
  get body(): Uint8Array | undefined {
    if (this.#isBodyDropped) return undefined;
    const [only, ...others] = this.#chunks;
    if (only && others.length === 0) return only;
    const body = new Uint8Array(Buffer.concat(this.#chunks));
    this.#chunks = [body];
    return body;
  }

  get shown(): ShownResponse {
    return { state: this.#state, head: this.#head, body: this.body, size: this.#size, totalMs: this.#totalMs };
  }

  begin(head: ResponseHead): void {
    this.#head = head;
    this.#state = { kind: 'receiving' };
    this.#changed();
  }

  receive(chunk: Uint8Array): void {
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    this.#changed();
  }

  /** Reports a new entry of the log. @param received size of a received message, in bytes */
  logged(received = 0): void {
    this.#size += received;
    this.#changed();
  }

  end(end: ResponseEnd | Extract<ExchangeState, { readonly kind: 'failed' }>, totalMs: number | undefined): void {
    this.#state = end;
    this.#totalMs = totalMs;
    this.socket = undefined;
    this.#changed();
  }

  cancel(): void {
    this.#cancellation.abort();
  }

  /** Releases the memory of the body. */
  dropBody(): void {
    this.#chunks = [];
    this.#isBodyDropped = true;
  }
}
