import type { EndedJob, EndpointMetrics } from '../../../../contract/control/controlMetrics.ts';
import type { ConnectedPlatform } from '../../../../account/connectedPoller.ts';
import { ApiError, type ErrorKind } from '../../../../client/apiError.ts';
import { controlClientOf } from '../../../../client/controlClient.ts';
import { millisecondsOf } from '../../../../contract/dateTime.ts';
import type { MetricsWindow } from '../model/window.ts';

/** Where the metrics of an endpoint come from. All methods throw `ApiError`. */
export interface MetricsSource {
  /** Whether the platform does not measure, so that the numbers are what this editor has seen. */
  readonly isObserved: boolean;
  /** Minimum length of a bucket in ms. */
  readonly leastStep: number;
  /** Time of the first observation, in ms since the epoch. Undefined if there is none. */
  readonly since: number | undefined;
  /** Resolves with the time of the platform, in ms since the epoch. */
  now(platform: ConnectedPlatform): Promise<number>;
  /** Looks at the present state, if the numbers are what this editor sees. Called once per round. */
  observe(platform: ConnectedPlatform): Promise<void>;
  read(platform: ConnectedPlatform, window: MetricsWindow, release: number | undefined): Promise<EndpointMetrics>;
  /** Resolves with the jobs that ended in a period, those that took longest first. */
  endedJobs(platform: ConnectedPlatform, period: Pick<MetricsWindow, 'start' | 'end'>): Promise<readonly EndedJob[]>;
}

/**
 * Returns the metrics that a local platform measures.
 *
 * @param ownTime returns the present, in ms since the epoch. Default: asks the platform, whose time its owner can change
 */
export function measuredSource(endpointId: string, ownTime?: () => number): MetricsSource {
  const options = ({ signal }: ConnectedPlatform) => ({ signal, waits: 0 });
  const clientOf = ({ client }: ConnectedPlatform) => controlClientOf(client.context);
  return {
    isObserved: false,
    leastStep: 0,
    since: undefined,
    now: async (platform) =>
      ownTime ? ownTime() : millisecondsOf((await clientOf(platform).getClock({}, options(platform))).now),
    observe: () => Promise.resolve(),
    read: (platform, { start, end, step }, release) => {
      const query = { ...periodOf({ start, end }), step: step / 1_000, ...(release !== undefined && { release }) };
      return clientOf(platform).getEndpointMetrics({ endpointId, query }, options(platform));
    },
    endedJobs: async (platform, period) => {
      const { jobs } = await clientOf(platform).listEndedJobs(
        { endpointId, query: periodOf(period) },
        options(platform),
      );
      return jobs;
    },
  };
}

/** Errors that do not tell whether a platform measures. */
const TRANSIENT: readonly ErrorKind[] = ['canceled', 'network', 'timeout', 'rateLimited'];

/**
 * Returns the metrics of a platform that may measure, as the platform of a team does, or else what this editor observes. Only the platform
 * knows that, so one request tries it.
 *
 * @throws ApiError if the platform cannot be reached
 */
export async function measuredOrObserved(
  platform: ConnectedPlatform,
  measured: MetricsSource,
  observed: () => MetricsSource,
): Promise<MetricsSource> {
  const now = await measured.now(platform);
  try {
    await measured.read(platform, { start: now - TRIED_MS, end: now, step: TRIED_MS }, undefined);
    return measured;
  } catch (error) {
    if (!(error instanceof ApiError) || TRANSIENT.includes(error.kind)) throw error;
    return observed();
  }
}

const TRIED_MS = 60_000;

function periodOf({ start, end }: Pick<MetricsWindow, 'start' | 'end'>): { start: string; end: string } {
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
}
