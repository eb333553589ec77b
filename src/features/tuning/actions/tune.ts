import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { EndpointType } from '../../../contract/endpointSettings.ts';
import type { SimulationResult } from '../../../contract/launch/simulation.ts';
import type { HardwareSettings } from '../../../account/hardware/hardwareNeeds.ts';
import type { HardwareOffer } from '../../../account/hardware/hardwareOffers.ts';
import { hardwareKey } from '../../../account/hardware/runTimes.ts';
import { runSimulation, type SimulationFailure } from '../../../machine/simulationProcess.ts';
import { readHardware } from '../../manifest/actions/readHardware.ts';
import {
  candidatesFor,
  PRESENT,
  simulated,
  type Candidate,
  type TunedHardware,
  type TunedSettings,
} from '../model/candidates.ts';
import { frontierOf, pointsOf, type Point } from '../model/points.ts';
import type { CompleteLoad } from '../model/tunedLoad.ts';

/** An endpoint or a manifest whose scaling is tuned. */
export interface TunedSubject {
  readonly name: string;
  readonly type: EndpointType;
  /** Maximum execution time of a job, in ms. */
  readonly timeoutMs: number;
  readonly settings: TunedSettings;
  readonly hardware: HardwareSettings;
  /** The endpoint whose jobs tell the run times. Undefined if there is none. */
  readonly endpoint: Endpoint | undefined;
}

/**
 * Why settings cannot be simulated.
 *
 * - `paused`: the endpoint has no workers.
 * - `noPrice`: the catalog has no price for the present hardware.
 */
export type TuningObstacle = 'paused' | 'noPrice';

/** The settings to simulate. */
export interface TuningPlan {
  readonly subject: TunedSubject;
  readonly load: CompleteLoad;
  readonly candidates: readonly Candidate[];
  /** IDs of other hardware that satisfies the endpoint, and whose execution times are not known. */
  readonly unknownHardware: readonly string[];
  /** Returns the execution times on the present hardware, divided by those on another one. Undefined: not measured on both. */
  readonly factorFrom: (other: Pick<TunedHardware, 'kind' | 'id' | 'count'>) => number | undefined;
}

export interface PlanOptions {
  /** Execution times on other hardware, divided by those on the present one, by the ID of the pool or the flavor. */
  readonly factors?: Readonly<Record<string, number>> | undefined;
  /** Only the present settings. */
  readonly presentOnly?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Reads the hardware of a platform, and returns the settings to simulate. @throws ApiError, and the reason of the signal */
export async function planTuning(
  client: Client,
  subject: TunedSubject,
  load: CompleteLoad,
  { factors = {}, presentOnly = false, signal }: PlanOptions,
): Promise<TuningPlan | { readonly obstacle: TuningObstacle }> {
  if (subject.settings.max === 0) return { obstacle: 'paused' };
  const { offers } = await readHardware(client, { settings: subject.hardware, endpoint: subject.endpoint }, signal);
  const present = presentOffer(subject.hardware, offers);
  if (present?.usdPerHour === undefined) return { obstacle: 'noPrice' };
  const own = tunedHardware(present, present.usdPerHour, 1);
  const usable = offers.filter(
    (offer) =>
      offer.kind === present.kind && offer.count === present.count && offer !== present && offer.reasons.length === 0,
  );
  const known = usable.flatMap((offer) => {
    const factor = factors[offer.id] ?? measuredFactor(offer, present);
    return factor === undefined || offer.usdPerHour === undefined
      ? []
      : [tunedHardware(offer, offer.usdPerHour, factor)];
  });
  const unknown = usable.filter((offer) => !known.some(({ id }) => id === offer.id));
  const input = { type: subject.type, present: subject.settings, hardware: [own, ...known], load } as const;
  return {
    ...{ subject, load },
    candidates: presentOnly ? [{ id: PRESENT, settings: subject.settings, hardware: own }] : candidatesFor(input),
    unknownHardware: presentOnly ? [] : unknown.map(({ id }) => id),
    factorFrom: (other) => {
      const offer = offers.find((one) => hardwareKey(one) === hardwareKey(other));
      return offer && measuredFactor(present, offer);
    },
  };
}

/** Returns the first choice of the endpoint, on which a platform starts workers while it has stock. */
function presentOffer({ gpu, cpu }: HardwareSettings, offers: readonly HardwareOffer[]): HardwareOffer | undefined {
  const [pool] = gpu?.pools ?? [];
  const [flavor] = cpu ?? [];
  const key =
    pool !== undefined
      ? hardwareKey({ kind: 'gpu', id: pool, count: gpu?.count ?? 1 })
      : flavor && hardwareKey({ kind: 'cpu', id: flavor.id, count: flavor.vcpuCount });
  return offers.find((offer) => hardwareKey(offer) === key);
}

function measuredFactor(offer: HardwareOffer, present: HardwareOffer): number | undefined {
  const isKnown = offer.isMeasured && present.isMeasured && (present.secondsPerJob ?? 0) > 0;
  return isKnown ? (offer.secondsPerJob ?? 0) / (present.secondsPerJob ?? 1) || undefined : undefined;
}

function tunedHardware(
  { kind, id, count, typeIds }: HardwareOffer,
  usdPerHour: number,
  executionFactor: number,
): TunedHardware {
  return { kind, id, count, typeIds, usdPerHour, executionFactor };
}

/** The simulated settings. */
export interface Tuned {
  readonly points: readonly Point[];
  /** The settings that no other ones beat, cheapest first. */
  readonly frontier: readonly Point[];
  /** Undefined: no job completed with the present settings. */
  readonly present: Point | undefined;
}

export interface TuningOptions {
  /** Path of the simulation's program. */
  readonly script: string;
  readonly signal: AbortSignal;
  /** Called after each result with the points so far, which are few at first. */
  readonly onProgress?: ((done: number, total: number, tuned: () => Tuned) => void) | undefined;
}

/** Simulates the settings of a plan. Returns how the simulation ended if it was not complete. */
export async function runTuning(
  { subject, load, candidates }: TuningPlan,
  { script, signal, onProgress }: TuningOptions,
): Promise<Tuned | SimulationFailure> {
  const results = new Map<string, SimulationResult>();
  const tuned = (): Tuned => {
    const points = pointsOf(candidates, results, load.arrivals.durationMs);
    return { points, frontier: frontierOf(points), present: points.find(({ candidate }) => candidate.id === PRESENT) };
  };
  const end = await runSimulation({
    script,
    signal,
    request: {
      load: {
        type: subject.type,
        durationMs: load.arrivals.durationMs,
        arrivalsMs: [...load.arrivals.ms],
        executionsMs: [...load.executions.ms],
        coldStartsMs: [...load.coldStarts.ms],
        // Nothing tells which part of a cold start is not paid.
        processStartsMs: [0],
        resumesMs: [...(load.resumes ?? load.coldStarts).ms],
        ...{ handOverMs: 0, concurrency: 1, executionTimeoutMs: subject.timeoutMs },
      },
      settings: candidates.map(simulated),
    },
    onResult: (result) => {
      results.set(result.id, result);
      onProgress?.(results.size, candidates.length, tuned);
    },
  });
  return end.kind === 'done' ? tuned() : end;
}
