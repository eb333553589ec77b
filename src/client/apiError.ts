import { parseFieldError } from '../contract/fieldError.ts';
import { Problem } from '../contract/problem.ts';
import type { FieldError } from '../contract/violation.ts';

/** What went wrong, in the only distinctions a person acts on. */
export type ErrorKind =
  | 'cancelled'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'validation'
  | 'rateLimited'
  | 'network'
  | 'timeout'
  | 'server';

/** Refines the kind of an error where callers can act on the difference. */
export type ErrorCode =
  /** A response, or all pages of a list together, exceed the client's size limit. */
  | 'tooLarge'
  /** A list has too many pages, or its cursors form a cycle. */
  | 'listTooLong';

/**
 * What the message of an answer was taken from: a problem document, another body, or the status alone. Web servers and proxies answer
 * without a body of the API.
 */
export type MessageSource = 'problem' | 'body' | 'status';

export interface ApiErrorDetails {
  /** Operation of the contract's table. */
  readonly operation: string;
  readonly status?: number | undefined;
  readonly code?: ErrorCode | undefined;
  /** Left out if the message is the client's own. */
  readonly source?: MessageSource | undefined;
  /** Short summary of the service's own (problem+json). */
  readonly title?: string | undefined;
  /** Individual validation failures, each `$.path: message`. */
  readonly errors?: readonly string[] | undefined;
  /** Milliseconds the service asks to wait before the next attempt (Retry-After). */
  readonly retryAfterMs?: number | undefined;
  /** The job that was submitted before this happened: it goes on, and can be followed with its status. */
  readonly jobId?: string | undefined;
  readonly cause?: unknown;
}

/** A call that did not succeed. The message is the service's own explanation where it gave one, and never holds a secret. */
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

  /** The entries of `errors` that name a member of the body, taken apart. */
  get fields(): FieldError[] {
    return this.errors.flatMap((entry) => parseFieldError(entry) ?? []);
  }

  /** The same error with a job's id, so that whoever catches it can follow the job. */
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

function kindOfStatus(status: number): ErrorKind {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'notFound';
    case 408:
    case 504:
      return 'timeout';
    case 429:
      return 'rateLimited';
    default:
      return status < 500 ? 'validation' : 'server';
  }
}

/** What is looked at of an answer that is an error. */
export interface ErrorAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs?: number | undefined;
}

/**
 * The error of an answer with an error status, from whichever of the documented bodies it has: problem+json, `{error, detail}`,
 * `{message}` of the v1 API, or any text.
 */
export function errorOfAnswer(operation: string, { status, text, retryAfterMs }: ErrorAnswer): ApiError {
  const body = parseJson(text);
  const problem = Problem.safeParse(body);
  if (problem.success) {
    const { title, detail, errors } = problem.data;
    const details = { operation, status, source: 'problem', title, errors, retryAfterMs } as const;
    return new ApiError(kindOfStatus(status), detail, details);
  }
  const message = plainMessage(body, text);
  return new ApiError(kindOfStatus(status), message ?? `the service answered ${status}`, {
    operation,
    status,
    source: message === undefined ? 'status' : 'body',
    retryAfterMs,
  });
}

function plainMessage(body: unknown, text: string): string | undefined {
  if (typeof body === 'object' && body !== null) {
    const { error, detail, message } = body as Record<string, unknown>;
    const parts = [error, detail, message].filter((part) => typeof part === 'string' && part !== '');
    if (parts.length > 0) return parts.join(': ');
  }
  return text.trim() === '' || isWebPage(text) ? undefined : text.trim().slice(0, 500);
}

/** HTML or XML, which says nothing to a person in a message. */
export function isWebPage(text: string): boolean {
  return /^\s*</.test(text);
}

/** Milliseconds of a Retry-After: whole seconds, or the date HTTP allows too. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** What a call throws when no answer came: cancelled by the caller, or no way to the service. */
export function errorOfFailure(operation: string, failure: unknown, address: string): ApiError {
  if (failure instanceof ApiError) return failure;
  const cause = (failure as { cause?: unknown }).cause;
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : (failure as Error).message;
  return new ApiError('network', `${new URL(address).host} cannot be reached: ${reason}`, {
    operation,
    cause: failure,
  });
}

/** JSON, or undefined for a text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
