import { ROUTE_WAIT_MS } from '../contract/route.ts';

/** Default time limit of a call, in ms. */
const DEFAULT_MS = 30_000;

/** Time limit of runsync if the endpoint has no timeout, in ms. */
export const RUN_SYNC_MS = 60_000;

/** Extra time for the network when the service itself waits, in ms. */
export const GRACE_MS = 10_000;

/** Default time that the service holds a stream call without output, in ms. */
const STREAM_WAIT_MS = 10_000;

/** Time in ms that known load balancers process a request, even if the endpoint has a lower timeout. */
const ROUTE_EXECUTION_MS = 330_000;

/**
 * Returns the time limit of a request to a load-balanced endpoint, in ms: the wait for a worker, and the time to process the request.
 *
 * @param timeout timeout of the endpoint in ms, if it is known
 */
export const routeLimitOf = (timeout = 0): number => ROUTE_WAIT_MS + Math.max(timeout, ROUTE_EXECUTION_MS);

const limits: Readonly<Record<string, number>> = {
  // Bodies of up to 10 MB.
  runJob: 60_000,
  runJobSync: RUN_SYNC_MS,
  streamJob: STREAM_WAIT_MS + GRACE_MS,
  // The service searches for capacity or starts machines before it responds.
  createEndpoint: 60_000,
  updateEndpoint: 60_000,
};

/** Returns the time limit of one attempt, in ms. `wait` is the time that the service was asked to wait, in ms. */
export function timeLimitOf(operation: string, wait: unknown): number {
  const limit = limits[operation] ?? DEFAULT_MS;
  return typeof wait === 'number' ? wait + GRACE_MS : limit;
}
