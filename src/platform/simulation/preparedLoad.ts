import type { SimulatedLoad } from '../../contract/launch/simulation.ts';

/** A load in whole ms, as the clock of the platform counts. Its arrays can be shared with other threads. */
export interface PreparedLoad extends Pick<SimulatedLoad, 'type' | 'durationMs' | 'concurrency'> {
  readonly arrivals: Float64Array;
  readonly executions: Float64Array;
  readonly coldStarts: Float64Array;
  readonly processStarts: Float64Array;
  readonly resumes: Float64Array;
  readonly handOverMs: number;
  /** Infinity if there is none. */
  readonly executionTimeoutMs: number;
  readonly ttlMs: number | undefined;
  /** Infinity if there is none. */
  readonly capacity: number;
}

export function prepareLoad(load: SimulatedLoad): PreparedLoad {
  return {
    ...{ type: load.type, durationMs: Math.round(load.durationMs), concurrency: load.concurrency },
    arrivals: rounded(load.arrivalsMs),
    // Rounded once they are multiplied by the factor of the hardware.
    executions: shared(load.executionsMs),
    coldStarts: rounded(load.coldStartsMs),
    processStarts: rounded(load.processStartsMs),
    resumes: rounded(load.resumesMs),
    handOverMs: Math.round(load.handOverMs),
    executionTimeoutMs: Math.round(load.executionTimeoutMs ?? Infinity),
    ttlMs: load.ttlMs === undefined ? undefined : Math.round(load.ttlMs),
    capacity: load.capacity ?? Infinity,
  };
}

const rounded = (values: readonly number[]): Float64Array => shared(values.map((value) => Math.round(value)));

function shared(values: readonly number[]): Float64Array {
  const array = new Float64Array(new SharedArrayBuffer(values.length * Float64Array.BYTES_PER_ELEMENT));
  array.set(values);
  return array;
}
