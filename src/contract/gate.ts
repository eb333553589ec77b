import * as z from 'zod';

/* The gate of a manifest: recorded jobs run on the deployed version of its worker and on the next one, and their results are compared. */

/** Maximum number of jobs of a gate. */
export const MAX_GATE_JOBS = 1_000;
export const GATE_DEFAULTS = { jobs: 50, tolerance: 0 } as const;

const tolerance = (description: string, example: number) =>
  z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({
      description: `${description} Default: 0, no difference.`,
      examples: [example],
      default: GATE_DEFAULTS.tolerance,
    });

export const GatePart = z
  .strictObject({
    jobs: z
      .int()
      .min(1)
      .max(MAX_GATE_JOBS)
      .optional()
      .meta({
        description: 'Number of recorded jobs that run, the latest first. Default: 50.',
        examples: [GATE_DEFAULTS.jobs],
        default: GATE_DEFAULTS.jobs,
      }),
    require: z
      .boolean()
      .optional()
      .meta({
        description:
          'true: a deployment needs a passed gate for exactly the content of the manifest and its worker. Default: false.',
        examples: [true],
      }),
    tolerance: z
      .strictObject({
        numbers: tolerance('Accepted relative difference of numbers, such as 0.01 for 1 %.', 0.01),
        text: tolerance('Accepted fraction of the characters of a text that differ.', 0.05),
        images: tolerance('Accepted fraction of the pixels of an image that differ.', 0.001),
      })
      .optional()
      .meta({ description: 'Differences of outputs that are accepted. Default: none.', examples: [{ numbers: 0.01 }] }),
    maxSlower: z
      .number()
      .min(0)
      .max(10_000)
      .optional()
      .meta({
        description:
          'Accepted increase of the median execution time, in percent. An increase of up to 10 ms is accepted. Default: any.',
        examples: [20],
      }),
  })
  .meta({
    description:
      'Recorded jobs that run on the earlier and the new version of the worker before a deployment, and the accepted differences of their results. Not sent to any platform. Default: none.',
    examples: [{ jobs: 50, require: true, maxSlower: 20 }],
  });
export type GatePart = z.infer<typeof GatePart>;
