import type * as z from 'zod';
import { Job } from '../contract/job.ts';
import { fillPath, type Operation } from '../contract/operation.ts';
import { ApiError, errorOfAnswer, errorOfFailure, parseJson } from './apiError.ts';
import type { Clock } from './clock.ts';
import { authorizationHeaders, type Connection } from './connection.ts';

export type Fetch = typeof globalThis.fetch;

export type QueryValue = string | number | boolean | undefined;

/** What one call needs beside the operation. */
export interface CallArguments {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue>> | undefined;
  readonly body?: unknown;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the call is given up. */
  readonly timeout?: number | undefined;
}

export interface RequestContext {
  readonly connection: Connection;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** Address of an operation with its path and query filled in. */
export function urlOf(row: Operation, connection: Connection, { parameters, query = {} }: CallArguments): URL {
  const url = new URL(connection[row.address] + fillPath(row.path, parameters));
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

/**
 * Sends one request and reads its answer.
 *
 * @throws ApiError for everything that is not the documented success
 */
export async function request(
  name: string,
  row: Operation,
  context: RequestContext,
  args: CallArguments,
  { signal, timeout = DEFAULT_TIMEOUT_MS }: CallOptions,
): Promise<unknown> {
  const url = urlOf(row, context.connection, args);
  const waiting = new AbortController();
  const deadline = context.clock.sleep(timeout, waiting.signal).then(
    () => waiting.abort(new ApiError('timeout', `no answer within ${timeout / 1000} s`, { operation: name })),
    () => undefined,
  );
  const onAbort = () => waiting.abort(new ApiError('cancelled', 'cancelled', { operation: name }));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const response = await context.fetch(url, {
      method: row.method,
      headers: {
        ...authorizationHeaders(context.connection),
        Accept: 'application/json',
        ...(args.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(args.body === undefined ? {} : { body: JSON.stringify(args.body) }),
      signal: waiting.signal,
    });
    return readAnswer(name, row, response.status, await response.text());
  } catch (failure) {
    throw errorOfFailure(name, waiting.signal.aborted ? waiting.signal.reason : failure, url.href);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    waiting.abort();
    await deadline;
  }
}

function readAnswer(name: string, row: Operation, status: number, text: string): unknown {
  const schema: z.ZodType | undefined = row.success.body;
  if (status < 200 || status > 299) {
    // A job that failed is an answer, whatever the HTTP status says (interface document, Errors).
    const job = row.errorFormat === 'job' && schema === Job ? Job.safeParse(parseJson(text)) : undefined;
    if (job?.success) return job.data;
    throw errorOfAnswer(name, status, text);
  }
  if (!schema) return undefined;
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue ? ` (${issue.path.join('.') || 'body'}: ${issue.message})` : '';
  throw new ApiError('server', `the answer is not what ${name} is documented to return${where}`, {
    operation: name,
    status,
  });
}
