import type * as z from 'zod';
import type { LoggedRequest, RequestLogQuery } from '../../contract/control/control.ts';
import { MOST_LOGGED_REQUESTS } from '../../contract/launch/localPlatform.ts';

/** The last requests, as many as are remembered. */
export class RequestLog {
  #requests: LoggedRequest[] = [];

  add(request: LoggedRequest): void {
    this.#requests.push(request);
    // Cut back now and then rather than with every request.
    if (this.#requests.length >= 2 * MOST_LOGGED_REQUESTS) this.#requests = this.#requests.slice(-MOST_LOGGED_REQUESTS);
  }

  /** Newest first. */
  newest({ limit = 100, operation, failed }: z.output<typeof RequestLogQuery>): LoggedRequest[] {
    return this.#requests
      .slice(-MOST_LOGGED_REQUESTS)
      .reverse()
      .filter((request) => operation === undefined || operation === '*' || request.operation === operation)
      .filter(({ status = 0 }) => failed === undefined || failed === (status === 0 || status >= 400))
      .slice(0, limit);
  }

  clear(): void {
    this.#requests = [];
  }
}
