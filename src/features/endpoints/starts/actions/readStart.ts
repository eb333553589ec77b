import type { Client } from '../../../../client/client.ts';
import { controlClientOf } from '../../../../client/controlClient.ts';
import type { WorkerStartTrace, XRayEvent, XRayProblem } from '../../../../contract/control/controlTraces.ts';
import { millisecondsOf } from '../../../../contract/dateTime.ts';
import type { Endpoint } from '../../../../contract/endpoint.ts';
import { coldStartProposals, type Proposal, type StartMetrics } from '../../model/coldStartProposals.ts';
import type { RequestContext } from '../../../../client/context.ts';
import { xRayStart } from '../../../../client/controlEvents.ts';

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
/** Number of days for which a platform keeps buckets of a minute. */
const RECENT_DAYS = 2;
const HOUR_S = 3_600;
const MINUTE_S = 60;

export interface StartReport {
  readonly start: WorkerStartTrace;
  readonly proposals: readonly Proposal[];
  /** Present of the platform, in ms since the epoch. */
  readonly now: number;
}

export interface StartQuery {
  readonly workerId: string;
  readonly endpointId: string;
  /** Undefined if the endpoint no longer exists. Its start then has no proposals. */
  readonly endpoint: Endpoint | undefined;
  /** Price of a worker in USD per hour. Undefined if it is not known. */
  readonly usdPerHour: number | undefined;
  readonly signal?: AbortSignal;
}

/** Reads the last start of a worker, and what would shorten it. @throws ApiError */
export async function readStart(client: Client, query: StartQuery): Promise<StartReport> {
  const { workerId, endpointId, endpoint, usdPerHour, signal } = query;
  const options = { waits: 0, ...(signal && { signal }) };
  const control = controlClientOf(client.context);
  const [start, clock] = await Promise.all([
    control.getWorkerStart({ endpointId, workerId }, options),
    // The owner of a local platform can change its time. A key of a team's platform may not read it.
    control.getClock({}, options).catch(() => undefined),
  ]);
  const now = clock ? millisecondsOf(clock.now) : client.context.clock.now();
  if (!endpoint) return { start, proposals: [], now };
  const read = (days: number, step: number) =>
    control.getEndpointMetrics(
      {
        endpointId,
        query: {
          start: new Date(now - days * DAY_MS).toISOString(),
          end: new Date(now + step * 1_000).toISOString(),
          step,
        },
      },
      options,
    );
  const metrics = await Promise.all([read(WEEK_DAYS, HOUR_S), read(RECENT_DAYS, MINUTE_S)]).then(
    ([week, recent]): StartMetrics => ({
      days: WEEK_DAYS,
      coldStarts: week.total.coldStart?.count ?? 0,
      recent: { days: RECENT_DAYS, step: recent.step, points: recent.points },
    }),
    // The start is worth showing without them.
    () => undefined,
  );
  const { flashboot, workers, gpu, scaling } = endpoint;
  const settings = {
    ...{ flashboot, minWorkers: workers.min, maxWorkers: workers.max, hasGpus: gpu != null },
    // Such a queue ends its workers without work at once.
    idleTimeout: endpoint.type === 'QUEUE' && scaling.type === 'REQUEST_COUNT' ? undefined : workers.idleTimeout,
  };
  return { start, proposals: coldStartProposals({ start, settings, metrics, usdPerHour }), now };
}

/** The platform could not measure a start. The message is the platform's. */
export class MeasurementRefusal extends Error {
  readonly problem: XRayProblem | undefined;

  constructor({ problem, reason }: XRayEvent) {
    super(reason ?? 'the start could not be measured');
    this.name = 'MeasurementRefusal';
    this.problem = problem as XRayProblem | undefined;
  }
}

/**
 * Starts a further worker of an endpoint, measures its start, and ends it. The signal ends it earlier.
 *
 * @throws ApiError; MeasurementRefusal
 */
export async function measureStart(
  context: RequestContext,
  endpointId: string,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (event: XRayEvent) => void },
): Promise<WorkerStartTrace> {
  for await (const event of xRayStart(context, endpointId, signal)) {
    if (event.event === 'failed') throw new MeasurementRefusal(event);
    if (event.event === 'ready' && event.start) return event.start;
    onProgress(event);
  }
  throw new MeasurementRefusal({ event: 'failed' });
}
