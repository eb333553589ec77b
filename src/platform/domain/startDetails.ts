import type { MeasuredImports } from './importTimes.ts';
import type { PulledLayer } from './pulledLayers.ts';
import { dateTime, type Span } from './traceSpans.ts';
import type { WorkerEventRecord, WorkerTraceEvent } from './workerTraceEvent.ts';

/* The layers and the modules of a start, as spans. */

/** Returns the last event of a kind from a time on, in ms since the epoch. */
export function lastOf<Kind extends WorkerTraceEvent['kind']>(
  events: readonly WorkerEventRecord[],
  kind: Kind,
  since: number,
): Extract<WorkerTraceEvent, { readonly kind: Kind }> | undefined {
  const found = events.findLast(({ at, event }) => event.kind === kind && at >= since);
  return found?.event as Extract<WorkerTraceEvent, { readonly kind: Kind }> | undefined;
}

export function layerSpans(layers: readonly PulledLayer[] = []): Span[] {
  return layers.map(({ id, bytes, from, downloadedAt, extractedFrom, to, isPresent }) => ({
    ...{ kind: 'pullingLayer', name: id, from, to, bytes },
    ...(downloadedAt !== undefined && { downloadedAt: dateTime(downloadedAt) }),
    ...(extractedFrom !== undefined && { extractedFrom: dateTime(extractedFrom) }),
    ...(isPresent && { isPresent }),
  }));
}

export function importSpans(imports: MeasuredImports | undefined): Span[] {
  return (imports?.modules ?? []).map(({ name, depth, from, to, selfMs }) => {
    return { kind: 'importing', name, depth, from, to, selfSeconds: selfMs / 1_000 };
  });
}
