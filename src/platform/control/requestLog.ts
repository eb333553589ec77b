import type * as z from 'zod';
import type { LoggedRequest, RequestLogQuery } from '../../contract/control/control.ts';
import { MAX_LOGGED_REQUESTS } from '../../contract/launch/localPlatform.ts';
import { IMAGES_PATH } from '../images/imageAddress.ts';
import { operationOf, pathOf, type RequestHead } from './operationOf.ts';
import { dateTime } from '../../contract/dateTime.ts';

/** A finished request. Derived values are computed when the log is read, which is rare. */
export interface RequestRecord extends RequestHead {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Undefined if the connection closed before the response started. */
  readonly status: number | undefined;
  readonly durationMs: number;
  /** ID of the fault that was injected into the request. */
  readonly fault: string | undefined;
}

/** The most recent requests, at most `MAX_LOGGED_REQUESTS`. */
export class RequestLog {
  #requests: RequestRecord[] = [];

  add(request: RequestRecord): void {
    this.#requests.push(request);
    // Trims the list only once it has doubled, because a trim with every request would be slow.
    if (this.#requests.length >= 2 * MAX_LOGGED_REQUESTS) this.#requests = this.#requests.slice(-MAX_LOGGED_REQUESTS);
  }

  /** Newest first. */
  newest({ limit = 100, operation, failed }: z.output<typeof RequestLogQuery>): LoggedRequest[] {
    return this.#requests
      .slice(-MAX_LOGGED_REQUESTS)
      .reverse()
      .map(logged)
      .filter((request) => operation === undefined || operation === '*' || request.operation === operation)
      .filter(({ status = 0 }) => failed === undefined || failed === (status === 0 || status >= 400))
      .slice(0, limit);
  }

  clear(): void {
    this.#requests = [];
  }
}

function logged({ time, status, durationMs, fault, ...head }: RequestRecord): LoggedRequest {
  const path = pathOf(head);
  const operation = operationOf(head);
  return {
    time: dateTime(time),
    method: head.method ?? '',
    // Omits the name of an image, because the name grants access to the image.
    path: path.startsWith(IMAGES_PATH) ? IMAGES_PATH : path,
    ...(operation === undefined ? {} : { operation }),
    ...(status === undefined ? {} : { status }),
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...(fault === undefined ? {} : { fault }),
  };
}
