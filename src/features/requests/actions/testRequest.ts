import type { Client } from '../../../client/client.ts';
import { callAfter } from '../../../client/clock.ts';
import type { Mismatch } from '../../jobs/model/expectations/mismatch.ts';
import { checkResponse, type ResponseExpectation } from '../model/expectation.ts';
import type { ResolvedRequest, HttpFile, ParsedBlock } from '../model/httpFile.ts';
import { readBody, sentHeaders, type RequestFiles } from './requestBody.ts';
import { sendRequest, type ResponseHead } from './sendRequest.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { UserError } from '../../../kit/userError.ts';
import type { RouteEndpoint } from '../model/endpointLookup.ts';
import { resolveRequest, resolveTemplate } from '../model/resolveRequest.ts';

/** A request of a file with expectations. */
interface WrittenTest {
  readonly file: HttpFile;
  readonly block: ParsedBlock;
  readonly expect: ResponseExpectation;
  /** Files that the request refers to. */
  readonly files: RequestFiles;
  /** Name of the endpoint of requests that name none. */
  readonly defaultEndpoint: string | undefined;
}

export interface SentTest {
  /** Endpoints that the request can name. */
  readonly endpoints: readonly Endpoint[];
  readonly endpoint: Pick<Endpoint, 'timeout'>;
  /** As for `testRequest`. */
  readonly limitMs?: number | undefined;
  readonly endsAt?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Replaces the variables of a request, sends it to its endpoint, and checks its response.
 *
 * @throws as `testRequest`; UserError if the request is invalid
 */
export async function sendTest(
  client: Client,
  { file, block, expect, files, defaultEndpoint }: WrittenTest,
  { endpoints, endpoint: { timeout }, ...limits }: SentTest,
): Promise<RequestTestResult> {
  const context = {
    endpoints: endpoints.map((one) => routeEndpointOf(client, one)),
    ...{ defaultEndpoint, now: client.context.clock.now(), random: Math.random },
  };
  const { request, problems } = resolveRequest(file, block, context);
  if (!request) throw new UserError(problems[0].message);
  const { body } = request;
  if (body?.kind !== 'file' || body.isTemplate !== true)
    return testRequest(client, { request, expect, files, timeout, ...limits });
  const template = resolveTemplate(file, new TextDecoder().decode(await files.read(body.path)), context);
  if ('problems' in template) throw new UserError(template.problems[0]?.message ?? `${body.path} has an error`);
  const resolved = { ...request, body: { kind: 'text', text: template.text } as const };
  return testRequest(client, { request: resolved, expect, files, timeout, ...limits });
}

/** Returns an endpoint that requests can name. */
export function routeEndpointOf({ context: { addresses } }: Client, { id, name, type }: Endpoint): RouteEndpoint {
  const isBalanced = type === 'LOAD_BALANCER';
  const base = isBalanced ? addresses.routes(id) : addresses.requests(id);
  return { id, name, type: isBalanced ? 'LOAD_BALANCER' : 'QUEUE', base };
}

/** Time that a request can wait for a worker, in addition to the timeout of its endpoint, in ms. Covers the download of a large image. */
const WAIT_ALLOWANCE_MS = 600_000;

export interface RequestTest {
  readonly request: ResolvedRequest;
  readonly expect: ResponseExpectation;
  /** Files that the request refers to. */
  readonly files: RequestFiles;
  /** Timeout of the endpoint, in ms. */
  readonly timeout: number;
  /** Maximum time from the first attempt to the end of the response, in ms. Default: the timeout and `WAIT_ALLOWANCE_MS`. */
  readonly limitMs?: number | undefined;
  /** The time at which `limitMs` ends, in ms since the epoch, if it began before the first attempt. */
  readonly endsAt?: number | undefined;
  readonly signal: AbortSignal;
}

export interface RequestTestResult {
  readonly mismatches: readonly Mismatch[];
  /** The beginning of the response. Undefined if there was none within the time limit. */
  readonly head: ResponseHead | undefined;
  readonly durationMs: number;
}

/**
 * Sends a request, while no worker is ready again, and checks its response.
 *
 * @throws ApiError if there is no response; UserError if the request cannot be sent; Error if the response is cut
 */
export async function testRequest(client: Client, test: RequestTest): Promise<RequestTestResult> {
  const { request, expect, files, timeout, limitMs = timeout + WAIT_ALLOWANCE_MS } = test;
  const { method, endpointId, endpointType, path, headers } = request;
  if (method === 'WEBSOCKET') throw new Error('a WebSocket cannot be a test');
  const body = await readBody(request, files);
  const { clock } = client.context;
  const startedAt = clock.now();
  const limit = new AbortController();
  const leftMs = test.endsAt === undefined ? limitMs : Math.max(0, test.endsAt - startedAt);
  const stopTimer = callAfter(clock, leftMs, () => limit.abort());
  const tooLate = (): RequestTestResult => ({
    mismatches: [{ code: 'noResponse', path: ['status'], member: ['status'], expected: limitMs, actual: undefined }],
    ...{ head, durationMs: clock.now() - startedAt },
  });
  const chunks: Uint8Array[] = [];
  let head: ResponseHead | undefined;
  try {
    const { end, totalMs } = await sendRequest(
      { method, endpointId, endpointType, path, body, headers: sentHeaders(headers, body) },
      {
        context: client.context,
        signal: AbortSignal.any([test.signal, limit.signal]),
        timeout,
        mayRetry: () => true,
        observer: {
          waiting: () => undefined,
          retrying: () => undefined,
          head: (found) => (head = found),
          chunk: (bytes) => chunks.push(bytes),
        },
      },
    );
    test.signal.throwIfAborted();
    if (limit.signal.aborted) return tooLate();
    if (end.kind === 'cut') throw new Error(`the response was cut: ${end.reason}`);
    if (end.kind === 'tooLarge') throw new Error('the response is too large');
    const response = { status: head?.status ?? 0, body: new TextDecoder().decode(Buffer.concat(chunks)) };
    return { mismatches: checkResponse(expect, response), head, durationMs: totalMs };
  } catch (error) {
    if (limit.signal.aborted && !test.signal.aborted) return tooLate();
    throw error;
  } finally {
    stopTimer();
  }
}
