import type { Client } from '../../../../client/client.ts';
import { controlClientOf } from '../../../../client/controlClient.ts';
import { millisecondsOf } from '../../../../contract/dateTime.ts';
import { sparkline } from '../model/sparkline.ts';

/** How long the jobs or requests of the last hour took. */
export interface LastHour {
  /** 99th percentile in seconds. */
  readonly p99: number;
  /** The 99th percentile over the hour, in block characters. */
  readonly curve: string;
}

/** Time for which a result is returned again, in ms. */
const KEPT_MS = 10_000;
const HOUR_MS = 3_600_000;
const STEP_S = 60;
/** Number of characters of the curve, each of which has three minutes. */
const CHARACTERS = 20;

interface Kept {
  readonly client: Client;
  readonly until: number;
  readonly result: Promise<LastHour | undefined>;
}

/** Reads the last hour of endpoints of local platforms, with one request for each endpoint in ten seconds. */
export class LastHours {
  readonly #kept = new Map<string, Kept>();

  /** Resolves with undefined if no job ended, or if the metrics cannot be read. */
  async read(client: Client, endpointId: string, signal: AbortSignal): Promise<LastHour | undefined> {
    const now = client.context.clock.now();
    const known = this.#kept.get(endpointId);
    if (known?.client === client && known.until > now) return known.result;
    const result = readLastHour(client, endpointId, now, signal);
    const kept = { client, until: now + KEPT_MS, result };
    for (const [id, { until }] of this.#kept) if (until <= now) this.#kept.delete(id);
    this.#kept.set(endpointId, kept);
    const read = await result;
    // A canceled request says nothing about the endpoint.
    if (signal.aborted && this.#kept.get(endpointId) === kept) this.#kept.delete(endpointId);
    return read;
  }
}

async function readLastHour(
  client: Client,
  endpointId: string,
  now: number,
  signal: AbortSignal,
): Promise<LastHour | undefined> {
  const [start, end] = [now - HOUR_MS, now + STEP_S * 1_000];
  const query = { start: new Date(start).toISOString(), end: new Date(end).toISOString(), step: STEP_S };
  const metrics = await controlClientOf(client.context)
    .getEndpointMetrics({ endpointId, query }, { signal, waits: 0 })
    .catch(() => undefined);
  const total = metrics?.total.endToEnd ?? metrics?.total.latency;
  if (!metrics || !total) return undefined;
  const values = new Array<number | undefined>(CHARACTERS).fill(undefined);
  for (const { at, endToEnd, latency } of metrics.points) {
    const place = Math.floor(((millisecondsOf(at) - start) / HOUR_MS) * CHARACTERS);
    const index = Math.min(CHARACTERS - 1, Math.max(0, place));
    const p99 = (endToEnd ?? latency)?.p99;
    if (p99 !== undefined) values[index] = Math.max(values[index] ?? 0, p99);
  }
  return { p99: total.p99, curve: sparkline(values) };
}
