import * as z from 'zod';
import { MAX_JOB_LIFE_MS } from './bounds.ts';
import { JOB_STATUSES, JobRequest } from './job.ts';

/* A job file is a file with the body of a job, the name of its endpoint, and expectations about the result. */

/** Ending of the names of job files. */
export const JOB_FILE_SUFFIX = '.job.json';

const JsonSchema = z.union([z.string().min(1), z.record(z.string(), z.unknown())]);

export const Expectation = z
  .strictObject({
    status: z
      .enum(JOB_STATUSES)
      .optional()
      .meta({
        description: 'Status at the end. Default: FAILED if an error is expected, else COMPLETED.',
        examples: ['COMPLETED'],
      }),
    output: z
      .unknown()
      .optional()
      .meta({
        description:
          'JSON that the output contains. Objects can have more properties; lists and other values must be equal. Default: any output.',
        examples: [{ greeting: 'Hello, Ada!' }],
      }),
    error: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'Text that the error contains. Default: any error.', examples: ['no name'] }),
    schema: JsonSchema.optional().meta({
      description: 'JSON schema of the output, or the path of a schema file, relative to this file. Default: none.',
      examples: ['output.schema.json'],
    }),
    maxExecutionTime: z
      .int()
      .min(1)
      .max(MAX_JOB_LIFE_MS)
      .optional()
      .meta({
        description: 'Longest execution time on the worker, in ms. Default: no limit.',
        examples: [2_000],
        'x-unit': 'ms',
      }),
  })
  .meta({ description: 'Expectations about the result. A file with expectations is a test in the Test Explorer.' });
export type Expectation = z.infer<typeof Expectation>;

export const JobFile = z
  .strictObject({
    $schema: z.string().optional().meta({ description: 'Ignored.' }),
    endpoint: z
      .string()
      .min(1)
      .optional()
      .meta({
        description:
          'Name or ID of the queue endpoint. Not sent. Default: the endpoint of the manifest in the same folder, or the only queue endpoint.',
        examples: ['hello'],
      }),
    ...JobRequest.shape,
    expect: Expectation.optional(),
  })
  .meta({ title: 'Job', description: 'Request for a job of a queue endpoint.' });
export type JobFile = z.infer<typeof JobFile>;

/** Returns the body that is sent: the job file without the members for the editor. */
export function jobRequestOf({ $schema: _, endpoint, expect, ...request }: JobFile): JobRequest {
  return request;
}

/** Returns the JSON Schema of a job file, for editors. */
export function jobFileJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(JobFile, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
}
