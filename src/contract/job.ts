import * as z from 'zod';
import { MAX_JOB_LIFE_MS } from './bounds.ts';
import { integerParameter, openEnum } from './schema.ts';
import { schemaRule } from './schemaRule.ts';

/* Jobs of queue-based endpoints (interface document, operations 2 to 4, States; facts, section 4). */

export const JOB_STATUSES = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

const TERMINAL: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'];

/** Whether a job with this status will not change any more (but for a retry). An unknown status is taken as still changing. */
export function isTerminal(status: string): boolean {
  return TERMINAL.includes(status);
}

const SHORTEST_LIFE_MS = 10_000;

const policyMs = (min: number) => z.int().min(min).max(MAX_JOB_LIFE_MS);

/** Input of a handler: an object with any content. */
export type JobInput = Readonly<Record<string, unknown>>;

/**
 * Checks only that the value is an object, and passes the same object on. `z.record` would copy each member of a body of up to 20 MB,
 * and drop a member named `__proto__`, which is valid in JSON.
 */
export const JobInput = z
  .unknown()
  .refine((input) => input !== undefined, {
    ...schemaRule('missingField', { expected: 'an object' }),
    abort: true,
  })
  .refine(
    (input) => typeof input === 'object' && input !== null && !Array.isArray(input),
    schemaRule('notAnObject', {}),
  )
  .meta({ type: 'object', additionalProperties: {} }) as unknown as z.ZodType<JobInput>;

export const JobRequest = z.looseObject({
  input: JobInput,
  webhook: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .meta({ description: 'Is told of the end of the job by a POST, which it answers with 200.' }),
  policy: z
    .looseObject({
      executionTimeout: policyMs(5_000).optional().meta({ description: 'ms a job may run' }),
      ttl: policyMs(SHORTEST_LIFE_MS).optional().meta({ description: 'ms a job may exist, from submission' }),
      lowPriority: z.boolean().optional().meta({ description: 'true: does not cause workers to be added' }),
    })
    .optional(),
  s3Config: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Handed on to the worker, and shown nowhere else.' }),
});
export type JobRequest = z.infer<typeof JobRequest>;

/** A value may be nested too deeply to be written. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'an error that is nested too deeply to be shown';
  }
}

export const Job = z.looseObject({
  id: z.string(),
  status: openEnum(JOB_STATUSES),
  delayTime: z.number().optional().meta({ description: 'ms waited in the queue' }),
  executionTime: z.number().optional().meta({ description: 'ms a worker took' }),
  workerId: z.string().optional(),
  output: z.unknown().optional(),
  // Workers may return an error that is not a text; it is shown as JSON rather than refused.
  error: z
    .unknown()
    .transform((error) => (typeof error === 'string' || error === undefined ? error : jsonText(error)))
    .meta({ type: 'string', description: 'Why it FAILED.' })
    .optional(),
});
export type Job = z.infer<typeof Job>;

/** What a webhook is sent (facts, section 4d): the job as it ended, what it was given, and the address itself. */
export const JobWebhook = z.looseObject({ ...Job.shape, input: z.unknown(), webhook: z.string() });
export type JobWebhook = z.infer<typeof JobWebhook>;

export const JobStream = z.looseObject({
  status: openEnum(JOB_STATUSES),
  stream: z.array(z.looseObject({ output: z.unknown() })),
});
export type JobStream = z.infer<typeof JobStream>;

export const PurgeResult = z.looseObject({ removed: z.number(), status: z.string() });

export const EndpointHealth = z.looseObject({
  jobs: z.looseObject({
    completed: z.number(),
    failed: z.number(),
    inProgress: z.number(),
    inQueue: z.number(),
    retried: z.number().meta({ description: 'times that these jobs went back into the queue' }),
  }),
  workers: z.looseObject({
    idle: z.number(),
    running: z.number(),
    initializing: z.number().optional(),
    ready: z.number().optional().meta({ description: 'workers that are up, with a job or without' }),
    throttled: z.number().optional(),
    unhealthy: z.number().optional(),
  }),
});
export type EndpointHealth = z.infer<typeof EndpointHealth>;

/** How long runsync waits for the result when the call does not say, in milliseconds. */
export const DEFAULT_WAIT_MS = 90_000;
export const WaitQuery = z.strictObject({ wait: integerParameter({ min: 1_000, max: 300_000 }).optional() });
export const StatusQuery = z.strictObject({
  ttl: integerParameter({ min: SHORTEST_LIFE_MS, max: MAX_JOB_LIFE_MS }).optional(),
});
