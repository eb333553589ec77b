import { MAX_RUN_BYTES, MAX_RUN_SYNC_BYTES, type JobRequest } from '../../../contract/job.ts';

/** A request that exceeds the limit of the platform, both in bytes. */
export interface SizeProblem {
  readonly code: 'tooLarge';
  readonly bytes: number;
  readonly limit: number;
}

/** Returns whether a request is too large to be sent. */
export function sizeProblem(request: JobRequest, kind: 'run' | 'runsync'): SizeProblem | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(request));
  const limit = kind === 'run' ? MAX_RUN_BYTES : MAX_RUN_SYNC_BYTES;
  return bytes > limit ? { code: 'tooLarge', bytes, limit } : undefined;
}
