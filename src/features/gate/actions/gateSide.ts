import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { callAfter } from '../../../client/clock.ts';
import { controlClientOf } from '../../../client/controlClient.ts';
import { startPrivatePlatform } from '../../../account/localPlatform/privatePlatform.ts';
import { readHardware } from '../../../account/liveValues/readHardware.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import type { ValueSource } from '../../../account/secrets/envReferences.ts';
import { millisecondsOf } from '../../../contract/dateTime.ts';
import type { CreateEndpointBody, Endpoint } from '../../../contract/endpoint.ts';
import { PROCESS_IMAGE_PREFIX } from '../../../contract/processImage.ts';
import { PlatformStartError } from '../../../machine/platformLaunch.ts';
import { descendantMemory } from '../../../machine/processTree.ts';
import { shown } from '../../../text/shownText.ts';
import { findStartFailure, startFailureWords } from '../../jobs/expectations/actions/findStartFailure.ts';
import { createEndpoint } from '../../manifest/actions/createEndpoint.ts';
import { UnresolvedReferencesError } from '../../manifest/actions/resolveBody.ts';
import { quantile, type SideReport } from '../model/gateReport.ts';
import { GateError } from './gateError.ts';
import { ScratchEndpoint, type ScratchPlace } from './scratchEndpoint.ts';

/** Time in which a worker must be ready, in ms. Covers the download of a large image. */
const START_LIMIT_MS = 900_000;

/** Where a version of the worker runs. */
export type GatePlace =
  /** A local platform of its own, which ends with the gate. The flags are those of its engine. Default: none. */
  | { readonly kind: 'private'; readonly platformScript: string; readonly flags?: readonly string[] }
  /** A new endpoint on a connected platform, which is deleted with the gate. */
  | ({ readonly kind: 'connection'; readonly isLocal: boolean } & ScratchPlace);

export interface SideOptions {
  readonly label: string;
  readonly body: CreateEndpointBody;
  readonly place: GatePlace;
  readonly values: ValueSource;
  readonly signal: AbortSignal;
}

/** One version of a worker that runs. */
export class GateSide {
  readonly client: Client;
  readonly endpoint: Endpoint;
  /** Aborted with the gate, and if the platform ends. */
  readonly signal: AbortSignal;
  readonly #label: string;
  readonly #coldStartMs: number | undefined;
  readonly #usdPerHour: number | undefined;
  readonly #lost: () => string | undefined;
  readonly #memory: () => Promise<number | undefined>;
  #memoryBytes: number | undefined;
  readonly #executionsMs: number[] = [];

  constructor(
    { client, signal, memory, lost }: Opened,
    facts: { readonly label: string; readonly endpoint: Endpoint } & Facts,
  ) {
    this.client = client;
    this.signal = signal;
    this.endpoint = facts.endpoint;
    this.#label = facts.label;
    this.#memory = memory;
    this.#lost = lost;
    this.#coldStartMs = facts.coldStartMs;
    this.#usdPerHour = facts.usdPerHour;
  }

  /** @throws GateError if the platform has ended */
  throwIfLost(): void {
    const reason = this.#lost();
    if (reason !== undefined) throw new GateError('noPlatform', shown`the local platform stopped: ${reason}`);
  }

  /** Records the execution time of an ended job, and measures the memory. @param executionMs undefined if it is not known */
  async measure(executionMs: number | undefined): Promise<void> {
    if (executionMs !== undefined) this.#executionsMs.push(executionMs);
    const bytes = await this.#memory();
    if (bytes !== undefined) this.#memoryBytes = Math.max(bytes, this.#memoryBytes ?? 0);
  }

  get report(): SideReport {
    const times = this.#executionsMs;
    const totalMs = times.reduce((sum, ms) => sum + ms, 0);
    return {
      label: this.#label,
      medianMs: quantile(times, 0.5),
      p95Ms: quantile(times, 0.95),
      coldStartMs: this.#coldStartMs,
      memoryBytes: this.#memoryBytes,
      usd: this.#usdPerHour === undefined || times.length === 0 ? undefined : (this.#usdPerHour * totalMs) / 3_600_000,
    };
  }
}

interface Facts {
  readonly coldStartMs: number | undefined;
  readonly usdPerHour: number | undefined;
}

/**
 * Starts a version of a worker, and ends it after the action, even if that fails.
 *
 * @throws GateError if the worker cannot start
 */
