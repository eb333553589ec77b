import * as z from 'zod';
import type { SystemLine } from '../../contract/systemLines.ts';
import { MeasuredImports } from './importTimes.ts';
import { Count, Moment, Text } from './recordFields.ts';

/** A layer of an image that an engine pulled. Times are in ms since the epoch. */
export const PulledLayer = z.object({
  /** As the engine reports it, such as the first 12 digits of its digest. */
  id: Text,
  /** Size of the download. Omitted if the engine does not report it. */
  bytes: Count.optional(),
  from: Moment,
  /** End of the download. */
  downloadedAt: Moment.optional(),
  /** Time from which the layer was extracted. Podman does not report it. */
  extractedFrom: Moment.optional(),
  to: Moment,
  /** Whether the engine had the layer already. */
  isPresent: z.boolean(),
});
export type PulledLayer = z.infer<typeof PulledLayer>;

/* Recorded events of workers, from which traces are built. */

const event = <Kind extends string>(kind: Kind) => z.object({ kind: z.literal(kind) });
const because = <Kind extends string>(kind: Kind) => z.object({ kind: z.literal(kind), reason: z.string() });

export const WorkerTraceEvent = z.discriminatedUnion('kind', [
  event('created'),
  because('waitingForSlot'),
  because('waitingForGpus'),
  because('waitingForPlace'),
  event('starting'),
  event('pulling'),
  /** The image is on the engine, and the container is being created. */
  event('placed'),
  /** The engine has pulled the image. */
  z.object({ kind: z.literal('pulled'), layers: z.array(PulledLayer) }),
  event('started'),
  /** A restarted platform has taken the process over. */
  event('adopted'),
  event('ready'),
  /** Modules that the worker loaded, if its imports were measured. */
  z.object({ kind: z.literal('imported'), imports: MeasuredImports }),
  /** The first work since the worker became ready or resumed. */
  event('begun'),
  /** The start failed, or the process ended without being stopped. The worker pauses. */
  because('failed'),
  event('frozen'),
  event('resumed'),
  event('restarting'),
  event('stopping'),
  /** The process ended on purpose, or in standby. */
  event('ended'),
  /** The last event of a worker. */
  event('stopped'),
]);
export type WorkerTraceEvent = z.infer<typeof WorkerTraceEvent>;

/** An event of a worker at a time in ms since the epoch. */
export interface WorkerEventRecord {
  readonly endpointId: string;
  readonly workerId: string;
  /** Version of the worker's release. */
  readonly release: number;
  readonly at: number;
  readonly event: WorkerTraceEvent;
}

/** Columns of a recorded event of a worker. */
export const workerEventColumns = {
  ...{ endpoint_id: Text, worker_id: Text, release: Count, at: Moment, stopped: z.literal([0, 1]) },
};

/** Returns the event that a line of the worker's log reports, or undefined if traces do not need it. */
export function tracedLine(line: SystemLine): WorkerTraceEvent | undefined {
  switch (line.kind) {
    case 'created':
    case 'starting':
    case 'started':
    case 'pulling':
    case 'adopted':
    case 'ready':
    case 'frozen':
    case 'resumed':
    case 'restarting':
    case 'stopping':
    case 'ended':
      return { kind: line.kind };
    case 'pullingPercent':
      return { kind: 'pulling' };
    case 'waitingForSlot':
      return { kind: 'waitingForSlot', reason: `this machine runs its maximum of ${line.limit} workers` };
    case 'waitingForGpus':
      return { kind: 'waitingForGpus', reason: `${line.count} GPUs needed, ${line.total} on this machine` };
    case 'waitingForPlace':
      return { kind: 'waitingForPlace', reason: String(line.reason) };
    case 'failed':
    case 'failedSilently':
      return { kind: 'failed', reason: `the process ${line.how}` };
    case 'notStarted':
    case 'notStartedBecause':
      return { kind: 'failed', reason: String(line.reason) };
    default:
      return undefined;
  }
}
