import type { IncomingMessage, ServerResponse } from 'node:http';
import { whenClosed } from './whenClosed.ts';

/** A request and its answer to be: Node's own objects, and what is read from them when it is asked for. */
export class Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Without the query, as it was sent. */
  readonly path: string;
  /** Of the path's template, decoded. */
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

  /** Of several values of a name the first counts. */
  get query(): Record<string, string> {
    const query: Record<string, string> = {};
    if (this.#search !== '') for (const [name, value] of new URLSearchParams(this.#search)) query[name] ??= value;
    return query;
  }

  /** Aborted when the caller hangs up. */
  get signal(): AbortSignal {
    return (this.#signal ??= whenClosed(this.outgoing));
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name.toLowerCase()];
    return typeof value === 'object' ? value.join(', ') : value;
  }
}

/** Clients that take the platform for a proxy send the whole address (RFC 9112, section 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url ? url.pathname + url.search : target;
}
