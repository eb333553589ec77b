import * as z from 'zod';
import { MAX_JOB_LIFE_MS } from './bounds.ts';
import { METRIC_STEPS } from './control/controlMetrics.ts';
import { fieldFacts } from './fieldFacts.ts';

/* Conditions on an endpoint that a manifest names, and the notices about them. */

/** Maximum bound of a duration in seconds: the maximum lifetime of a job. */
const MAX_BOUND_S = MAX_JOB_LIFE_MS / 1_000;
/** Maximum time in seconds for which a condition must hold: that of the shortest buckets, from which it can be determined at once. */
const MAX_TIME_S = METRIC_STEPS[0].keptSeconds;
const MAX_COUNT = 1_000;

export const ALERT_DEFAULTS = { p99For: 300 } as const;

/** Conditions of `x-alerts`. */
export const ALERT_CONDITIONS = ['failuresInARow', 'p99', 'queueStuck', 'crashLoop', 'spendPerHour'] as const;
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

/** Durations of which `p99` can be the bound, with the names of the metrics. */
const ALERT_DURATIONS = ['endToEnd', 'queueDelay', 'execution', 'coldStart', 'latency'] as const;
export type AlertDuration = (typeof ALERT_DURATIONS)[number];

const SlowPart = z
  .strictObject({
    of: z
      .enum(ALERT_DURATIONS)
      .optional()
      .meta({
        description:
          'Duration to watch. endToEnd: from the submission to the end. queueDelay: in the queue. execution: on the worker. coldStart: start of a worker. latency: of a request to a LOAD_BALANCER endpoint. Default: latency for LOAD_BALANCER endpoints, and otherwise endToEnd.',
        examples: ['endToEnd'],
      }),
    over: z
      .number()
      .min(0.001)
      .max(MAX_BOUND_S)
      .meta({ description: 'Bound in seconds.', examples: [30] })
      .register(fieldFacts, { unit: 's' }),
    for: z
      .int()
      .min(60)
      .max(MAX_TIME_S)
      .optional()
      .meta({
        description: 'Time in seconds for which the percentile is over the bound. Default: 300.',
        examples: [ALERT_DEFAULTS.p99For],
        default: ALERT_DEFAULTS.p99For,
      })
      .register(fieldFacts, { unit: 's' }),
  })
  .meta({
    description: '99th percentile of a duration that stays over a bound. Default: not watched.',
    examples: [{ over: 30 }],
  });

/** Conditions of which the user is told. */
export const AlertsPart = z
  .strictObject({
    failuresInARow: z
      .int()
      .min(1)
      .max(MAX_COUNT)
      .optional()
      .meta({
        description:
          'Number of jobs that fail or time out without a completed one in between. For a LOAD_BALANCER endpoint, responses with a status of 500 or more, and refused requests. Default: not watched.',
        examples: [5],
      }),
    p99: SlowPart.optional(),
    queueStuck: z
      .int()
      .min(30)
      .max(MAX_TIME_S)
      .optional()
      .meta({
        description:
          'Time in seconds for which jobs wait while no job starts or ends. Choose more than the longest job takes. Default: not watched.',
        examples: [600],
      })
      .register(fieldFacts, { unit: 's' }),
    crashLoop: z
      .int()
      .min(2)
      .max(MAX_COUNT)
      .optional()
      .meta({
        description: 'Number of workers that crash within 10 minutes. Default: not watched.',
        examples: [3],
      }),
    spendPerHour: z
      .number()
      .min(0.01)
      .max(1_000_000)
      .optional()
      .meta({
        description: 'Cost of the workers in USD per hour, averaged over 5 minutes. Default: not watched.',
        examples: [2.5],
      }),
  })
  .meta({
    description:
      'Conditions that the editor and cloud-compute watch report to you. Not sent to any platform. Default: none.',
    examples: [{ failuresInARow: 5, queueStuck: 600 }],
  });
export type AlertsPart = z.infer<typeof AlertsPart>;

/** Body that `cloud-compute watch` posts to a webhook, and a line of its `--json`. */
export const AlertNotice = z.strictObject({
  id: z.string().meta({
    description: 'ID of the notice. The same notice has the same ID when it is sent again, also by another program.',
  }),
  event: z.enum(['fired', 'resolved']).meta({ description: 'fired: the condition holds. resolved: no longer.' }),
  condition: z.enum(ALERT_CONDITIONS).meta({ description: 'Condition, as in x-alerts.' }),
  endpointId: z.string().meta({ description: 'ID of the endpoint.' }),
  endpointName: z.string().meta({ description: 'Name of the endpoint.' }),
  platform: z.string().meta({ description: 'Name of the connection.' }),
  file: z.string().meta({ description: 'Path of the manifest.' }),
  value: z.number().meta({
    description: 'Measured value: a number of failures or crashes, seconds, or USD per hour.',
  }),
  bound: z.number().meta({ description: 'Bound of the manifest, in the same unit.' }),
  since: z.iso.datetime().meta({ description: 'Start of the condition, in UTC.' }),
  at: z.iso.datetime().meta({ description: 'Time of the measurement that fired or resolved it, in UTC.' }),
  message: z.string().meta({ description: 'One sentence for people, in English.' }),
});
export type AlertNotice = z.infer<typeof AlertNotice>;
