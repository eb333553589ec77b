import { MAX_QUEUE_DELAY_S, MAX_REQUEST_COUNT, MAX_WORKERS } from '../../../contract/bounds.ts';
import { WORKER_DEFAULTS, type EndpointType, type Scaling } from '../../../contract/endpointSettings.ts';
import type { SimulatedSettings } from '../../../contract/launch/simulation.ts';
import { meanOf } from './times.ts';
import type { CompleteLoad } from './tunedLoad.ts';

/* The settings that are simulated. */

/** Settings of an endpoint that decide how many workers it has. */
export interface TunedSettings {
  readonly scaling: Scaling;
  readonly min: number;
  readonly max: number;
  /** In seconds. */
  readonly idleTimeout: number;
  readonly flashboot: SimulatedSettings['flashboot'];
}

/** Hardware of the workers, with a known price. */
export interface TunedHardware {
  readonly kind: 'gpu' | 'cpu';
  /** ID of the GPU pool or the CPU flavor. */
  readonly id: string;
  /** GPUs or vCPUs of a worker. */
  readonly count: number;
  readonly typeIds: readonly string[];
  readonly usdPerHour: number;
  /** Execution times divided by those on the present hardware. */
  readonly executionFactor: number;
}

export interface Candidate {
  readonly id: string;
  readonly settings: TunedSettings;
  readonly hardware: TunedHardware;
}

/** ID of the present settings. */
export const PRESENT = 'present';

export interface CandidateInput {
  readonly type: EndpointType;
  readonly present: TunedSettings;
  /** The present hardware first. */
  readonly hardware: readonly [TunedHardware, ...TunedHardware[]];
  readonly load: CompleteLoad;
  /** Maximum number of settings. */
  readonly limit?: number;
}

const LIMIT = 1_000;
const PEAK_MS = 60_000;

/** Returns the present settings, and a grid of others around the number of workers that the load needs. */
export function candidatesFor({ type, present, hardware, load, limit = LIMIT }: CandidateInput): readonly Candidate[] {
  const { mean, peak } = busyWorkers(load);
  const flashboots: readonly TunedSettings['flashboot'][] =
    // Without a resume time, a difference would be invented.
    load.resumes ? ['OFF', 'FLASHBOOT', present.flashboot] : [present.flashboot];
  const workers = [mean, peak, peak * 1.25, peak * 1.5, peak * 2, peak * 3, peak * 5].map((count) => Math.ceil(count));
  let axes: Axes = {
    mins: distinct([present.min, 0, 1, 2, ...workers.slice(0, 3)], MAX_WORKERS),
    maxes: distinct([present.max, 1, 2, 3, ...workers], MAX_WORKERS).filter((max) => max > 0),
    idles: distinct([present.idleTimeout, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800], 3_600),
    delays: type === 'QUEUE' ? distinct([delayOf(present.scaling), 1, 2, 4, 8, 15, 30], MAX_QUEUE_DELAY_S) : [],
    counts: distinct([countOf(present.scaling), 1, 2, 3, 4, 6, 8, 12], MAX_REQUEST_COUNT),
    flashboots: [...new Set(flashboots)],
  };
  let grid = settingsOf(type, axes);
  while (grid.length * hardware.length > limit) {
    const thinner = thinned(axes, present);
    if (thinner === axes) break;
    axes = thinner;
    grid = settingsOf(type, axes);
  }
  const own = keyOf(present);
  const others = hardware.flatMap((one, place) =>
    grid
      .filter((settings) => (place > 0 || keyOf(settings) !== own) && keepsUp(settings, one, load))
      .map((settings) => ({ settings, hardware: one })),
  );
  return [
    { id: PRESENT, settings: present, hardware: hardware[0] },
    ...others.map((one, index) => ({ id: String(index + 1), ...one })),
  ];
}

/** Returns the settings of a candidate as the simulation takes them. */
export function simulated({ id, settings, hardware }: Candidate): SimulatedSettings {
  const { scaling, min, max, idleTimeout, flashboot } = settings;
  return {
    ...{ id, scaling, min, max, flashboot, idleTimeoutMs: idleTimeout * 1_000 },
    usdPerSecond: hardware.usdPerHour / 3_600,
    executionFactor: hardware.executionFactor,
  };
}

