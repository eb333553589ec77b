import { writeSystemLine, type SystemLine } from '../../contract/systemLines.ts';
import { workerRate } from '../domain/usage.ts';
import { isReady, measuredState, type WorkerLifecycle } from '../domain/workerState.ts';
import { tracedLine, type WorkerTraceEvent } from '../domain/workerTraceEvent.ts';
import type { EndpointMeter } from '../metrics/endpointMeter.ts';
import type { WorkerEvents } from '../traces/workerEvents.ts';
import type { RunContext } from './workerRun.ts';

export interface RecordsContext extends Pick<RunContext, 'endpoint' | 'logs' | 'price' | 'clock'> {
  /** Measures the worker. */
  readonly meter: EndpointMeter;
  /** Records what traces show of the worker. */
  readonly events: Pick<WorkerEvents, 'record'>;
}

interface RecordedWorker {
  readonly id: string;
  /** Version of the release that the worker belongs to. */
  readonly version: number;
  /** Whether its start is measured, which takes longer than others. */
  readonly measured: boolean;
}

/** Records the system log of a worker, the events of its traces, and its measurements. */
export class WorkerRecords {
  readonly #worker: RecordedWorker;
  readonly #context: RecordsContext;
  /** Start of the process that is not ready yet, in ms since the epoch. */
  #coldSince: number | undefined;
  /** Whether the next work is the first one since the worker became ready or resumed. */
  #isFresh = false;
  /** When the worker was last ready, in ms since the epoch. */
  readyAt: number | undefined;

  constructor(worker: RecordedWorker, context: RecordsContext) {
    this.#worker = worker;
    this.#context = context;
  }

  /** Writes a line to the worker's system log. */
  note(line: SystemLine): void {
    const { endpoint, logs } = this.#context;
    logs.append({ workerId: this.#worker.id, endpointId: endpoint.id }, 'system', writeSystemLine(line));
    const event = tracedLine(line);
    if (event) this.trace(event);
  }

  trace(event: WorkerTraceEvent): void {
    const { endpoint, events, clock } = this.#context;
    const { id: workerId, version: release } = this.#worker;
    const at = clock.now();
    if (event.kind === 'ready' || event.kind === 'resumed') this.#isFresh = true;
    if (event.kind === 'ready') this.readyAt = at;
    events.record({ endpointId: endpoint.id, workerId, release, at, event });
  }

  /** Records that the worker begins a job or request. */
  workBegan(): void {
    if (!this.#isFresh) return;
    this.#isFresh = false;
    this.trace({ kind: 'begun' });
  }

  /** Begins to measure how long the next process takes to become ready. */
  startBegan(): void {
    this.#coldSince = this.#context.clock.now();
  }

  /** Measures the state of the worker. @param hasRun whether it has a process */
  measure(life: WorkerLifecycle, { load, hasRun }: { load: number; hasRun: boolean }): void {
    const { meter, clock, price, endpoint } = this.#context;
    const { id, measured } = this.#worker;
    const { state, version: release } = life;
    if (state.kind === 'stopped') {
      meter.setWorker(id, undefined);
      return;
    }
    if (this.#coldSince !== undefined && isReady(state)) {
      if (!measured) meter.coldStart(release, clock.now() - this.#coldSince);
      this.#coldSince = undefined;
    }
    const isCharged = hasRun && state.kind !== 'frozen' && state.kind !== 'waiting';
    const nanoUsdPerSecond = isCharged ? workerRate({ ...price, diskGb: endpoint.disk ?? 0 }) : 0;
    meter.setWorker(id, { release, state: measuredState(life, load), nanoUsdPerSecond });
  }
}
