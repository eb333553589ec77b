import * as z from 'zod';
import { MAX_JOB_LIFE_MS } from './bounds.ts';
import { integerParameter, openEnum } from './schema.ts';
import { schemaRule } from './schemaRule.ts';

/* Jobs of queue-based endpoints. */

export const JOB_STATUSES = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

const TERMINAL: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'];

/** Returns true for a status that only a retry can change. An unknown status is not terminal. */
export function isTerminal(status: string): boolean {
  return TERMINAL.includes(status);
}

const SHORTEST_LIFE_MS = 10_000;

/** Maximum sizes of the bodies of run and runsync, in bytes. A result has the limit of its request. */
export const MAX_RUN_BYTES = 10 * 1_048_576;
export const MAX_RUN_SYNC_BYTES = 20 * 1_048_576;

const policyMs = (min: number) => z.int().min(min).max(MAX_JOB_LIFE_MS);

/**
 * Request header of run and runsync with a key that the caller chooses. A second request with the same key returns the job of the first
 * one. The name is that of the IETF draft. Platforms that do not support it ignore it.
 */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/** Returns whether a key consists of 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(key: string): boolean {
  return key.length <= MAX_IDEMPOTENCY_KEY_LENGTH && /^[!-~]+$/.test(key);
}

/** An object with any content. */
type AnyObject = Readonly<Record<string, unknown>>;

/**
 * Checks only that the value is an object, and returns the same object. `z.record` would copy each member of a body of up to 20 MB,
 * and drop a member named `__proto__`, which is valid in JSON.
 */
const anyObject = () =>
  z
    .unknown()
    .refine((value) => value !== undefined, {
      ...schemaRule('missingField', { expected: 'an object' }),
      abort: true,
    })
    .refine(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      schemaRule('notAnObject', {}),
    )
    .meta({ type: 'object', additionalProperties: {} }) as unknown as z.ZodType<AnyObject>;

/** Input of a handler. */
export type JobInput = AnyObject;
export const JobInput = anyObject();

export const JobRequest = z.looseObject({
  input: JobInput.meta({ description: 'Input of the handler, an object with any content.' }),
  webhook: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .optional()
    .meta({ description: 'URL that receives a POST with the job when it ends. It must respond with 200.' }),
  policy: z
    .looseObject({
      executionTimeout: policyMs(5_000)
        .optional()
        .meta({ description: 'Maximum execution time of the job, in ms. Default: the timeout of the endpoint.' }),
      ttl: policyMs(SHORTEST_LIFE_MS)
        .optional()
        .meta({ description: 'Maximum lifetime of the job in ms, from its submission.' }),
      lowPriority: z
        .boolean()
        .optional()
        .meta({ description: 'true: the job does not start additional workers. Default: false.' }),
    })
    .optional()
    .meta({ description: 'Limits and priority of the job.' }),
  s3Config: anyObject()
    .optional()
    .meta({ description: 'S3 settings that are passed to the worker. They appear in no response.' }),
});
export type JobRequest = z.infer<typeof JobRequest>;

/** Serializes a value, which can be nested too deeply for `JSON.stringify`. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'an error that is nested too deeply to be shown';
  }
}

const status = openEnum(JOB_STATUSES).meta({ description: 'State of the job.' });

export const Job = z.looseObject({
  id: z.string().meta({ description: 'ID of the job.' }),
  status,
  delayTime: z.number().optional().meta({ description: 'Time in the queue, in ms.' }),
  executionTime: z.number().optional().meta({ description: 'Execution time on the worker, in ms.' }),
  workerId: z.string().optional().meta({ description: 'ID of the worker that took the job.' }),
  output: z.unknown().optional().meta({ description: 'Output of the handler, any JSON value.' }),
  // A worker can return an error that is not a string. It becomes JSON instead of a schema violation.
  error: z
    .unknown()
    .transform((error) => (typeof error === 'string' || error === undefined ? error : jsonText(error)))
    .meta({ type: 'string', description: 'Reason for the status FAILED.' })
    .optional(),
});
export type Job = z.infer<typeof Job>;

/** Body that a webhook receives: the ended job with its input and the URL of the webhook. */
export const JobWebhook = z.looseObject({
  ...Job.shape,
  input: z.unknown().meta({ description: 'Input of the job.' }),
  webhook: z.string().meta({ description: 'URL of the webhook.' }),
});
export type JobWebhook = z.infer<typeof JobWebhook>;

export const JobStream = z.looseObject({
  status,
  stream: z
    .array(z.looseObject({ output: z.unknown().meta({ description: 'Chunk that the handler yielded.' }) }))
    .meta({ description: 'Output chunks since the last call, oldest first.' }),
});
export type JobStream = z.infer<typeof JobStream>;

export const PurgeResult = z.looseObject({
  removed: z.number().meta({ description: 'Number of removed jobs.' }),
  status: z.string().meta({ description: 'Outcome of the request, such as completed.' }),
});

export const EndpointHealth = z.looseObject({
  jobs: z
    .looseObject({
      completed: z.number().meta({ description: 'Completed jobs.' }),
      failed: z.number().meta({ description: 'Failed jobs.' }),
      inProgress: z.number().meta({ description: 'Jobs that a worker is running.' }),
      inQueue: z.number().meta({ description: 'Jobs that are waiting for a worker.' }),
      retried: z.number().meta({ description: 'Number of times that these jobs returned to the queue.' }),
    })
    .meta({ description: 'Numbers of jobs.' }),
  workers: z
    .looseObject({
      idle: z.number().meta({ description: 'Workers that are ready and have no job.' }),
      running: z.number().meta({ description: 'Workers that are running a job.' }),
      initializing: z.number().optional().meta({ description: 'Workers that are starting.' }),
      ready: z.number().optional().meta({ description: 'Workers that have started, with or without a job.' }),
      throttled: z.number().optional().meta({ description: 'Workers that are waiting for capacity.' }),
      unhealthy: z.number().optional().meta({ description: 'Workers that cannot run.' }),
    })
    .meta({ description: 'Numbers of workers.' }),
});
export type EndpointHealth = z.infer<typeof EndpointHealth>;

/** Time that runsync waits for the result if the request has no `wait`, in ms. */
export const DEFAULT_WAIT_MS = 90_000;
/** Bounds of the time that a request can wait for a result, in ms. */
export const MIN_WAIT_MS = 1_000;
export const MAX_WAIT_MS = 300_000;
export const WaitQuery = z.strictObject({
  wait: integerParameter({ min: MIN_WAIT_MS, max: MAX_WAIT_MS })
    .optional()
    .meta({
      description: `Maximum time to wait, in ms. Default: ${DEFAULT_WAIT_MS} for runsync and status-sync, and less for stream.`,
    }),
});
export const StatusQuery = z.strictObject({
  ttl: integerParameter({ min: SHORTEST_LIFE_MS, max: MAX_JOB_LIFE_MS })
    .optional()
    .meta({ description: 'New maximum lifetime of the job in ms, from its submission. Default: no change.' }),
});
