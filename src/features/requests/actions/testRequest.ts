import type { Client } from '../../../client/client.ts';
import { callAfter } from '../../../client/clock.ts';
import type { Mismatch } from '../../jobs/model/expectations/mismatch.ts';
import { checkResponse, type ResponseExpectation } from '../model/expectation.ts';
import type { ResolvedRequest } from '../model/httpFile.ts';
import { readBody, sentHeaders, type RequestFiles } from './requestBody.ts';
import { sendRequest, type ResponseHead } from './sendRequest.ts';

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
