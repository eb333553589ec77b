import * as z from 'zod';

/* The report of a load test, as a file. */

/** Most offsets of a recorded trace, and with it of a report. */
export const MAX_OFFSETS = 1_000_000;
const MAX_SECONDS = 604_800;

const Profile = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('rate'),
    rate: z.number().min(0),
    rampTo: z.number().min(0),
    seconds: z.number().positive().max(MAX_SECONDS),
    arrivals: z.enum(['constant', 'poisson']),
    seed: z.number(),
  }),
  z.object({ kind: z.literal('trace'), offsets: z.array(z.number().min(0)).max(MAX_OFFSETS).readonly() }),
]);

/** Latencies in ms. Each is missing if there was none. */
const Percentiles = z.object({
  p50: z.number().optional(),
  p90: z.number().optional(),
  p99: z.number().optional(),
  p999: z.number().optional(),
  max: z.number().optional(),
  mean: z.number().optional(),
});
export type Percentiles = z.infer<typeof Percentiles>;

/** Settings of an endpoint on which its speed and its costs depend, by the names of a manifest. */
const Settings = z.record(z.string(), z.union([z.string(), z.number()]));
export type Settings = z.infer<typeof Settings>;

/** What ended the arrivals: the profile, a cancellation, or the cap on the costs. */
const ENDS = ['profile', 'canceled', 'cap'] as const;

const Counts = z.object({
  /** Arrivals whose time had come. */
  due: z.number(),
  completed: z.number(),
  /** Refused or failed. */
  failed: z.number(),
  /** Without a result within the time limit of the endpoint. */
  timedOut: z.number(),
  /** Still without a result at the end. */
  unanswered: z.number(),
  /** Not sent, because too many others were in flight. */
  notSent: z.number(),
});
export type Counts = z.infer<typeof Counts>;

export const LoadReport = z.object({
  /** Version of this form. */
  loadReport: z.literal(1),
  file: z.string(),
  platform: z.string(),
  endpoint: z.object({ id: z.string(), name: z.string() }),
  /** As an RFC 3339 date-time. */
  startedAt: z.string(),
  /** Time with arrivals. */
  seconds: z.number(),
  profile: Profile,
  end: z.enum(ENDS),
  counts: Counts,
  /** Numbers of failures by reason, such as `HTTP 503`. */
  failures: z.record(z.string(), z.number()),
  /** From the intended time of an arrival to its result. Refused and failed ones are not included. */
  latency: Percentiles,
  /** Time in the queue, and on the worker, as the platform reports them for jobs. */
  queue: Percentiles,
  execution: Percentiles,
  /** From the intended time to the sending. A large value means that this machine was too slow. */
  lateness: Percentiles,
  /** Completed arrivals per second. */
  throughput: z.number(),
  /** Amounts in USD. `perThousand` is per thousand completed arrivals. Undefined: the price is not known. */
  cost: z
    .object({
      usd: z.number(),
      perThousand: z.number().optional(),
      pricePerHour: z.number(),
      cap: z.number().optional(),
    })
    .optional(),
  /** Largest number of billed workers that was seen. Undefined: they cannot be read. */
  workers: z.number().optional(),
  /** Settings at the start. */
  settings: Settings,
  /** Settings that changed in between. */
  changes: z.array(
    z.object({
      setting: z.string(),
      from: z.union([z.string(), z.number()]).optional(),
      to: z.union([z.string(), z.number()]).optional(),
    }),
  ),
  thresholds: z.array(z.object({ text: z.string(), value: z.number().optional(), holds: z.boolean() })),
});
export type LoadReport = z.infer<typeof LoadReport>;

/** Reads a report. Undefined: the text is none. */
export function readReport(text: string): LoadReport | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return LoadReport.safeParse(value).data;
}
