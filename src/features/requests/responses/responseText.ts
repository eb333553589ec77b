import { STATUS_CODES } from 'node:http';
import * as l10n from '@vscode/l10n';
import { dataSize, duration } from '../../../text/quantities.ts';
import { oneLine } from '../../../text/shownText.ts';
import type { ResponseHead } from '../actions/sendRequest.ts';
import { chatText, readChat } from './chatStream.ts';
import { bodyTypeOf, decodeBody, type BodyType } from './bodyKind.ts';
import { parseRetryAfter } from '../../../client/apiError.ts';
import { parseJson } from '../../../contract/parsedJson.ts';
import { Problem } from '../../../contract/problem.ts';
import { RETRY_AFTER_HEADER } from '../../../contract/rateLimit.ts';
import {
  AFFINITY_TIMEOUT,
  AFFINITY_WORKER_GONE,
  NO_WORKERS,
  NOT_FOR_QUEUES,
  TIME_LIMIT,
  WORKER_ID_HEADER,
} from '../../../contract/route.ts';
import { RouteError } from '../../../contract/routeError.ts';
import type { HttpHeader } from '../model/httpFile.ts';

/** Maximum size of the part of a body that a document shows, in bytes. */
export const MAX_SHOWN_BYTES = 5 * 1_048_576;

/** State of a request and its response. */
export type ExchangeState =
  | { readonly kind: 'waiting' | 'receiving' | 'complete' | 'canceled' | 'tooLarge' | 'interrupted' }
  /** The connection closed before the end of the response. */
  | { readonly kind: 'cut'; readonly reason: string }
  /** There is no response. */
  | { readonly kind: 'failed'; readonly reason: string };

/** A response, as far as it is known. */
export interface ShownResponse {
  readonly state: ExchangeState;
  readonly head: ResponseHead | undefined;
  /** Received part of the body. Undefined if the body is no longer available. */
  readonly body: Uint8Array | undefined;
  /** Received bytes. */
  readonly size: number;
  readonly totalMs: number | undefined;
}

/** Returns the document of a response: status line, comments, headers, and the body by its type. */
export function responseText(response: ShownResponse): string {
  const { head, body = new Uint8Array(), state } = response;
  if (!head) return `${comments(withoutHead(state))}\n`;
  const type = bodyTypeOf(head.headers, body);
  const status = `${head.status} ${head.statusText || (STATUS_CODES[head.status] ?? '')}`.trim();
  const top = [
    `HTTP/1.1 ${oneLine(status)}`,
    comments([summary(response, status), ...endNotes(response), ...failureNotes(head, type, body)]),
    ...head.headers.map(({ name, value }) => oneLine(`${name}: ${value}`)),
  ];
  return `${top.join('\n')}\n\n${bodyText(response, type)}`;
}

function comments(lines: readonly string[]): string {
  return lines.map((line) => `# ${oneLine(line)}`).join('\n');
}

function withoutHead(state: ExchangeState): readonly string[] {
  switch (state.kind) {
    case 'waiting':
      return [l10n.t('Waiting for the response…')];
    case 'failed':
      return [l10n.t('There is no response.'), state.reason];
    case 'canceled':
      return [l10n.t('The request was canceled before a response arrived.')];
    case 'interrupted':
      return [l10n.t('The editor closed before a response arrived.')];
    default:
      return [l10n.t('The response was not stored. Send the request again to see it.')];
  }
}

/** Describes a response in one line, such as `200 OK · 124 ms (first byte 100 ms) · 1.2 KB · worker abc`. */
function summary({ head, state, totalMs, size }: ShownResponse, status: string): string {
  const first = head?.firstByteMs ?? 0;
  const time =
    state.kind === 'receiving'
      ? l10n.t`receiving… (first byte ${milliseconds(first)})`
      : totalMs === undefined
        ? undefined
        : l10n.t`${milliseconds(totalMs)} (first byte ${milliseconds(first)})`;
  const worker = head?.workerId === undefined ? undefined : l10n.t`worker ${head.workerId}`;
  return [status, time, dataSize(size), worker].filter((part) => part !== undefined).join(' · ');
}

/** Formats a time, such as `124 ms` or `2.5 s`. */
export function milliseconds(ms: number): string {
  const whole = Math.round(ms);
  return whole < 1_000 ? l10n.t`${whole} ms` : l10n.t`${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

function endNotes({ state, size }: ShownResponse): readonly string[] {
  switch (state.kind) {
    case 'cut':
      return [
        l10n.t`The connection closed before the end of the response (${state.reason}). The received part is below.`,
      ];
    case 'canceled':
      return [l10n.t('The request was canceled. The received part is below.')];
    case 'tooLarge':
      return [l10n.t`The response was too large. Only its first ${dataSize(size)} were received.`];
    case 'interrupted':
      return [l10n.t('The editor closed before the end of the response.')];
    default:
      return [];
  }
}

function failureNotes(head: ResponseHead, type: BodyType, body: Uint8Array): readonly string[] {
  const isReadable = type.kind === 'json' || type.kind === 'text';
  const text = isReadable ? decodeBody(body.subarray(0, MAX_SHOWN_BYTES), type.charset, true) : '';
  return errorNotes({ ...head, text });
}

function bodyText({ body, size, state }: ShownResponse, type: BodyType): string {
  if (size === 0) return '';
  if (!body || body.length === 0)
    return `${comments([l10n.t('The body is no longer available. Send the request again to see it.')])}\n`;
  const isPartial = state.kind === 'receiving';
  const named = type.mediaType === '' ? '' : `${type.mediaType}, `;
  switch (type.kind) {
    case 'image':
      return isPartial
        ? ''
        : `${comments([l10n.t`Image (${named}${dataSize(size)}). It opens beside this document.`])}\n`;
    case 'binary':
      return `${comments([l10n.t`Binary content (${named}${dataSize(size)}). “Save Response Body As…” writes it to a file.`])}\n`;
    default:
      return shortened(body, type, isPartial);
  }
}

function shortened(body: Uint8Array, type: BodyType, isPartial: boolean): string {
  const isCut = body.length > MAX_SHOWN_BYTES;
  const text = decodeBody(body.subarray(0, MAX_SHOWN_BYTES), type.charset, isPartial || isCut);
  if (isCut) {
    const note = l10n.t`Only the first ${dataSize(MAX_SHOWN_BYTES)} of ${dataSize(body.length)} are shown. “Save Response Body As…” writes all of it.`;
    return `${text}\n\n${comments([note])}\n`;
  }
  if (type.kind === 'json' && !isPartial) return prettyJson(text) ?? text;
  if (type.kind !== 'events') return text;
  const chat = readChat(text);
  if (!chat) return text;
  return isPartial ? chatText(chat, false) : l10n.t`${chatText(chat, true)}\n\n### Events\n\n${text}`;
}

