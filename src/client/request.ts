import type * as z from 'zod';
import { Endpoint, EndpointList } from '../contract/endpoint.ts';
import { IDEMPOTENCY_KEY_HEADER, Job } from '../contract/job.ts';
import { fillPath, type Operation } from '../contract/operation.ts';
import { RETRY_AFTER_HEADER } from '../contract/rateLimit.ts';
import { readBody, BODY_LIMIT_BYTES, type Body, type ByteBudget } from './answer.ts';
import { ApiError, errorOfFailure, isWebPage, parseRetryAfter } from './apiError.ts';
import { parseJson } from '../contract/parsedJson.ts';
import { errorOfAnswer } from './errorAnswer.ts';
import { authorizationHeaders, type Connection } from './connection.ts';
import type { RequestContext, Wait } from './context.ts';
import { isLoopback } from './loopbackFetch.ts';
import { timeLimitOf } from './operationTimes.ts';
import type { RateLimits } from './rateLimits.ts';
import { DEFAULT_RETRIES, DEFAULT_WAITS, isRepeatable, withRetries } from './retry.ts';
import { limitTime } from './timeLimit.ts';

export type QueryValue = string | number | boolean | readonly string[] | undefined;

/** Arguments of a call. */
export interface CallArguments {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue>> | undefined;
  readonly body?: unknown;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Time limit of an attempt, in ms. Default: the limit of the operation. */
  readonly timeout?: number | undefined;
  /** Maximum number of retries after temporary failures. Only idempotent calls are retried. Default: `DEFAULT_RETRIES`. */
  readonly retries?: number | undefined;
  /** Maximum number of waits for a rate limit. 0: a 429 fails immediately. Default: `DEFAULT_WAITS`. */
  readonly waits?: number | undefined;
  /** Called when the call starts to wait for a rate limit, in addition to the function of the client. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
  /** Called before each attempt. The last one is the attempt that the response belongs to. */
  readonly onSend?: (() => void) | undefined;
  /** Size budget shared with other responses. Default: `BODY_LIMIT_BYTES` for this response alone. */
  readonly budget?: ByteBudget | undefined;
  /**
   * Key with which the service recognizes a repetition of a submission. On a platform that honors keys, the call is also repeated after
   * lost responses and timeouts.
   */
  readonly idempotencyKey?: string | undefined;
  /** Replaces each error of an attempt, for example by one without secrets. Applies before a retry reports the error. */
  readonly redact?: ((error: ApiError) => ApiError) | undefined;
}

/** Returns the documented URL of an operation, with its path and query. */
export function urlOf(row: Operation, connection: Connection, { parameters, query }: CallArguments): URL {
  return withQuery(new URL(connection[row.address] + fillPath(row.path, parameters)), query);
}

