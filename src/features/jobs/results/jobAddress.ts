import * as z from 'zod';
import { DocumentAddresses } from '../../../kit/documents/address.ts';
import { JOB_SCHEME } from '../model/jobNames.ts';

/** Text documents of a job: its JSON, its error with the traceback, and its streamed chunks. */
export type JobPart = 'result' | 'error' | 'stream';

const Address = z.object({
  connectionId: z.string(),
  endpointId: z.string(),
  jobId: z.string(),
  part: z.enum(['result', 'error', 'stream', 'image']),
  /** Number of an image of the output, from 1. */
  image: z.int().min(1).max(9_999).optional(),
  extension: z
    .string()
    .regex(/^\w{1,8}$/)
    .optional(),
});

export type JobDocument = z.infer<typeof Address>;

const suffixes: Readonly<Record<JobPart, string>> = { result: '.json', error: '.error.txt', stream: '.stream.txt' };

export const jobAddresses = new DocumentAddresses(JOB_SCHEME, Address, ({ part, extension = '' }) =>
  part === 'image' ? `.${extension}` : suffixes[part],
);
