import * as l10n from '@vscode/l10n';
import { distance } from 'fastest-levenshtein';
import { WORKER_ID_HEADER } from '../../../contract/route.ts';

/* Common request headers, for completion, hover, and misspelled names. */

export interface HeaderFact {
  readonly name: string;
  readonly description: string;
  readonly values: readonly HeaderValue[];
}

export interface HeaderValue {
  readonly value: string;
  readonly description?: string;
}

const plain = (...values: readonly string[]): HeaderValue[] => values.map((value) => ({ value }));

export const HEADER_FACTS: readonly HeaderFact[] = [
  {
    name: 'Accept',
    description: l10n.t('Media types that the response can have.'),
    values: plain('application/json', 'text/event-stream', 'text/plain', 'image/*', '*/*'),
  },
  {
    name: 'Accept-Language',
    description: l10n.t('Languages that the response can have.'),
    values: plain('en-US', 'en'),
  },
  {
    name: 'Cache-Control',
    description: l10n.t('How caches handle the request.'),
    values: plain('no-cache', 'no-store'),
  },
  {
    name: 'Content-Type',
    description: l10n.t('Media type of the body.'),
    values: plain(
      ...['application/json', 'application/x-www-form-urlencoded', 'application/octet-stream', 'application/xml'],
      ...['text/plain', 'image/png', 'image/jpeg', 'audio/wav'],
    ),
  },
  { name: 'Content-Encoding', description: l10n.t('Compression of the body.'), values: plain('gzip') },
  { name: 'Content-Language', description: l10n.t('Language of the body.'), values: plain('en-US') },
  { name: 'Cookie', description: l10n.t('Cookies of the worker. Do not store secrets in files.'), values: [] },
  {
    name: 'Idempotency-Key',
    description: l10n.t('Key with which the worker recognizes a repeated request.'),
    values: plain('{{$guid}}'),
  },
  {
    name: 'If-Match',
    description: l10n.t('Sends the request only for this version of the resource.'),
    values: plain('*'),
  },
  {
    name: 'If-None-Match',
    description: l10n.t('Requests the resource only if it has another version.'),
    values: plain('*'),
  },
  { name: 'Last-Event-ID', description: l10n.t('ID of the last event that a stream of events delivered.'), values: [] },
  { name: 'Origin', description: l10n.t('Origin of the page that causes the request.'), values: [] },
  { name: 'Range', description: l10n.t('Part of the resource that is requested.'), values: plain('bytes=0-1023') },
  { name: 'Referer', description: l10n.t('Address of the page that causes the request.'), values: [] },
  { name: 'Sec-WebSocket-Protocol', description: l10n.t('Protocols that the WebSocket can use.'), values: [] },
  { name: 'User-Agent', description: l10n.t('Name and version of the client.'), values: [] },
  { name: 'X-Request-Id', description: l10n.t('ID of the request, for logs.'), values: plain('{{$guid}}') },
  {
    name: WORKER_ID_HEADER,
    description: l10n.t(
      'Worker that responds. A response contains the ID of its worker in this header. In a request, the ID names the preferred worker.',
    ),
    values: [
      { value: 'strict ', description: l10n.t('Requires the worker with the ID that follows.') },
      {
        value: 'strict-resume ',
        description: l10n.t('Requires the worker, and also restarts it if it was scaled down.'),
      },
    ],
  },
];

/** Headers that are correct but that a file should not set, so they are not misspelled. */
const OTHERS = [
  'accept-encoding',
  'authorization',
  'date',
  'expect',
  'from',
  'host',
  'te',
  'trailer',
  'via',
  'x-team-id',
];
/** Longest header name whose spelling is examined, in UTF-16 code units. */
const LONGEST_NAME = 40;

export function headerFact(name: string): HeaderFact | undefined {
  return HEADER_FACTS.find((fact) => fact.name.toLowerCase() === name.toLowerCase());
}

/** Returns the common header that a name probably misspells. Names of the user, which begin with X-, are not examined. */
export function misspelledHeader(name: string): string | undefined {
  const key = name.toLowerCase();
  if (key.length < 5 || key.length > LONGEST_NAME || key.startsWith('x-') || OTHERS.includes(key)) return undefined;
  const names = HEADER_FACTS.map((fact) => fact.name);
  if (names.some((known) => known.toLowerCase() === key)) return undefined;
  return names.find((known) => distance(known.toLowerCase(), key) <= (key.length < 8 ? 1 : 2));
}
