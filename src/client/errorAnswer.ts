import { Problem } from '../contract/problem.ts';
import { ApiError, isWebPage, type ErrorKind } from './apiError.ts';
import { parseJson } from '../contract/parsedJson.ts';

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

/** Parts of an error response that determine the `ApiError`. */
export interface ErrorAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs?: number | undefined;
}

/**
 * Converts a response with an error status to an error. Supports all documented bodies: problem+json, `{error, detail}`, `{message}` of
 * the v1 API, `{error: {message}}` of OpenAI-compatible workers, and any text.
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
  return new ApiError(kindOfStatus(status), message ?? `the service responded with status ${status}`, {
    operation,
    status,
    source: message === undefined ? 'status' : 'body',
    retryAfterMs,
  });
}

function plainMessage(body: unknown, text: string): string | undefined {
  if (typeof body === 'object' && body !== null) {
    const { error, detail, message } = body as Record<string, unknown>;
    const nested = (error as { readonly message?: unknown } | null | undefined)?.message;
    const parts = [error, nested, detail, message].filter((part) => typeof part === 'string' && part !== '');
    if (parts.length > 0) return parts.join(': ');
  }
  return text.trim() === '' || isWebPage(text) ? undefined : text.trim().slice(0, 500);
}