export async function withSide<Result>(
  options: SideOptions,
  act: (side: GateSide) => Promise<Result>,
): Promise<Result> {
  const opened = await open(options);
  try {
    return await act(await start(options, opened));
  } catch (error) {
    const reason = opened.lost();
    if (reason === undefined || options.signal.aborted) throw error;
    throw new GateError('noPlatform', shown`the local platform stopped: ${reason}`);
  } finally {
    await opened.close();
  }
}

interface Opened {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly memory: () => Promise<number | undefined>;
  /** Creates the endpoint, which does not exist any more once `close` has resolved. */
  readonly create: (body: CreateEndpointBody) => Promise<Endpoint>;
  /** Returns why the platform has ended. Undefined while it runs. */
  readonly lost: () => string | undefined;
  readonly close: () => Promise<void>;
}

async function open(options: SideOptions): Promise<Opened> {
  const { place, signal, body, values } = options;
  if (place.kind === 'private') return openPrivate(place, options);
  const { client } = place;
  const scratch = await ScratchEndpoint.note(place, body.name);
  // Not aborted, because the endpoint would cost money.
  const { signal: never } = new AbortController();
  return {
    ...{ client, signal, memory: () => Promise.resolve(undefined), lost: () => undefined },
    create: (wanted) =>
      scratch.create(() =>
        createEndpoint({ client, store, values }, { body: { ...wanted, name: scratch.name } }, never),
      ),
    close: () => scratch.delete(),
  };
}

const store = { refresh: () => Promise.resolve() };

async function openPrivate(
  { platformScript: script, flags = [] }: Extract<GatePlace, { kind: 'private' }>,
  { body: { image = '' }, values, signal }: SideOptions,
): Promise<Opened> {
  const platform = await startPrivatePlatform({ script, flags }, signal).catch((error: unknown) => {
    if (!(error instanceof PlatformStartError)) throw error;
    throw new GateError('noPlatform', shown`the local platform cannot start: ${error.message}`);
  });
  const gone = new AbortController();
  let reason: string | undefined;
  void platform.ended.then((words) => {
    reason = words ?? l10n.t('it received a request to stop');
    gone.abort();
  });
  const { client } = platform;
  const stopping = AbortSignal.any([signal, gone.signal]);
  const isProcess = image.startsWith(PROCESS_IMAGE_PREFIX);
  return {
    ...{ client, signal: stopping },
    memory: () => (isProcess ? descendantMemory(platform.pid) : Promise.resolve(undefined)),
    create: (body) => createEndpoint({ client, store, values }, { body }, stopping),
    lost: () => reason,
    close: () => platform.stop(),
  };
}

async function start({ label, body }: SideOptions, opened: Opened): Promise<GateSide> {
  const { client, signal } = opened;
  const wanted: CreateEndpointBody = { ...body, workers: { ...body.workers, min: 1, max: 1 }, flashboot: 'OFF' };
  const endpoint = await opened.create(wanted).catch((error: unknown) => {
    signal.throwIfAborted();
    if (!(error instanceof ApiError) && !(error instanceof UnresolvedReferencesError)) throw error;
    throw new GateError('noStart', shown`${label}: the endpoint cannot be created: ${error.message}`);
  });
  signal.throwIfAborted();
  const limit = new AbortController();
  const stopTimer = callAfter(client.context.clock, START_LIMIT_MS, () => limit.abort());
  const failure = await findStartFailure(client, endpoint.id, AbortSignal.any([signal, limit.signal]));
  stopTimer();
  signal.throwIfAborted();
  if (failure) throw new GateError('noStart', shown`${label}: ${startFailureWords(failure.finding)}`);
  if (limit.signal.aborted)
    throw new GateError('noStart', shown`${label}: the worker was not ready in ${START_LIMIT_MS / 60_000} minutes`);
  const [coldStartMs, hardware] = await Promise.all([
    coldStartOf(client, endpoint.id, signal),
    readHardware(client, signal),
  ]);
  const usdPerHour = hardware && workerPrice(body, hardware.prices);
  return new GateSide(opened, { label, endpoint, coldStartMs, usdPerHour });
}

/** Returns the time that the start of the worker took, in ms. Undefined if the platform does not record it. */
async function coldStartOf(client: Client, endpointId: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const { workers } = await client.listEndpointWorkers({ id: endpointId }, { signal });
    const [worker] = workers;
    if (!worker) return undefined;
    const read = { endpointId, workerId: worker.id };
    const { spans } = await controlClientOf(client.context).getWorkerStart(read, { signal });
    const span = spans.find(({ kind }) => kind === 'coldStart');
    return span?.end === undefined ? undefined : millisecondsOf(span.end) - millisecondsOf(span.start);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
