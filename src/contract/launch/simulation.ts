import * as z from 'zod';
import { MAX_INTEGER, MAX_TIME_SPAN_MS, MAX_WORKERS } from '../bounds.ts';
import { EndpointType, Flashboot, Scaling } from '../endpointSettings.ts';

/*
 * The simulation of an endpoint is a process. It reads one request from stdin, a JSON object, and prints one event per line on stdout. It
 * ends when all settings are simulated, or when it is killed.
 */

/** Exit codes of the process. If it fails, it prints one sentence on stderr. */
export const SIMULATION_EXIT_CODES = {
  ok: 0,
  failed: 1,
  /** The request is not JSON, or is invalid. */
  badRequest: 2,
} as const;

/** Maximum number of arrivals, and of times in any other list. */
export const MAX_SIMULATED_ARRIVALS = 1_000_000;

/** Maximum number of settings in one request. */
const MAX_SIMULATED_SETTINGS = 10_000;

const ms = () => z.number().min(0).max(MAX_TIME_SPAN_MS);
const times = () => z.array(ms()).max(MAX_SIMULATED_ARRIVALS);
const percentile = () => z.number().min(0).nullable();

function isAscending(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value >= (values[index - 1] ?? 0));
}

/** Settings of an endpoint whose cost and wait times are simulated. */
export const SimulatedSettings = z.object({
  /** Chosen by the caller, who finds the result with it. */
  id: z.string(),
  scaling: Scaling,
  min: z.int().min(0).max(MAX_WORKERS),
  max: z.int().min(0).max(MAX_WORKERS),
  idleTimeoutMs: ms(),
  flashboot: Flashboot,
  /** Price of one worker. */
  usdPerSecond: z.number().min(0),
  /** Execution times on this hardware, divided by those of the request. */
  executionFactor: z.number().positive().max(1_000).default(1),
});
export type SimulatedSettings = z.infer<typeof SimulatedSettings>;

/** The load that all settings receive. Times are ms since the start. A list of times repeats when it is too short. */
export const SimulatedLoad = z.object({
  type: EndpointType,
  durationMs: ms(),
  /** Ascending. */
  arrivalsMs: times().refine(isAscending, 'must be ascending'),
  /** Execution time of each arrival. */
  executionsMs: times().min(1),
  /** Time from the start of a worker until it is ready, for each started worker. */
  coldStartsMs: times().min(1),
  /** Part of the cold start until the process of the worker is up, which is not paid. Default: all of it is paid. */
  processStartsMs: times().min(1).default([0]),
  /** Time until a worker on standby is ready, for each resumed worker. */
  resumesMs: times().min(1),
  /** Time between the end of a job and the start of the next one on the same worker. */
  handOverMs: ms().default(0),
  /** Jobs that one worker executes at the same time. Further requests of a load balancer wait inside the worker. */
  concurrency: z.int().min(1).max(MAX_INTEGER).default(1),
  /** A job that runs longer fails. */
  executionTimeoutMs: ms().optional(),
  /** A job that waits longer expires. In a queue, it also expires while it runs. Default: a day, or two minutes for a load balancer. */
  ttlMs: ms().optional(),
  /** Workers beyond this number are throttled. */
  capacity: z.int().min(0).optional(),
});
export type SimulatedLoad = z.infer<typeof SimulatedLoad>;

export const SimulationRequest = z.object({
  load: SimulatedLoad,
  settings: z.array(SimulatedSettings).min(1).max(MAX_SIMULATED_SETTINGS),
});
export type SimulationRequest = z.infer<typeof SimulationRequest>;

/** What the load costs with some settings, and how long its jobs wait. A percentile of no job is null. */
export const SimulationResult = z.object({
  id: z.string(),
  /** Cost of the whole load, which ends when the last worker has stopped or, with a minimum of workers, with the duration. */
  usd: z.number(),
  /** Time until each job begins, or expires before that. */
  waitMs: z.object({ p50: percentile(), p90: percentile(), p95: percentile(), p99: percentile(), max: percentile() }),
  completed: z.int(),
  timedOut: z.int(),
  coldStarts: z.int(),
  resumes: z.int(),
  peakWorkers: z.int(),
  /** Time that workers execute jobs, divided by the time that they are paid. null without paid time. */
  utilization: z.number().nullable(),
});
export type SimulationResult = z.infer<typeof SimulationResult>;

export const SimulationEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('result'), result: SimulationResult }),
  /** The last event. */
  z.object({ type: z.literal('end') }),
]);
export type SimulationEvent = z.infer<typeof SimulationEvent>;
