/** Milliseconds a call is waited for when neither its caller nor its operation says otherwise. */
const DEFAULT_MS = 30_000;

/** How long runsync is waited for, unless the endpoint has a timeout of its own (interface document, operation 4). */
export const RUN_SYNC_MS = 60_000;

/** Beyond the time the service was asked to take, for the way there and back. */
export const GRACE_MS = 10_000;

/** How long the service holds a stream call when nothing is there and it was not told otherwise (facts, section 4a). */
const STREAM_WAIT_MS = 10_000;

/** A request to a load-balanced endpoint: two minutes to find a worker, five and a half to answer (facts, section 5). */
export const ROUTE_MS = (120 + 330) * 1_000;

const limits: Readonly<Record<string, number>> = {
  // Bodies of up to 10 MB.
  runJob: 60_000,
  runJobSync: RUN_SYNC_MS,
  streamJob: STREAM_WAIT_MS + GRACE_MS,
  // These look for capacity or start machines before they answer.
  createEndpoint: 60_000,
  updateEndpoint: 60_000,
};

/** The time limit of one attempt at a call, in milliseconds. A call that asks the service to wait has that time too. */
export function timeLimitOf(operation: string, wait: unknown): number {
  const limit = limits[operation] ?? DEFAULT_MS;
  return typeof wait === 'number' ? wait + GRACE_MS : limit;
}