const INDENT = '  ';
/** Maximum length of an indented text, in UTF-16 code units. Indentation can make a text a thousand times larger. */
const MAX_LENGTH = 8 * 1_048_576;

/**
 * Indents a JSON text. Keeps numbers and strings as they are written, so that long numbers stay exact. Returns undefined if the text is not
 * JSON, or if the result would be too long.
 */
function prettyJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const parts: string[] = [];
  let length = 0;
  let depth = 0;
  const add = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  const line = (): void => {
    add('\n');
    length += INDENT.length * depth;
    if (length <= MAX_LENGTH) parts.push(INDENT.repeat(depth));
  };
  // A string, a run of other characters of a value, a bracket, or a sign.
  const tokens = /"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+|[[\]{},:]/g;
  let before = '';
  for (const [token] of text.matchAll(tokens)) {
    if (token === '}' || token === ']') {
      depth--;
      if (before !== '{' && before !== '[') line();
    } else if (before === '{' || before === '[') line();
    if (token === '{' || token === '[') depth++;
    add(token === ':' ? ': ' : token);
    if (token === ',') line();
    if (length > MAX_LENGTH) return undefined;
    before = token;
  }
  return parts.join('');
}

/** Remedies for errors of the load balancer, by the `error` of the body. */
const REMEDIES: Readonly<Record<string, string>> = {
  [NO_WORKERS]: l10n.t(
    'No worker became ready in time. The worker logs show whether one starts. The endpoint must allow at least one worker.',
  ),
  [TIME_LIMIT]: l10n.t(
    'The worker did not finish in time. Send less work in one request, or raise the timeout of the endpoint.',
  ),
  [AFFINITY_WORKER_GONE]: l10n.t`The worker that the request requires no longer exists. Change or remove the header ${WORKER_ID_HEADER}.`,
  [AFFINITY_TIMEOUT]: l10n.t(
    `The worker that the request requires was not free in time. Send the request again, or name the worker without “strict”.`,
  ),
  [NOT_FOR_QUEUES]: l10n.t('This endpoint is queue-based. Run a job on it instead.'),
};

interface FailedResponse {
  readonly status: number;
  readonly headers: readonly HttpHeader[];
  /** ID of the worker that responded. Undefined if the response comes from the platform. */
  readonly workerId: string | undefined;
  readonly text: string;
}

/** Returns what an error response says and what to do about it, one line each. Empty for a success. */
function errorNotes(response: FailedResponse): readonly string[] {
  if (response.status < 400) return [];
  const json = parseJson(response.text);
  const { error, detail } = RouteError.safeParse(json).data ?? {};
  const problem = Problem.safeParse(json).data;
  const message = problem ? [problem.title, problem.detail] : [error, detail];
  const told = message.filter((part) => part !== undefined && part !== '').join(': ');
  const remedy = remedyOf(response, error);
  return [...(told === '' ? [] : [oneLine(told)]), ...(remedy === undefined ? [] : [remedy])];
}

function remedyOf({ status, headers, workerId }: FailedResponse, error: string | undefined): string | undefined {
  if (status === 429) {
    const header = headers.find(({ name }) => name.toLowerCase() === RETRY_AFTER_HEADER.toLowerCase())?.value;
    const ms = parseRetryAfter(header ?? null, 0);
    // A date is shown unchanged, because the document can be opened much later.
    const when = header !== undefined && !/^\d+$/.test(header) ? l10n.t`after ${oneLine(header)}` : undefined;
    const pause = ms === undefined ? l10n.t('in a moment') : l10n.t`in ${duration(ms / 1000)}`;
    return l10n.t`Too many requests. Send the request again ${when ?? pause}.`;
  }
  if (workerId !== undefined) return l10n.t('The worker sent this error. Its log can contain more.');
  if (error !== undefined && Object.hasOwn(REMEDIES, error)) return REMEDIES[error];
  if (status === 401) return l10n.t('The API key was not accepted. Replace the key of the connection.');
  if (status === 403) return l10n.t('The API key does not allow this request.');
  if (status === 404) return l10n.t('The platform has no such endpoint or route.');
  return status >= 500
    ? l10n.t('The platform could not answer the request. The worker logs can contain the reason.')
    : undefined;
}
