import { ApiError, type ErrorKind } from '../../client/apiError.ts';
import type { CloudComputeError, CloudComputeErrorCode } from '../../api/cloudCompute.d.ts';
import { explain } from '../../vscode/errors.ts';
import { NotConnectedError } from '../connections/requireConnection.ts';

/** Error for another extension. The message is safe to show, and contains no secret. */
export class ApiFailure extends Error implements CloudComputeError {
  override readonly name = 'CloudComputeError';
  readonly code: CloudComputeErrorCode;

  constructor(code: CloudComputeErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const codes: Readonly<Record<ErrorKind, CloudComputeErrorCode>> = {
  canceled: 'canceled',
  unauthorized: 'unauthorized',
  forbidden: 'unauthorized',
  notFound: 'notFound',
  validation: 'invalid',
  rateLimited: 'rateLimited',
  network: 'unreachable',
  timeout: 'unreachable',
  server: 'failed',
};

/** Runs a call of another extension, and converts its error. @param attempt start of the message, such as "Could not read the job" */
export async function calling<Result>(attempt: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof ApiFailure ? error : new ApiFailure(codeOf(error), explain(error, attempt).text);
  }
}

function codeOf(error: unknown): CloudComputeErrorCode {
  if (error instanceof ApiError) return codes[error.kind];
  return error instanceof NotConnectedError ? 'notConnected' : 'failed';
}
