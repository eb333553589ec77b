import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { WORKER_DEFAULTS } from '../../../contract/endpointSettings.ts';
import { readHardware } from '../../../account/liveValues/readHardware.ts';
import { isBilled, presentRate, type PriceSource } from '../../../account/prices/workerCost.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import { expectedArrivals, loadSeconds, type LoadProfile } from '../model/arrivals.ts';
import { estimateLoad, Spend } from '../model/estimate.ts';
import type { LoadReport, Settings } from '../model/report.ts';
import { changesOf, settingsOf } from '../model/comparison.ts';
import type { Threshold } from '../model/threshold.ts';
import type { LoadTarget } from './loadTarget.ts';
import { runLoad, type LoadOptions } from './runLoad.ts';

/** Interval of the requests for the workers and the settings, in ms. */
const SAMPLE_MS = 10_000;

export interface LoadSubject {
  readonly client: Client;
  readonly endpointId: string;
  /** Whether it is the local platform, which always provides the first pool or flavor. */
  readonly isLocal: boolean;
  readonly profile: LoadProfile;
  /** Longest wait for what is in flight after the last arrival, in ms. */
  readonly drainMs: number;
  /** Time of a worker for one arrival. Undefined: not known. */
  readonly secondsPerArrival: number | undefined;
}

/** A load test that has not started yet. */
export interface PlannedLoad extends LoadSubject {
  readonly endpoint: Endpoint;
  readonly arrivals: number;
  /** Highest price of a worker, in USD per hour. Undefined: not known. */
  readonly pricePerHour: number | undefined;
  /** In USD. Undefined: not known. */
  readonly estimate: number | undefined;
  readonly prices: PriceSource;
}

/** Reads the endpoint and the prices, and estimates the cost of a load test. @throws ApiError */
export async function planLoad(subject: LoadSubject, signal: AbortSignal): Promise<PlannedLoad> {
  const { client, endpointId, isLocal, profile, drainMs, secondsPerArrival } = subject;
  const [endpoint, hardware] = await Promise.all([
    client.getEndpoint({ id: endpointId }, { signal }),
    readHardware(client, signal),
  ]);
  const prices = { prices: hardware?.prices ?? {}, takesFirst: isLocal };
  const pricePerHour = workerPrice(endpoint, prices.prices);
  const arrivals = expectedArrivals(profile);
  const load = { arrivals, seconds: loadSeconds(profile), drainSeconds: drainMs / 1_000, secondsPerArrival };
  const workers = { ...endpoint.workers, idleTimeout: idleTimeoutOf(endpoint) };
  const estimate = pricePerHour === undefined ? undefined : estimateLoad({ ...load, workers, pricePerHour });
  return { ...subject, endpoint, arrivals, pricePerHour, estimate, prices };
}

/** Why a cap on the costs forbids a load test. */
export type CapProblem = 'unknownPrice' | 'estimateExceedsCap';

/** Returns why a load test may not start. Undefined if it may. */
export function capProblem({ estimate }: PlannedLoad, cap: number | undefined): CapProblem | undefined {
  if (cap === undefined) return undefined;
  if (estimate === undefined) return 'unknownPrice';
  return estimate > cap ? 'estimateExceedsCap' : undefined;
}

export interface TestOptions extends Pick<
  LoadOptions,
  'drain' | 'stop' | 'cancelsRest' | 'onProgress' | 'maxInFlight'
> {
  /** Most that it may cost, in USD. The caller has checked it with `capProblem`. */
  readonly cap: number | undefined;
  readonly target: LoadTarget;
  readonly thresholds: readonly Threshold[];
  /** Names in the report. */
  readonly names: { readonly file: string; readonly platform: string };
}

/** Runs a load test, and returns its report. A cancellation ends it early. @throws ApiError if the endpoint cannot be read at the start */
export async function runLoadTest(plan: PlannedLoad, options: TestOptions): Promise<LoadReport> {
  const { client, endpoint, pricePerHour, profile, drainMs } = plan;
  const { cap, target, thresholds, names, drain, stop, cancelsRest, onProgress, maxInFlight } = options;
  const { clock } = client.context;
  const spend = new Spend(pricePerHour);
  const watch = new EndpointWatch(plan, spend);
  await watch.read(stop);
  const startedAt = new Date(clock.now()).toISOString();
  const done = new AbortController();
  const watching = watch.run(done.signal);
  try {
    const { usd, ...result } = await runLoad(
      {
        ...{ clock, profile, target, spend, cap, drainMs, drain, stop, cancelsRest, onProgress },
        ...(maxInFlight !== undefined && { maxInFlight }),
        idleTimeout: idleTimeoutOf(endpoint),
      },
      thresholds,
    );
    done.abort();
    await watching;
    await watch.read(stop).catch(() => undefined);
    const { completed } = result.counts;
    const perThousand = usd === undefined || completed === 0 ? undefined : (usd / completed) * 1_000;
    return {
      ...{ loadReport: 1, ...names, endpoint: { id: endpoint.id, name: endpoint.name }, startedAt, profile },
      ...result,
      ...(usd !== undefined && pricePerHour !== undefined && { cost: { usd, perThousand, pricePerHour, cap } }),
      ...{ workers: watch.most, settings: watch.settings, changes: watch.changes },
    };
  } finally {
    done.abort();
    await watching;
  }
}

/** Reads the workers and the settings of an endpoint during a load test. */
class EndpointWatch {
  readonly #plan: PlannedLoad;
  readonly #spend: Spend;
  #first: Settings | undefined;
  #last: Settings = {};
  readonly #changes: LoadReport['changes'] = [];
  #most: number | undefined;

  constructor(plan: PlannedLoad, spend: Spend) {
    this.#plan = plan;
    this.#spend = spend;
  }

  /** Settings at the start. */
  get settings(): Settings {
    return this.#first ?? {};
  }

  get changes(): LoadReport['changes'] {
    return this.#changes;
  }

  /** Largest number of billed workers. Undefined before the first read. */
  get most(): number | undefined {
    return this.#most;
  }

  /** @throws ApiError */
  async read(signal: AbortSignal): Promise<void> {
    const { client, endpointId: id, prices } = this.#plan;
    const [endpoint, { workers, endpointVersion }] = await Promise.all([
      client.getEndpoint({ id }, { signal }),
      client.listEndpointWorkers({ id }, { signal }),
    ]);
    const billed = workers.filter(isBilled).length;
    const stopping = Math.max(0, billed - endpoint.workers.min) / Math.max(1, billed);
    this.#spend.setWorkers(
      presentRate(workers, endpoint, prices)?.usdPerHour ?? 0,
      client.context.clock.now(),
      stopping,
    );
    this.#most = Math.max(this.#most ?? 0, billed);
    const settings = settingsOf(endpoint, endpointVersion);
    if (this.#first) this.#changes.push(...changesOf(this.#last, settings));
    this.#first ??= settings;
    this.#last = settings;
  }

  /** Reads again and again until the signal is aborted. A failure does not end a load test: the last values count. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#plan.client.context;
    try {
      for (;;) {
        await clock.sleep(SAMPLE_MS, signal);
        await this.read(signal).catch((error: unknown) => {
          if (!(error instanceof ApiError)) throw error;
        });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

function idleTimeoutOf({ workers }: Endpoint): number {
  return workers.idleTimeout ?? WORKER_DEFAULTS.idleTimeout;
}
