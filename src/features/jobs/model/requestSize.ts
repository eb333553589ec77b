import { MAX_RUN_BYTES, MAX_RUN_SYNC_BYTES, type JobRequest } from '../../../contract/job.ts';

/** Ways to send a request: `run` returns at once, and `runSync` waits for the result. */
export type RunKind = 'run' | 'runSync';

/** A request that the platform refuses because of its size. Sizes are in bytes. */
export interface SizeProblem {
  readonly code: 'tooLarge';
  readonly kind: RunKind;
  readonly bytes: number;
  readonly limit: number;
}

const LIMITS: Readonly<Record<RunKind, number>> = { run: MAX_RUN_BYTES, runSync: MAX_RUN_SYNC_BYTES };

/** Returns the size of the body that is sent, in bytes. */
export function bodyBytes(request: JobRequest): number {
  return Buffer.byteLength(JSON.stringify(request));
}

/** Returns the problem of a request that exceeds the limit of its kind, or undefined. */
export function sizeProblem(request: JobRequest, kind: RunKind): SizeProblem | undefined {
  return sizeProblemOf(bodyBytes(request), kind);
}

/** Returns the problem of a body with this size, or undefined. */
export function sizeProblemOf(bytes: number, kind: RunKind): SizeProblem | undefined {
  const limit = LIMITS[kind];
  return bytes > limit ? { code: 'tooLarge', kind, bytes, limit } : undefined;
}
