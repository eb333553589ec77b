import type { ConnectedPlatform } from '../../../../account/connectedPoller.ts';
import type { Clock } from '../../../../client/clock.ts';
import { millisecondsOf } from '../../../../contract/dateTime.ts';
import type { EndpointMetrics } from '../../../../contract/control/controlMetrics.ts';
import { KeyedState, type StateStorage } from '../../../../kit/keyedState.ts';
import { integer, listOf, number, object, type ValueOf } from '../../../../kit/smallSchema.ts';
import {
  OBSERVED_STEP,
  observedMetrics,
  ownJobsIn,
  withSample,
  type ObservedBucket,
  type OwnJob,
  type Sample,
} from '../model/observation.ts';
import type { MetricsWindow } from '../model/window.ts';
import type { MetricsSource } from './metricsSource.ts';

/** Maximum number of stored minutes of an endpoint: eight hours with an open view. */
const MAX_BUCKETS = 480;

const Bucket = object(
  {
    ...{ at: integer, samples: integer },
    ...{ running: number, idle: number, initializing: number, throttled: number, unhealthy: number },
  },
  { waiting: number, maxWaiting: number, completed: number, failed: number, retried: number },
);

/** Stores what was seen of endpoints of each connection. */
export class ObservationState extends KeyedState<ValueOf<typeof Buckets>> {
  constructor(storage: StateStorage, now?: () => number) {
    super(storage, { name: 'endpoints.observed', schema: Buckets, max: 8 }, now);
  }
}

const Buckets = listOf(Bucket);

export interface ObservedSourceOptions {
  readonly connectionId: string;
  readonly endpointId: string;
  readonly clock: Clock;
  readonly state: ObservationState;
  /** Reads the jobs of the endpoint that the user ran from this editor. */
  readonly ownJobs: () => Promise<readonly OwnJob[]>;
}

/** Returns what this editor sees of an endpoint on a platform that does not measure. Each round takes a sample. */
export function observedSource({
  connectionId,
  endpointId,
  clock,
  state,
  ownJobs,
}: ObservedSourceOptions): MetricsSource {
  let buckets: readonly ObservedBucket[] = state.get(connectionId, endpointId) ?? [];
  let before: Sample | undefined;
  let isQueue: boolean | undefined;
  return {
    isObserved: true,
    leastStep: OBSERVED_STEP,
    get since() {
      return buckets[0]?.at;
    },
    now: () => Promise.resolve(clock.now()),
    observe: async ({ client, signal }) => {
      const options = { signal, waits: 0 };
      isQueue ??= (await client.getEndpoint({ id: endpointId }, options)).type !== 'LOAD_BALANCER';
      const [{ summary: workers }, health] = await Promise.all([
        client.listEndpointWorkers({ id: endpointId }, options),
        isQueue ? client.getEndpointHealth({ endpointId }, options) : undefined,
      ]);
      const sample: Sample = { at: clock.now(), workers, jobs: health?.jobs };
      const last = buckets.at(-1)?.at;
      buckets = withSample(buckets, sample, before).slice(-MAX_BUCKETS);
      before = sample;
      // The editor writes all of its state at once, so a minute is stored when the next one begins.
      if (buckets.at(-1)?.at !== last) await state.put(connectionId, endpointId, [...buckets]);
    },
    read: async ({ client, signal }, window) => {
      const [jobs, { releases }] = await Promise.all([
        ownJobs(),
        client.listEndpointReleases({ id: endpointId }, { signal, waits: 0 }),
      ]);
      return { ...observedMetrics(buckets, jobs, window), markers: releaseMarkers(releases, window) };
    },
    endedJobs: async (_: ConnectedPlatform, period) => ownJobsIn(await ownJobs(), period),
  };
}

interface Created {
  readonly createdAt: string;
  readonly version?: number | null | undefined;
}

function releaseMarkers(releases: readonly Created[], { start, end }: MetricsWindow): EndpointMetrics['markers'] {
  return releases
    .filter(({ createdAt }) => {
      const at = millisecondsOf(createdAt);
      return at >= start && at < end;
    })
    .map(({ createdAt, version }) => ({ at: createdAt, kind: 'release', ...(version != null && { release: version }) }))
    .reverse();
}
