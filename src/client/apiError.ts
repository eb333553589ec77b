import { parseFieldError } from '../contract/fieldError.ts';
import type { FieldError } from '../contract/violation.ts';

/** Category of an error. Each category has its own remedy. */
export type ErrorKind =
  | 'canceled'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'validation'
  | 'rateLimited'
  | 'network'
  | 'timeout'
  | 'server';

/** Detail of an error's kind, for callers that handle such errors differently. */
export type ErrorCode =
  /** A response, or all pages of a list together, exceed the client's size limit. */
  | 'tooLarge'
  /** A list has too many pages, or its cursors form a cycle. */
  | 'listTooLong';

/**
 * Source of an error's message: a problem document, another body, or only the status. Web servers and proxies respond without a body of
 * the API.
 */
export type MessageSource = 'problem' | 'body' | 'status';

export interface ApiErrorDetails {
  /** ID in the operation table of the contract. */
  readonly operation: string;
  readonly status?: number | undefined;
  readonly code?: ErrorCode | undefined;
  /** Omitted if the client created the message. */
  readonly source?: MessageSource | undefined;
  /** Title of the service's problem document. */
  readonly title?: string | undefined;
  /** Individual validation failures, each `$.path: message`. */
  readonly errors?: readonly string[] | undefined;
  /** Time to wait before the next attempt, from Retry-After, in ms. */
  readonly retryAfterMs?: number | undefined;
  /** Job that was submitted before the error. It continues, and its status can be followed. */
  readonly jobId?: string | undefined;
  readonly cause?: unknown;
}

/** Error of a failed call. The message is the service's explanation if there is one. It never contains a secret. */
export class ApiError extends Error {
  readonly kind: ErrorKind;
  readonly operation: string;
  readonly status: number | undefined;
  readonly code: ErrorCode | undefined;
  readonly source: MessageSource | undefined;
  readonly title: string | undefined;
  readonly errors: readonly string[];
  readonly retryAfterMs: number | undefined;
  readonly jobId: string | undefined;

  constructor(kind: ErrorKind, message: string, details: ApiErrorDetails) {
    super(message, { cause: details.cause });
    this.name = 'ApiError';
    this.kind = kind;
    this.operation = details.operation;
    this.status = details.status;
    this.code = details.code;
    this.source = details.source;
    this.title = details.title;
    this.errors = details.errors ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.jobId = details.jobId;
  }

  /** Parsed entries of `errors` that have the path of a field. */
  get fields(): FieldError[] {
    return this.errors.flatMap((entry) => parseFieldError(entry) ?? []);
  }

  /** Returns a copy with a job ID, with which the caller can follow the job. */
  withJob(jobId: string): ApiError {
    const { operation, status, code, source, title, errors, retryAfterMs, cause } = this;
    return new ApiError(this.kind, this.message, {
      operation,
      status,
      code,
      source,
      title,
      errors,
      retryAfterMs,
      cause,
      jobId,
    });
  }
}

/** Returns whether a failure can pass by itself, and does not affect the job that a call was about. */
export function isTemporary({ kind }: Pick<ApiError, 'kind'>): boolean {
  return kind === 'network' || kind === 'timeout' || kind === 'server' || kind === 'rateLimited';
}

/** Returns true for HTML or XML, which does not belong in a message. */
export function isWebPage(text: string): boolean {
  return /^\s*</.test(text);
}

/** Parses a Retry-After header, which has whole seconds or an HTTP date. Returns ms, or undefined for any other text. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Converts a failure without a response to an error, such as a canceled call or a network failure. */
export function errorOfFailure(operation: string, failure: unknown, address: string): ApiError {
  if (failure instanceof ApiError) return failure;
  const cause = (failure as { cause?: unknown }).cause;
  const { host } = new URL(address);
  // The request was sent, so the platform may have processed it.
  if ((cause as NodeJS.ErrnoException | undefined)?.code === 'UND_ERR_HEADERS_TIMEOUT') {
    const message = `${host} did not respond within the time limit of Node.js, which is 300 s`;
    return new ApiError('timeout', message, { operation, cause: failure });
  }
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : (failure as Error).message;
  return new ApiError('network', `${host} cannot be reached: ${reason}`, {
    operation,
    cause: failure,
  });
}
