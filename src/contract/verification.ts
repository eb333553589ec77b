import * as z from 'zod';
import { ProcessText } from './environment.ts';
import { JobInput } from './job.ts';
import { Expectation } from './jobFile.ts';
import { schemaRule } from './schemaRule.ts';

const MAX_TIMEOUT_S = 86_400;

/** The job or the requests that must succeed after a deployment. */
export const VerifyPart = z
  .strictObject({
    job: ProcessText.min(1)
      .optional()
      .meta({
        description: 'Path of a job file, relative to the manifest. Its expectations apply. Default: input is the job.',
        examples: ['hello.job.json'],
      }),
    request: ProcessText.min(1)
      .optional()
      .meta({
        description:
          'Path of a request file, relative to the manifest. Its requests with @expect must meet their expectations. For LOAD_BALANCER endpoints only. Default: a job verifies the endpoint.',
        examples: ['verify.http'],
      }),
    input: JobInput.optional().meta({
      description: 'Input of the job, an object with any content. Default: the job file is the job.',
      examples: [{ name: 'Ada' }],
    }),
    expect: Expectation.optional().meta({
      description: 'Expectations about the result of input, as in a job file. Default: the job is completed.',
      examples: [{ output: { greeting: 'Hello, Ada!' } }],
    }),
    timeout: z
      .int()
      .min(1)
      .max(MAX_TIMEOUT_S)
      .optional()
      .meta({
        description:
          'Maximum time in seconds from the submission of the job to its end, or from the first request to the last response, including the start of a worker. Default: the time in which a worker must be up.',
        examples: [120],
      }),
  })
  .refine(
    ({ job, input, request }) => [job, input, request].filter((one) => one !== undefined).length === 1,
    schemaRule('verifyUnclear', {}),
  )
  .refine(({ job, request, expect }) => (job ?? request) === undefined || expect === undefined, {
    ...schemaRule('verifyExpectsTwice', {}),
    path: ['expect'],
  })
  .refine(({ input, expect }) => isJson(input) && isJson(expect), schemaRule('noJsonForm', {}))
  .meta({
    description:
      'A job, or requests of a LOAD_BALANCER endpoint, that must meet their expectations after each deployment. Not sent to any platform. Default: none.',
    examples: [{ input: { name: 'Ada' }, expect: { output: { greeting: 'Hello, Ada!' } } }, { request: 'verify.http' }],
  });
export type VerifyPart = z.infer<typeof VerifyPart>;

/** Returns whether a value of YAML has a JSON form. JSON has no infinite numbers. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isJson);
}
