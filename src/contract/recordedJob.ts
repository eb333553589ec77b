import * as z from 'zod';
import { JOB_STATUSES, JobInput, JobRequest } from './job.ts';
import { Expectation } from './jobFile.ts';

/*
 * A recording is a file with a job that a person chose to keep: its request, its result, and what is needed to run it again. It contains
 * no secret. It is meant to be committed.
 */

/** Ending of the names of recordings. They are in the folder `<name of the manifest>.recordings` beside the manifest. */
export const RECORDING_SUFFIX = '.recording.json';

/** Takes the place of a secret. The value is asked for, or read from the environment, when the job runs again. */
export const SECRET_REFERENCE = '$secret';

/** Takes the place of a large text or file: a path relative to the recording, with a SHA-256 in hexadecimal. */
export const FILE_REFERENCE = '$file';

/** Wraps an object that a handler received and that has a member with the name of a reference. The object itself is no reference. */
export const LITERAL_OBJECT = '$literal';

export const SecretReference = z.strictObject({
  [SECRET_REFERENCE]: z.string().regex(/^[A-Za-z_][\w.-]{0,127}$/),
  /** Type of the value. Default: a text. */
  type: z.literal('number').optional(),
});
export type SecretReference = z.infer<typeof SecretReference>;

export const FileReference = z.strictObject({
  [FILE_REFERENCE]: z.string().min(1).max(1_000),
  /** Of the content of the file. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The value is a data URI with this media type, in Base64. Default: the value is the text of the file. */
  mediaType: z
    .string()
    .regex(/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/)
    .optional(),
});
export type FileReference = z.infer<typeof FileReference>;

export const LiteralObject = z.strictObject({ [LITERAL_OBJECT]: JobInput });

export const RecordedJob = z.strictObject({
  version: z.literal(1),
  /** Name of the endpoint. */
  endpoint: z.string().min(1),
  /** Time of the submission. */
  submittedAt: z.iso.datetime(),
  request: z.strictObject({ input: JobInput, policy: JobRequest.shape.policy }),
  result: z.strictObject({
    status: z.enum(JOB_STATUSES),
    output: z.unknown().optional(),
    error: z.unknown().optional(),
    delayTimeMs: z.number().min(0).optional(),
    executionTimeMs: z.number().min(0).optional(),
  }),
  /** Expectations about the result of a later run. A gate checks them instead of comparing outputs. Default: none. */
  expect: Expectation.optional(),
  worker: z.strictObject({
    /** As in the endpoint. The directory of a process is relative to the manifest, with slashes. */
    image: z.string(),
    /** Digest of the image that ran, such as `sha256:…`. Undefined if it is not known. */
    digest: z.string().optional(),
    /** Version of the release. */
    release: z.int().optional(),
    /** Names of the environment variables, without their values. */
    environment: z.array(z.string()),
    /** IDs of the mounted network volumes. */
    volumes: z.array(z.string()),
  }),
  /** How the local platform differed from its usual behavior. Undefined on a hosted platform. */
  local: z
    .strictObject({
      /** Offset of the clock of the platform from that of the machine, in ms. */
      clockOffsetMs: z.number(),
      /** Faults that were active, as the control API returns them. */
      faults: z.array(z.unknown()),
    })
    .optional(),
});
export type RecordedJob = z.infer<typeof RecordedJob>;
