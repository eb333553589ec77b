import { ApiError, type ErrorKind } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { controlClientOf } from '../../../client/controlClient.ts';
import type { AlertCondition, AlertsPart } from '../../../contract/alerts.ts';
import { METRIC_STEPS } from '../../../contract/control/controlMetrics.ts';
import { millisecondsOf } from '../../../contract/dateTime.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { isQueue } from '../../../account/endpoints/endpointSnapshot.ts';
import { readHardware } from '../../../account/liveValues/readHardware.ts';
import { isBilled, presentRate } from '../../../account/prices/workerCost.ts';
import type { Prices } from '../../../account/prices/workerPrice.ts';
import { bucketBetween, bucketsOf, STEP_MS, untold, type Bucket, type Look } from '../model/bucket.ts';
import { evaluate, firing, NO_STATE, type AlertEvent, type AlertState } from '../model/evaluate.ts';

/** Errors that do not tell whether a platform measures. */
const TRANSIENT: readonly ErrorKind[] = ['canceled', 'network', 'timeout', 'rateLimited'];

/** Time before the first look that is evaluated, in ms: that of the shortest buckets. */
const PAST_MS = METRIC_STEPS[0].keptSeconds * 1_000;

/** Watches the conditions of one endpoint. Each look reads what happened since the one before. */
export class EndpointWatch {
  #state: AlertState = NO_STATE;
  #isMeasured: boolean | undefined;
  #before: Look | undefined;
  #prices: Prices | undefined;

  /** Conditions that hold, with the events that fired them. */
  readonly #fired = new Map<AlertCondition, AlertEvent>();

  get firing(): readonly AlertEvent[] {
    return [...this.#fired.values()];
  }

  /** Whether the platform does not measure. False until the first look. */
  get isObserved(): boolean {
    return this.#isMeasured === false;
  }

  /** Conditions of the manifest that this platform cannot tell. Empty until the first look. */
  untold(endpoint: Endpoint, alerts: AlertsPart): readonly AlertCondition[] {
    if (this.#isMeasured !== false) return [];
    return untold(isQueue(endpoint)).filter((condition) => alerts[condition] !== undefined);
  }

  /**
   * Resolves with the conditions that have begun or ended since the last look. The first look tells only conditions that hold now.
   *
   * @throws ApiError
   */
  async look(
    client: Client,
    endpoint: Endpoint,
    alerts: AlertsPart,
    signal: AbortSignal,
  ): Promise<readonly AlertEvent[]> {
    const isFirst = this.#state === NO_STATE;
    const buckets = await this.#read(client, endpoint, signal);
    const { state, events } = evaluate(this.#state, { alerts, isQueue: isQueue(endpoint) }, buckets);
    this.#state = state;
    for (const event of events)
      if (event.event === 'fired') this.#fired.set(event.condition, event);
      else this.#fired.delete(event.condition);
    if (!isFirst) return events;
    const holding = firing(state);
    return this.firing.filter(({ condition }) => holding.includes(condition));
  }

  async #read(client: Client, endpoint: Endpoint, signal: AbortSignal): Promise<readonly Bucket[]> {
    if (this.#isMeasured !== false) {
      try {
        const buckets = await this.#readMeasured(client, endpoint, signal);
        this.#isMeasured = true;
        return buckets;
      } catch (error) {
        // Only the platform knows whether it measures.
        if (this.#isMeasured || !(error instanceof ApiError) || TRANSIENT.includes(error.kind)) throw error;
        this.#isMeasured = false;
      }
    }
    const look = await this.#observe(client, endpoint, signal);
    const bucket = bucketBetween(this.#before, look);
    this.#before = look;
    return bucket ? [bucket] : [];
  }

  async #readMeasured(client: Client, { id }: Endpoint, signal: AbortSignal): Promise<readonly Bucket[]> {
    const options = { signal, waits: 0 };
    const metrics = controlClientOf(client.context);
    // The owner of a platform can change its time. Other users cannot read it.
    const now = await metrics.getClock({}, options).then(
      (clock) => millisecondsOf(clock.now),
      (error: unknown) => {
        if (!(error instanceof ApiError) || TRANSIENT.includes(error.kind)) throw error;
        return client.context.clock.now();
      },
    );
    // A reset sets the clock back.
    if (now < this.#state.through - STEP_MS) this.#state = NO_STATE;
    const until = Math.floor(now / STEP_MS) * STEP_MS;
    const start = Math.max(this.#state.through, until - PAST_MS);
    if (start >= until) return [];
    const query = { start: new Date(start).toISOString(), end: new Date(until).toISOString(), step: STEP_MS / 1_000 };
    return bucketsOf(await metrics.getEndpointMetrics({ endpointId: id, query }, options), until);
  }

  async #observe(client: Client, endpoint: Endpoint, signal: AbortSignal): Promise<Look> {
    const options = { signal, waits: 0 };
    const { id } = endpoint;
    this.#prices ??= (await readHardware(client, signal))?.prices;
    const [{ workers, summary }, health] = await Promise.all([
      client.listEndpointWorkers({ id }, options),
      isQueue(endpoint) ? client.getEndpointHealth({ endpointId: id }, options) : undefined,
    ]);
    const prices = this.#prices;
    const rate = prices && presentRate(workers, endpoint, { prices, takesFirst: false });
    return {
      at: client.context.clock.now(),
      jobs: health?.jobs,
      ...{ running: summary.running, unhealthy: summary.unhealthy },
      usdPerHour: workers.some(isBilled) ? rate?.usdPerHour : 0,
    };
  }
}