/** Adds a query to a URL. Lists are comma-separated. */
function withQuery(url: URL, query: CallArguments['query'] = {}): URL {
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

/**
 * Calls an operation, and retries it after temporary failures (see `retry.ts`).
 *
 * @throws ApiError for any outcome other than the documented success
 */
export async function request(
  name: string,
  row: Operation,
  context: RequestContext,
  args: CallArguments,
  options: CallOptions,
): Promise<unknown> {
  const exchange: Exchange = {
    name,
    row,
    url: callUrl(name, row, context, args),
    body: args.body === undefined ? undefined : JSON.stringify(args.body),
    signal: options.signal,
    budget: options.budget ?? { left: BODY_LIMIT_BYTES },
    timeout: options.timeout ?? timeLimitOf(name, args.query?.['wait']),
    idempotencyKey: options.idempotencyKey,
  };
  const { signal, retries = DEFAULT_RETRIES, waits = DEFAULT_WAITS, redact = (error: ApiError) => error } = options;
  const isKeyed = options.idempotencyKey !== undefined && context.honorsIdempotencyKeys;
  const repeatable = isKeyed || isRepeatable(name, row.method);
  const onWait = (wait: Wait): void => {
    context.onWait?.(wait);
    options.onWait?.(wait);
  };
  const answer = await withRetries(
    { ...context, onWait },
    { operation: name, limits: limitsOf(context, row), repeatable, repeatsTimeouts: isKeyed, retries, waits, signal },
    async (failures) => {
      try {
        options.onSend?.();
        const response = await send(context, exchange);
        context.health.record(undefined);
        return response;
      } catch (failure) {
        const error = redact(failure as ApiError);
        // An invocation waits for a worker, so its time limit says nothing about the connection.
        if (error.kind !== 'timeout' || row.errorFormat !== 'job') context.health.record(error);
        // An earlier attempt whose response was lost has deleted the resource.
        if (row.method === 'DELETE' && failures > 0 && error.kind === 'notFound') return undefined;
        throw error;
      }
    },
  );
  learnAddresses(context, row, answer);
  return answer;
}

/** Returns the URL of a call: the one that the service reported for the endpoint, otherwise the documented one. */
export function callUrl(
  name: string,
  row: Operation,
  { addresses, connection }: Pick<RequestContext, 'addresses' | 'connection'>,
  args: CallArguments,
): URL {
  const reported = addresses.find(name, args.parameters);
  return reported ? withQuery(reported, args.query) : urlOf(row, connection, args);
}

interface Exchange {
  readonly name: string;
  readonly row: Operation;
  readonly url: URL;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly budget: ByteBudget;
  readonly timeout: number;
  readonly idempotencyKey: string | undefined;
}

/** Returns the rate limits that count an operation. */
function limitsOf({ rateLimits, invocationLimits }: RequestContext, { errorFormat }: Operation): RateLimits {
  return errorFormat === 'job' ? invocationLimits : rateLimits;
}

async function send(context: RequestContext, exchange: Exchange): Promise<unknown> {
  const { name, row, url, body, budget, idempotencyKey } = exchange;
  const limit = limitTime(context.clock, exchange);
  try {
    const response = await (isLoopback(url) ? context.loopbackFetch : context.fetch)(url, {
      method: row.method,
      headers: {
        ...authorizationHeaders(context.connection),
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY_HEADER]: idempotencyKey }),
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: limit.signal,
    });
    limitsOf(context, row).read(response.headers, context.clock.now());
    refuseRedirect(name, response);
    const answer = await readBody(response, limit.signal, budget.left);
    const read = readAnswer(context, exchange, response, answer);
    budget.left -= answer.text.length;
    return read;
  } catch (failure) {
    throw errorOfFailure(name, limit.signal.aborted ? limit.signal.reason : failure, url.href);
  } finally {
    limit.end();
  }
}

/**
 * Rejects a redirect. No operation is documented to redirect, and following one would send the key to an address that the user did not
 * choose.
 *
 * @throws ApiError of kind `server`
 */
export function refuseRedirect(operation: string, response: Response): void {
  const { status, type, headers } = response;
  // Implementations of browsers hide the target.
  if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return;
  void response.body?.cancel();
  const target = URL.parse(headers.get('Location') ?? '', response.url || undefined);
  const where = target ? ` to ${target.origin}` : '';
  const message = `the service redirects${where}; check the address of the connection`;
  throw new ApiError('server', message, { operation, status });
}

function readAnswer(context: RequestContext, { name, row }: Exchange, response: Response, body: Body): unknown {
  const schema: z.ZodType | undefined = row.success.body;
  const { status } = response;
  if (!response.ok) {
    // Services can return a failed job with an error status. It is a job, not an error of the call.
    const json = row.errorFormat === 'job' ? parseJson(body.text) : undefined;
    const job = Job.safeParse(json).success ? schema?.safeParse(json) : undefined;
    if (job?.success) return job.data;
    const retryAfterMs = parseRetryAfter(response.headers.get(RETRY_AFTER_HEADER), context.clock.now());
    throw errorOfAnswer(name, { status, text: body.text, retryAfterMs });
  }
  if (!schema) return undefined;
  if (body.fault) throw errorOfFault(name, status, body.fault);
  const json = parseJson(body.text);
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue ? ` (${issue.path.join('.') || 'body'}: ${issue.message})` : '';
  const reason =
    json !== undefined
      ? `does not match the schema of ${name}${where}`
      : isWebPage(body.text)
        ? 'is a web page; check the address of the connection'
        : 'is not JSON';
  throw new ApiError('server', `the response ${reason}`, { operation: name, status });
}

function errorOfFault(operation: string, status: number, fault: NonNullable<Body['fault']>): ApiError {
  switch (fault) {
    case 'cut':
      return new ApiError('network', 'the connection closed before the end of the response', { operation, status });
    case 'tooLarge': {
      const message = `the response exceeds the limit of ${BODY_LIMIT_BYTES / 1024 / 1024} MiB`;
      return new ApiError('server', message, { operation, status, code: 'tooLarge' });
    }
    case 'notUtf8':
      return new ApiError('server', 'the response is not UTF-8 text', { operation, status });
  }
}

function learnAddresses({ addresses }: RequestContext, row: Operation, answer: unknown): void {
  const schema = row.success.body;
  if (schema === Endpoint) addresses.learn(answer as Endpoint);
  else if (schema === EndpointList)
    for (const endpoint of (answer as EndpointList).endpoints) addresses.learn(endpoint);
}
