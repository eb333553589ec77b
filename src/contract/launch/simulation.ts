import * as z from 'zod';
import { EndpointType, Flashboot, Scaling } from '../endpointSettings.ts';

/*
 * The simulation of an endpoint is a process. It reads one request from stdin, a JSON object, and prints one event per line on stdout. It
 * ends when all settings are simulated, or when it is killed.
 */

const ms = () => z.number().min(0);
const percentile = () => ms().nullable();

/** Settings of an endpoint whose cost and wait times are simulated. */
export const SimulatedSettings = z.object({
  /** Chosen by the caller, who finds the result with it. */
  id: z.string(),
  scaling: Scaling,
  min: z.int().min(0),
  max: z.int().min(0),
  idleTimeoutMs: ms(),
  flashboot: Flashboot,
  /** Price of one worker. */
  usdPerSecond: z.number().min(0),
  /** Execution times on this hardware, divided by those of the request. */
  executionFactor: z.number().positive().default(1),
});
export type SimulatedSettings = z.infer<typeof SimulatedSettings>;

/** The load that all settings receive. Times are ms since the start. A list of times repeats when it is too short. */
export const SimulatedLoad = z.object({
  type: EndpointType,
  durationMs: ms(),
  /** Ascending. */
  arrivalsMs: z.array(ms()),
  /** Execution time of each arrival. */
  executionsMs: z.array(ms()).min(1),
  /** Time from the start of a worker until it is ready, for each started worker. */
  coldStartsMs: z.array(ms()).min(1),
  /** Time until a worker on standby is ready, for each resumed worker. */
  resumesMs: z.array(ms()).min(1),
  /** Time between the end of a job and the start of the next one on the same worker. */
  handOverMs: ms().default(0),
  /** Jobs that one worker executes at the same time. */
  concurrency: z.int().min(1).default(1),
  /** A job that runs longer fails. */
  executionTimeoutMs: ms().optional(),
  /** A job that waits longer expires. */
  ttlMs: ms().optional(),
  /** Workers beyond this number are throttled. */
  capacity: z.int().min(0).optional(),
});
export type SimulatedLoad = z.infer<typeof SimulatedLoad>;

export const SimulationRequest = z.object({ load: SimulatedLoad, settings: z.array(SimulatedSettings).min(1) });
export type SimulationRequest = z.infer<typeof SimulationRequest>;

/** What the load costs with some settings, and how long its jobs wait. A percentile of no job is null. */
export const SimulationResult = z.object({
  id: z.string(),
  /** Cost of the whole load, which ends when the last worker has stopped or, with a minimum of workers, with the duration. */
  usd: z.number(),
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
