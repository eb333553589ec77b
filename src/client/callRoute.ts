import { RETRY_AFTER_HEADER } from '../contract/rateLimit.ts';
import { NO_WORKERS, TIME_LIMIT, WORKER_ID_HEADER } from '../contract/route.ts';
import { RouteError } from '../contract/routeError.ts';
import { readBytes } from './answer.ts';
import { ApiError, errorOfFailure, parseRetryAfter } from './apiError.ts';
import { parseJson } from '../contract/parsedJson.ts';
import { errorOfAnswer } from './errorAnswer.ts';
import type { RequestContext } from './context.ts';
import { routeLimitOf } from './operationTimes.ts';
import type { CallOptions } from './request.ts';
import { ROUTE_OPERATION as OPERATION, routeHeaders, routeUrl, type RouteRequest } from './routeRequest.ts';
import { limitTime } from './timeLimit.ts';

/** Response of the worker or the load balancer. Redirects are not followed. */
export interface RouteAnswer {
  readonly status: number;
  /** Reason phrase of the status, which can be empty. */
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  /** ID of the worker that responded, if the service reports it. */
  readonly workerId?: string | undefined;
  /** Error for an error status. The response is returned anyway, because the worker can intend such a status. */
  readonly error?: ApiError | undefined;
}

/** Response whose body is read while it arrives. */
export interface RouteStream extends Omit<RouteAnswer, 'body' | 'error'> {
  /** Fails when the signal is aborted. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

type RouteOptions = Pick<CallOptions, 'signal' | 'timeout'>;

/**
 * Calls a route and reads the whole response. Never retries: the call may have side effects in the worker, and a 429 comes from the
 * worker itself. The error carries the response's Retry-After, so the caller can decide.
 *
 * @throws ApiError if there is no complete response, or if it exceeds the size limit
 */
export async function callRoute(
  context: RequestContext,
  route: RouteRequest,
  options: RouteOptions = {},
): Promise<RouteAnswer> {
  const { answer, stream, limit, address } = await open(context, route, options);
  try {
    const { bytes, fault } = await readBytes(answer, limit.signal);
    if (fault) {
      const message =
        fault === 'cut'
          ? 'the connection closed before the end of the response'
          : 'the response exceeds the size limit';
      throw new ApiError(fault === 'cut' ? 'network' : 'server', message, {
        operation: OPERATION,
        status: answer.status,
      });
    }
    const error = answer.status < 400 ? undefined : routeError(context, answer, new TextDecoder().decode(bytes));
    return { ...stream, body: bytes, error };
  } catch (failure) {
    throw errorOfFailure(OPERATION, limit.signal.aborted ? limit.signal.reason : failure, address);
  } finally {
    limit.end();
  }
}

/**
 * Calls a route and returns the body as a stream of any length. The time limit applies only until the response begins.
 *
 * @throws ApiError if there is no response
 */
export async function openRoute(
  context: RequestContext,
  route: RouteRequest,
  options: RouteOptions = {},
): Promise<RouteStream> {
  const { stream, limit } = await open(context, route, options);
  limit.endTime();
  return stream;
}

async function open(context: RequestContext, route: RouteRequest, { signal, timeout = routeLimitOf() }: RouteOptions) {
  const { method, body } = route;
  const address = routeUrl(context, route);
  const headers = routeHeaders(context, route.headers);
  const row = { method, path: address.pathname };
  const limit = limitTime(context.clock, { name: OPERATION, row, signal, timeout });
  try {
    const answer = await context.fetch(address, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: limit.signal,
    });
    const stream: RouteStream = {
      status: answer.status,
      statusText: answer.statusText,
      headers: answer.headers,
      body: answer.body,
      workerId: answer.headers.get(WORKER_ID_HEADER) ?? undefined,
    };
    return { answer, stream, limit, address: address.href };
  } catch (failure) {
    limit.end();
    const reason: unknown = limit.signal.aborted ? limit.signal.reason : failure;
    throw errorOfFailure(OPERATION, reason, address.href);
  }
}

/** Classifies an error by the balancer's error name, not by status: hosted balancers use other statuses than the local one. */
export function routeError(
  { clock }: Pick<RequestContext, 'clock'>,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  text: string,
): ApiError {
  const retryAfterMs = parseRetryAfter(headers.get(RETRY_AFTER_HEADER), clock.now());
  const error = balancerError(headers, text);
  const plain = errorOfAnswer(OPERATION, { status, text, retryAfterMs });
  if (error === TIME_LIMIT)
    return new ApiError('timeout', plain.message, { operation: OPERATION, status, retryAfterMs });
  if (error !== NO_WORKERS) return plain;
  const message =
    'no workers available: no worker became ready within the time limit of the load balancer. The worker logs show whether one starts. ' +
    'The endpoint must allow at least one worker, and its health path must respond with 200.';
  return new ApiError('server', message, { operation: OPERATION, status, retryAfterMs });
}

/** Returns the `error` of an error response that comes from the load balancer. Undefined for a response of a worker. */
export function balancerError(headers: Headers, text: string): string | undefined {
  if (headers.get(WORKER_ID_HEADER) !== null) return undefined;
  return RouteError.safeParse(parseJson(text)).data?.error;
}
