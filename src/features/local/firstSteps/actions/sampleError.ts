/**
 * Reason why the sample cannot be tried.
 *
 * - `notEmpty`: the folder contains other files.
 * - `notFolder`: its path, or a part of it, is a file.
 * - `unwritable`: the system refused to write. The cause has the error code of the system.
 * - `changed`: the folder contains the sample with changes that made a file invalid.
 * - `workerFailed`: the worker of the endpoint cannot run.
 * - `platformStopped`: the platform stopped before the job ended.
 */
export type SampleErrorCode = 'notEmpty' | 'notFolder' | 'unwritable' | 'changed' | 'workerFailed' | 'platformStopped';

interface SampleErrorDetails {
  /** Explanation from another part, such as the problem of a file. */
  readonly reason?: string;
  /** ID of the endpoint, if it exists. */
  readonly endpointId?: string;
  readonly cause?: unknown;
}

/** Thrown when a step of the sample fails for a reason that the user can resolve. */
export class SampleError extends Error {
  readonly code: SampleErrorCode;
  readonly reason: string | undefined;
  readonly endpointId: string | undefined;

  constructor(code: SampleErrorCode, { reason, endpointId, cause }: SampleErrorDetails = {}) {
    super(reason === undefined ? code : `${code}: ${reason}`, { cause });
    this.name = 'SampleError';
    this.code = code;
    this.reason = reason;
    this.endpointId = endpointId;
  }
}
