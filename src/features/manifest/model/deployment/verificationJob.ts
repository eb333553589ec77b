import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { Client } from '../../../../client/client.ts';
import type { Endpoint } from '../../../../contract/endpoint.ts';
import type { JobFile } from '../../../../contract/jobFile.ts';
import type { VerifyPart } from '../../../../contract/verification.ts';

/* The job that `x-verify` of a manifest describes. */

export interface VerificationJob {
  readonly file: JobFile;
  /** URI of the file that contains the job, the base of a relative path of a schema. */
  readonly uri: string;
  /** Maximum time from the submission to the end, in ms. Undefined: the time of the verification. */
  readonly limitMs: number | undefined;
}

/** An expectation that a job does not meet. */
export interface Difference {
  /** Path in the job, such as `$.output.greeting`. */
  readonly path: string;
  /** One line, which contains foreign text. */
  readonly message: string;
}

/** The end of a job, and what differs from its expectations. */
export interface JobVerdict {
  readonly jobId: string;
  readonly differences: readonly Difference[];
  /** The last lines of the worker's log. Empty if nothing differs. */
  readonly log: readonly string[];
}

/** Reads and runs the jobs of `x-verify`. The feature of jobs implements it, because it also depends on manifests. */
export interface VerificationJobs {
  /** Reads a job file. Returns its first problem in words if it is not valid. */
  readonly read: (uri: string) => Promise<{ readonly file: JobFile } | { readonly problem: string }>;
  /**
   * Runs a job to its end, or cancels it after the time limit, which is a difference.
   *
   * @throws ApiError if the job is not accepted or its state cannot be read; the reason of the signal after a cancellation
   */
  readonly run: (
    client: Client,
    endpoint: Endpoint,
    job: VerificationJob & { readonly limitMs: number },
    signal: AbortSignal,
  ) => Promise<JobVerdict & { readonly workerId: string | undefined }>;
}

/** Thrown for a job file that does not exist or is not valid. */
export class JobFileError extends Error {}

/** Returns the job of a manifest. @param manifest URI of the manifest @throws JobFileError */
export async function readVerificationJob(
  { read }: Pick<VerificationJobs, 'read'>,
  { job, input = {}, expect, timeout }: VerifyPart,
  manifest: string,
): Promise<VerificationJob> {
  const limitMs = timeout === undefined ? undefined : 1_000 * timeout;
  if (job === undefined) return { file: { input, ...(expect && { expect }) }, uri: manifest, limitMs };
  const uri = uriOf(job, manifest);
  const found = await read(uri);
  if ('problem' in found) throw new JobFileError(found.problem);
  return { file: found.file, uri, limitMs };
}

function uriOf(file: string, manifest: string): string {
  if (path.isAbsolute(file)) return pathToFileURL(file).href;
  const encoded = file.split(/[\\/]/).map(encodeURIComponent).join('/');
  if (!URL.canParse(encoded, manifest))
    throw new JobFileError(l10n.t('the path of the job file is relative, but the manifest is not saved'));
  return new URL(encoded, manifest).href;
}
