import type { ErrorKind } from '../../../../client/apiError.ts';
import type { NetworkCause } from '../../../../client/networkCause.ts';
import type { JobRequest } from '../../../../contract/job.ts';

/**
 * Meaning of a failed submission for its row.
 *
 * - `returned`: the platform did not accept it. It is sent again later.
 * - `refused`: the platform does not accept this body.
 * - `repeat`: it is not known whether the platform accepted it, and a repetition with the same key is safe.
 * - `uncertain`: it is not known whether the platform accepted it, and a repetition could run the job twice.
 */
export type FailedSubmission = 'returned' | 'refused' | 'repeat' | 'uncertain';

interface Failure {
  readonly kind: ErrorKind;
  /** Cause of a network failure. */
  readonly cause: NetworkCause;
}

/** Network failures that happen before the platform receives the request. */
const BEFORE_REQUEST: readonly NetworkCause[] = ['dns', 'refused', 'tls', 'proxy'];

/** @param honorsKeys whether the platform returns the same job for submissions with the same key */
export function failedSubmission({ kind, cause }: Failure, honorsKeys: boolean): FailedSubmission {
  switch (kind) {
    case 'rateLimited':
    case 'unauthorized':
    case 'forbidden':
    case 'notFound':
      return 'returned';
    case 'validation':
      return 'refused';
    case 'network':
      if (BEFORE_REQUEST.includes(cause)) return honorsKeys ? 'repeat' : 'returned';
      return honorsKeys ? 'repeat' : 'uncertain';
    case 'timeout':
    case 'server':
    case 'canceled':
      return honorsKeys ? 'repeat' : 'uncertain';
  }
}

/** Time for which a local platform keeps a job, and thus its key, in ms. */
const KEY_LIFE_MS = 86_400_000;
/** Time that a request and different clocks can take, in ms. */
const MARGIN_MS = 60_000;

/** Returns whether the platform still has the key of a request that it received at that time. */
export function isKeyKept(sentAt: number, { policy }: Pick<JobRequest, 'policy'>, now: number): boolean {
  return now - sentAt < Math.min(policy?.ttl ?? KEY_LIFE_MS, KEY_LIFE_MS) - MARGIN_MS;
}
