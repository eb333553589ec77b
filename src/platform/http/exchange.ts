import type { IncomingMessage, ServerResponse } from 'node:http';
import { whenClosed } from './connections.ts';

/** A request and its response, as Node's own objects. Derived values are computed on first use. */
export class Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Path as sent, without the query. */
  readonly path: string;
  /** Decoded values of the parameters in the path's template. */
  parameters: Readonly<Record<string, string>> = {};
  #signal: AbortSignal | undefined;
  readonly #search: string;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    const target = originForm(incoming.url ?? '');
    const end = target.indexOf('?');
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.path = end === -1 ? target : target.slice(0, end);
    this.#search = end === -1 ? '' : target.slice(end + 1);
  }

  get method(): string {
    return this.incoming.method ?? '';
  }

  /** Query parameters, without a prototype. If a name occurs more than once, its first value counts. */
  get query(): Record<string, string> {
    const query = Object.create(null) as Record<string, string>;
    if (this.#search !== '') for (const [name, value] of new URLSearchParams(this.#search)) query[name] ??= value;
    return query;
  }

  /** Aborted when the caller disconnects. */
  get signal(): AbortSignal {
    return (this.#signal ??= whenClosed(this.outgoing));
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name.toLowerCase()];
    return typeof value === 'object' ? value.join(', ') : value;
  }
}

/** Converts an absolute URL, which clients send to proxies (RFC 9112, section 3.2.2), to a path with its query. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url ? url.pathname + url.search : target;
}
