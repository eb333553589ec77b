import { Problem } from '../contract/problem.ts';

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

export interface ApiErrorDetails {
  /** Operation of the contract's table. */
  readonly operation: string;
  readonly status?: number | undefined;
  /** Individual validation failures, each `$.path: message`. */
  readonly errors?: readonly string[] | undefined;
  readonly cause?: unknown;
}

/** A call that did not succeed. The message is the service's own explanation where it gave one, and never holds a secret. */
export class ApiError extends Error {
  readonly kind: ErrorKind;
  readonly operation: string;
  readonly status: number | undefined;
  readonly errors: readonly string[];

  constructor(kind: ErrorKind, message: string, details: ApiErrorDetails) {
    super(message, { cause: details.cause });
    this.name = 'ApiError';
    this.kind = kind;
    this.operation = details.operation;
    this.status = details.status;
    this.errors = details.errors ?? [];
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

/**
 * The error of an answer with an error status, from whichever of the documented bodies it has: problem+json, `{error, detail}`,
 * `{message}` of the v1 API, or any text.
 */
export function errorOfAnswer(operation: string, status: number, text: string): ApiError {
  const body = parseJson(text);
  const problem = Problem.safeParse(body);
  if (problem.success) {
    const { detail, errors } = problem.data;
    return new ApiError(kindOfStatus(status), detail, { operation, status, errors });
  }
  return new ApiError(kindOfStatus(status), plainMessage(body, text) ?? `the service answered ${status}`, {
    operation,
    status,
  });
}

function plainMessage(body: unknown, text: string): string | undefined {
  if (typeof body === 'object' && body !== null) {
    const { error, detail, message } = body as Record<string, unknown>;
    const parts = [error, detail, message].filter((part) => typeof part === 'string' && part !== '');
    if (parts.length > 0) return parts.join(': ');
  }
  const isPage = /^\s*</.test(text);
  return text.trim() === '' || isPage ? undefined : text.trim().slice(0, 500);
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
