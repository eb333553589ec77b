import { waitingJobs, type EndpointSnapshot } from '../endpoints/endpointSnapshot.ts';

/** State of an endpoint, as far as it is known without logs. */
export type Situation =
  | 'unread'
  | 'unhealthy'
  | 'paused'
  | 'initializing'
  | 'throttled'
  | 'starting'
  | 'noCapacity'
  | 'notTaking'
  | 'allBusy'
  | 'fine';

/** Time, in ms, that jobs can wait without a running worker before the endpoint is in trouble. */
const PATIENCE_MS = 15_000;

/** Returns the situation of an endpoint. The most certain one wins. @param now in ms since the epoch */
export function situationOf(snapshot: EndpointSnapshot, now: number): Situation {
  const { endpoint, workers } = snapshot;
  if (!workers) return 'unread';
  const { unhealthy, running, idle, initializing, throttled, total } = workers.summary;
  const waiting = waitingJobs(snapshot);
  const waited = waitedMs(snapshot, now);
  if (unhealthy > 0) return 'unhealthy';
  if (endpoint.workers.max <= 0) return 'paused';
  if (running + idle === 0) {
    if (initializing > 0) return 'initializing';
    if (throttled > 0) return 'throttled';
    if (waiting === 0) return 'fine';
    return waited <= queueDelayMs(snapshot) + PATIENCE_MS ? 'starting' : 'noCapacity';
  }
  if (waiting === 0) return 'fine';
  if (running === 0) return waited > PATIENCE_MS ? 'notTaking' : 'fine';
  return idle === 0 && total >= endpoint.workers.max ? 'allBusy' : 'fine';
}

/** Returns whether the user must act, as far as that is known without logs. */
export function isInTrouble(snapshot: EndpointSnapshot, now: number): boolean {
  switch (situationOf(snapshot, now)) {
    case 'unhealthy':
    case 'noCapacity':
    case 'notTaking':
      return true;
    case 'paused':
      return waitingJobs(snapshot) > 0;
    case 'throttled':
      return waitingJobs(snapshot) > 0 || snapshot.endpoint.workers.min > 0;
    default:
      return false;
  }
}

/** Returns the time, in ms, that jobs wait before the platform starts a worker for them. */
export function queueDelayMs({ endpoint: { scaling } }: EndpointSnapshot): number {
  return (scaling.queueDelay ?? 0) * 1000;
}

/** Returns the time, in ms, since no worker takes the waiting jobs. */
export function waitedMs({ stuckSince }: EndpointSnapshot, now: number): number {
  return now - (stuckSince ?? now);
}