/** Returns whether an idle timeout has an effect on an endpoint, and can be set. */
export function hasIdleTimeout(type: EndpointType, scaling: Scaling): boolean {
  return type === 'LOAD_BALANCER' || scaling.type === 'QUEUE_DELAY';
}

interface Axes {
  readonly mins: readonly number[];
  readonly maxes: readonly number[];
  readonly idles: readonly number[];
  /** Queue delays in seconds. */
  readonly delays: readonly number[];
  /** Request counts. */
  readonly counts: readonly number[];
  readonly flashboots: readonly TunedSettings['flashboot'][];
}

function settingsOf(type: EndpointType, { mins, maxes, idles, delays, counts, flashboots }: Axes): TunedSettings[] {
  const scalings: readonly Scaling[] = [
    ...delays.map((queueDelay) => ({ type: 'QUEUE_DELAY', queueDelay }) as const),
    ...counts.map((requestCount) => ({ type: 'REQUEST_COUNT', requestCount }) as const),
  ];
  return scalings.flatMap((scaling) =>
    maxes.flatMap((max) =>
      mins
        .filter((min) => min <= max)
        .flatMap((min) =>
          (hasIdleTimeout(type, scaling) ? idles : [WORKER_DEFAULTS.idleTimeout]).flatMap((idleTimeout) =>
            flashboots.map((flashboot) => ({ scaling, min, max, idleTimeout, flashboot })),
          ),
        ),
    ),
  );
}

/** Removes one value of the longest axis. The present value and the ends stay. */
function thinned(axes: Axes, present: TunedSettings): Axes {
  const own = {
    ...{ mins: present.min, maxes: present.max, idles: present.idleTimeout },
    ...{ delays: delayOf(present.scaling), counts: countOf(present.scaling) },
  };
  const names = ['idles', 'maxes', 'delays', 'counts', 'mins'] as const;
  const longest = names.toSorted((one, other) => axes[other].length - axes[one].length)[0] ?? 'idles';
  const values = axes[longest];
  const middle = values
    .map((value, index) => ({ value, index }))
    .filter(({ value, index }) => value !== own[longest] && index > 0 && index < values.length - 1);
  const removed = middle[Math.floor(middle.length / 2)];
  return removed ? { ...axes, [longest]: values.filter((_, index) => index !== removed.index) } : axes;
}

/** Returns whether the workers can do the work of a load. If not, the queue grows while the load lasts, and its cost and waits say nothing. */
export function keepsUp(
  { max }: Pick<TunedSettings, 'max'>,
  { executionFactor }: Pick<TunedHardware, 'executionFactor'>,
  load: CompleteLoad,
): boolean {
  return busyWorkers(load).mean * executionFactor <= max;
}

/** Returns the mean number of busy workers on the present hardware, and that of the busiest minute. */
function busyWorkers(load: CompleteLoad): { readonly mean: number; readonly peak: number } {
  const { ms, durationMs } = load.arrivals;
  const execution = meanOf(load.executions);
  const perMinute = new Map<number, number>();
  for (const at of ms) perMinute.set(Math.floor(at / PEAK_MS), (perMinute.get(Math.floor(at / PEAK_MS)) ?? 0) + 1);
  const most = Math.max(0, ...perMinute.values());
  const mean = (ms.length * execution) / durationMs;
  return { mean, peak: Math.max(mean, (most * execution) / Math.max(PEAK_MS, execution)) };
}

function distinct(values: readonly (number | undefined)[], most: number): number[] {
  const kept = values.filter((value) => value !== undefined).map((value) => Math.min(value, most));
  return [...new Set(kept)].sort((one, other) => one - other);
}

function delayOf(scaling: Scaling): number | undefined {
  return scaling.type === 'QUEUE_DELAY' ? scaling.queueDelay : undefined;
}

function countOf(scaling: Scaling): number | undefined {
  return scaling.type === 'REQUEST_COUNT' ? scaling.requestCount : undefined;
}

function keyOf({ scaling, min, max, idleTimeout, flashboot }: TunedSettings): string {
  return JSON.stringify([scaling.type, delayOf(scaling) ?? countOf(scaling), min, max, idleTimeout, flashboot]);
}
