import { RETRY_AFTER_HEADER } from '../../contract/rateLimit.ts';
import {
  AFFINITY_TIMEOUT,
  AFFINITY_WORKER_GONE,
  MAX_ROUTE_BYTES,
  NO_WORKERS,
  NOT_FOR_QUEUES,
  ROUTE_WAIT_MS,
  TIME_LIMIT,
} from '../../contract/route.ts';
import type { InvocationStatus } from '../domain/refusal.ts';

/** Response of the balancer in place of a worker's response: `{"error", "detail"}`. */
export class BalancerRefusal extends Error {
  readonly status: InvocationStatus;
  /** The body's `error`, by which programs distinguish refusals. The message is the body's `detail`. */
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: InvocationStatus, error: string, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.name = 'BalancerRefusal';
    this.status = status;
    this.error = error;
    this.headers = headers;
  }

  get body(): string {
    return JSON.stringify({ error: this.error, detail: this.message });
  }
}

/** Retry-After header for failures that a retry can resolve. */
const retryAfter = (seconds: number) => ({ [RETRY_AFTER_HEADER]: String(seconds) });

const MEBIBYTE = 1_048_576;
const limit = `${MAX_ROUTE_BYTES / MEBIBYTE} MiB`;

export const notForQueues = (): BalancerRefusal =>
  new BalancerRefusal(400, NOT_FOR_QUEUES, 'the endpoint is queue-based: it has jobs, not routes');

export const noWorkers = (): BalancerRefusal =>
  new BalancerRefusal(500, NO_WORKERS, `no worker became ready within ${ROUTE_WAIT_MS / 1000} s`, retryAfter(5));

export const workerGone = (workerId: string): BalancerRefusal =>
  new BalancerRefusal(404, AFFINITY_WORKER_GONE, `worker '${workerId}' no longer exists`);

export const workerTimeout = (workerId: string): BalancerRefusal =>
  new BalancerRefusal(400, AFFINITY_TIMEOUT, `timed out waiting for worker '${workerId}'`);

/** Has no Retry-After header, because a retry cannot succeed on a deleted endpoint or a stopped platform. */
export const shuttingDown = (reason: string): BalancerRefusal => new BalancerRefusal(500, 'shutting down', reason);

/** No worker has received the request. */
export const restarting = (): BalancerRefusal =>
  new BalancerRefusal(500, 'restarting', 'the platform is restarting', retryAfter(5));

export const requestTooLarge = (): BalancerRefusal =>
  new BalancerRefusal(400, 'request too large', `the request's body is larger than ${limit}`);

export const answerTooLarge = (): BalancerRefusal =>
  new BalancerRefusal(500, 'answer too large', `the worker's response is larger than ${limit}`);

export const timeLimit = (ms: number): BalancerRefusal =>
  new BalancerRefusal(500, TIME_LIMIT, `the worker did not finish the request within ${ms / 1000} s`);

/** The worker sent a response that is not valid HTTP. */
export const badAnswer = (reason: string): BalancerRefusal =>
  new BalancerRefusal(500, 'bad answer', `the worker's response cannot be forwarded: ${reason}`);

/** @param cause error of the system or the HTTP client */
export function badGateway(cause: Error & { code?: string }, port: number): BalancerRefusal {
  if (cause.code === 'ECONNREFUSED') {
    const detail = `no server accepts connections on port ${port} of the worker; it must listen on the port in the PORT variable`;
    return new BalancerRefusal(500, 'connection refused', detail);
  }
  if (cause.code === 'UND_ERR_INVALID_ARG') return new BalancerRefusal(400, 'bad request', cause.message);
  const detail = `the connection to the worker failed: ${cause.message}`;
  // The platform replaces a worker that died. Only the caller knows whether a retry is safe.
  return new BalancerRefusal(500, 'no answer', detail, retryAfter(1));
}
