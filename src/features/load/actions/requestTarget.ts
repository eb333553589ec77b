import { ApiError } from '../../../client/apiError.ts';
import { callRoute } from '../../../client/callRoute.ts';
import type { Client } from '../../../client/client.ts';
import { routeLimitOf } from '../../../client/operationTimes.ts';
import type { RouteRequest } from '../../../client/routeRequest.ts';
import { reasonOf } from './jobTarget.ts';
import type { Answer, LoadTarget } from './loadTarget.ts';

/** Returns the request of each arrival in turn. Its variables have new values each time. @throws UserError */
export type NextRequest = () => RouteRequest;

/** Sends requests over HTTP, and reads their responses completely. It sends each one once. */
export class RequestTarget implements LoadTarget {
  readonly #client: Client;
  readonly #next: NextRequest;
  readonly #timeout: number;
  readonly #closed = new AbortController();

  /** @param timeout time limit of the endpoint, in ms */
  constructor(client: Client, next: NextRequest, timeout: number) {
    this.#client = client;
    this.#next = next;
    this.#timeout = routeLimitOf(timeout);
  }

  async send(): Promise<Answer | undefined> {
    const { context } = this.#client;
    const { signal } = this.#closed;
    try {
      const { status, error } = await callRoute(context, this.#next(), { signal, timeout: this.#timeout });
      const endedAt = context.clock.now();
      if (!error) return { outcome: 'completed', endedAt };
      return { outcome: error.kind === 'timeout' ? 'timedOut' : 'failed', endedAt, reason: `HTTP ${status}` };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (signal.aborted) return undefined;
      const outcome = error.kind === 'timeout' ? 'timedOut' : 'failed';
      return { outcome, endedAt: context.clock.now(), reason: reasonOf(error) };
    }
  }

  close(): Promise<void> {
    this.#closed.abort();
    return Promise.resolve();
  }
}
