import {
  AFFINITY_TIMEOUT,
  AFFINITY_WORKER_GONE,
  MAX_ROUTE_BYTES,
  NO_WORKERS,
  NOT_FOR_QUEUES,
} from '../../contract/route.ts';

/** What the balancer itself answers instead of a worker: `{"error", "detail"}` (interface document, Errors). */
export class BalancerRefusal extends Error {
  readonly status: number;
  /** `error` of the body; `detail`, where there is one, is the message. */
  readonly error: string;
  readonly detail: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, error: string, detail?: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail ?? error);
    this.name = 'BalancerRefusal';
    this.status = status;
    this.error = error;
    this.detail = detail;
    this.headers = headers;
  }

  get body(): string {
    return JSON.stringify({ error: this.error, ...(this.detail === undefined ? {} : { detail: this.detail }) });
  }
}

const MEBIBYTE = 1_048_576;
const limit = `${MAX_ROUTE_BYTES / MEBIBYTE} MiB`;

export const notForQueues = (): BalancerRefusal => new BalancerRefusal(400, NOT_FOR_QUEUES);

/** The facts leave the status open; they advise to try again some seconds later. */
export const noWorkers = (): BalancerRefusal => new BalancerRefusal(503, NO_WORKERS, undefined, { 'Retry-After': '5' });

export const workerGone = (workerId: string): BalancerRefusal =>
  new BalancerRefusal(404, AFFINITY_WORKER_GONE, `worker '${workerId}' is not there any more`);

export const workerTimeout = (workerId: string): BalancerRefusal =>
  new BalancerRefusal(400, AFFINITY_TIMEOUT, `timed out waiting for worker '${workerId}'`);

export const shuttingDown = (reason: string): BalancerRefusal => new BalancerRefusal(503, 'shutting down', reason);

export const requestTooLarge = (): BalancerRefusal =>
  new BalancerRefusal(413, 'request too large', `the request's body is larger than ${limit}`);

export const answerTooLarge = (): BalancerRefusal =>
  new BalancerRefusal(502, 'answer too large', `the worker's answer is larger than ${limit}`);

export const timeLimit = (ms: number): BalancerRefusal =>
  new BalancerRefusal(504, 'time limit', `the worker has not finished the request within ${ms / 1000} s`);

/** @param cause the system's or the HTTP client's error */
export function badGateway(cause: Error & { code?: string }, port: number): BalancerRefusal {
  if (cause.code === 'ECONNREFUSED') {
    const detail = `nothing accepts connections on port ${port} of the worker: its server must listen on the PORT of its environment`;
    return new BalancerRefusal(502, 'connection refused', detail);
  }
  if (cause.code === 'UND_ERR_INVALID_ARG') return new BalancerRefusal(400, 'bad request', cause.message);
  return new BalancerRefusal(502, 'no answer', `the connection to the worker broke off: ${cause.message}`);
}
