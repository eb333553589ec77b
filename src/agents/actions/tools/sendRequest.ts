import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ApiError } from '../../../client/apiError.ts';
import { parseJson } from '../../../contract/parsedJson.ts';
import type { RouteRequest } from '../../../client/routeRequest.ts';
import { callAfter } from '../../../client/clock.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { MAX_ROUTE_BYTES, ROUTE_METHODS } from '../../../contract/route.ts';
import { sentHeaders } from '../../../features/requests/actions/requestBody.ts';
import { sendRequest as send, type ResponseHead } from '../../../features/requests/actions/sendRequest.ts';
import { dataSize } from '../../../text/quantities.ts';
import { ToolError } from '../../model/toolError.ts';
import { changeTool, FOREIGN, type CallContext, type ToolConnection } from '../agentTool.ts';
import { requestLines } from '../confirmationWords.ts';
import { findEndpoint } from '../findEndpoint.ts';
import { endpointField } from './fields.ts';

const DEFAULT_WAIT_S = 120;
/** Size of a response that is kept, in bytes. The rest is only counted. */
const MAX_KEPT = 1_048_576;
/** Length of a body in a confirmation, in UTF-16 code units. */
const MAX_SHOWN = 500;
/** Headers that a response contains for the caller's own program only. */
const PRIVATE_HEADERS = ['set-cookie', 'authorization', 'proxy-authenticate', 'www-authenticate'];

export const sendRequest = changeTool({
  name: 'send_request',
  title: 'Send Request',
  summary: 'Sends an HTTP request to an endpoint.',
  icon: 'globe',
  description:
    'Sends an HTTP request to a load-balanced endpoint, and waits for a worker to start if none is ready. The path is defined by the worker, such as /generate. ' +
    'For a queue endpoint, only the paths of its request address work, such as /openai/v1/models. Returns the status, the headers, and the body. ' +
    'The user is asked first, with the highest cost. The key of the connection is added, and never returned.',
  input: z.strictObject({
    endpoint: endpointField,
    method: z.enum(ROUTE_METHODS).describe('HTTP method.'),
    path: z.string().min(1).max(8_000).startsWith('/').describe('Path with its query, such as /generate?size=2.'),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe('Headers of the request. Without a content type, it follows from the body.'),
    body: z
      .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
      .optional()
      .describe('Body: a text that is sent unchanged, or a JSON value. Not for GET.'),
    waitSeconds: z
      .int()
      .min(1)
      .max(600)
      .default(DEFAULT_WAIT_S)
      .describe(
        `Maximum time to wait for the beginning of the response, with the start of a worker. A worker has at most 300 s to respond. Default: ${DEFAULT_WAIT_S}.`,
      ),
  }),
  effect: 'run',
  commands: ['cloudCompute.routes.send', 'cloudCompute.routes.sendAgain', 'cloudCompute.routes.open'],
  progress: ({ endpoint, method, path }) => l10n.t`Sending ${method} ${path} to “${endpoint}”`,
  plan: async ({ endpoint: wanted, method, path, headers = {}, body, waitSeconds }, context) => {
    const connection = context.connection();
    const endpoint = await findEndpoint(context, wanted);
    const text = textOf(body);
    if (method === 'GET' && text !== undefined)
      throw new ToolError('invalidInput', 'body: a GET request cannot have a body.');
    if (text !== undefined && Buffer.byteLength(text) > MAX_ROUTE_BYTES)
      throw new ToolError('tooLarge', `The body exceeds the limit of ${dataSize(MAX_ROUTE_BYTES)}.`);
    if (endpoint.workers.max === 0)
      throw new ToolError(
        'notPossible',
        `“${endpoint.name}” is paused: it allows no workers. Use scale_endpoint first.`,
      );
    const pairs = Object.entries(headers).map(([name, value]) => ({ name, value }));
    const { id: endpointId, type } = endpoint;
    const request: RouteRequest = {
      ...{ endpointId, method, path, headers: sentHeaders(pairs, text), body: text },
      ...(type && { endpointType: type as 'QUEUE' | 'LOAD_BALANCER' }),
    };
    return {
      question: {
        title: l10n.t`Send a request to “${endpoint.name}” on “${connection.name}”?`,
        lines: [
          l10n.t`Request: ${method} ${path}`,
          ...(pairs.length > 0 ? [l10n.t`Headers: ${Object.keys(headers).join(', ')}`] : []),
          ...(text === undefined
            ? []
            : [l10n.t`Body: ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}`]),
          ...(await requestLines(connection, endpoint, endpoint.timeout, context.signal)),
        ],
        content: JSON.stringify([endpoint.id, headers, text]),
      },
      act: () => sent(request, endpoint, connection, waitSeconds, context),
    };
  },
});

async function sent(
  request: RouteRequest,
  { id, name, timeout }: Endpoint,
  { client }: ToolConnection,
  waitSeconds: number,
  context: CallContext,
): Promise<object> {
  const { clock, signal } = context;
  const late = new AbortController();
  const stopWaiting = callAfter(clock, waitSeconds * 1000, () => late.abort());
  const response = new Response();
  const { end, totalMs } = await send(request, {
    context: client.context,
    signal: AbortSignal.any([signal, late.signal]),
    timeout,
    mayRetry: () => !late.signal.aborted,
    observer: {
      waiting: (elapsedMs) => context.report(l10n.t`Waiting for the response for ${Math.round(elapsedMs / 1000)} s`),
      retrying: () => context.report(l10n.t('No worker is ready; trying again')),
      head: (head) => {
        stopWaiting();
        response.head = head;
      },
      chunk: (chunk) => response.take(chunk),
    },
  })
    .catch((error: unknown) => {
      if (!late.signal.aborted || signal.aborted) throw error;
      const message = `no response within ${waitSeconds} s. A worker may have received the request`;
      throw new ApiError('timeout', message, { operation: 'callRoute' });
    })
    .finally(stopWaiting);
  signal.throwIfAborted();
  return { endpoint: { id, name }, ...response.result(), end: end.kind, totalMs, note: FOREIGN };
}

/** A response while it arrives. */
class Response {
  head: ResponseHead | undefined;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  take(chunk: Uint8Array): void {
    if (this.#size < MAX_KEPT) this.#chunks.push(chunk.subarray(0, MAX_KEPT - this.#size));
    this.#size += chunk.length;
  }

  result(): object {
    const { status, statusText, headers = [], workerId, firstByteMs } = this.head ?? {};
    const shown = headers.filter(({ name }) => !PRIVATE_HEADERS.includes(name.toLowerCase()));
    return {
      ...{ status, statusText, workerId, firstByteMs, bytes: this.#size },
      headers: Object.fromEntries(shown.map(({ name, value }) => [name, value])),
      body: this.#body(),
    };
  }

  #body(): unknown {
    const bytes = Buffer.concat(this.#chunks);
    const text = decoded(bytes, this.#size > bytes.length);
    if (text === undefined) return `binary data, ${dataSize(this.#size)}`;
    return parseJson(text) ?? text;
  }
}

/** Returns the text of UTF-8, or undefined for other bytes. The end of a cut text can be incomplete. */
function decoded(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function textOf(body: unknown): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}
