import { dataSize } from '../../../vscode/text/quantities.ts';
import { ago } from '../../jobs/jobWords.ts';
import type { Exchange } from '../send/exchange.ts';
import { titleOf } from '../responses/responseAddress.ts';
import { milliseconds } from '../responses/responseText.ts';
import type { StoredRequest } from './requestHistoryStore.ts';

/** Texts and icon of a row. */
export interface RequestRow {
  readonly label: string;
  readonly description: string;
  readonly icon: string;
  readonly color: string | undefined;
  readonly contextValue: 'request' | 'request.active';
}

/** Running state of a request. */
export type Running = Pick<Exchange, 'isActive' | 'state' | 'head' | 'size' | 'socket'>;

/** Returns the row of a request. @param running its state in this session, if it runs */
export function requestRow(request: StoredRequest, running: Running | undefined, now: number): RequestRow {
  const label = request.name ?? `${request.method} ${request.path}`;
  const isActive = running?.isActive === true;
  const words = isActive ? runningWords(running) : [...endWords(request), ago(now - request.sentAt)];
  const [icon, color] = isActive ? ['sync~spin', undefined] : iconOf(request);
  return { label, description: words.join(' · '), icon, color, contextValue: isActive ? 'request.active' : 'request' };
}

function runningWords({ head, size, socket }: Running): readonly string[] {
  if (!head) return ['waiting…'];
  return [socket ? 'open' : String(head.status), `receiving ${dataSize(size)}`];
}

function endWords({ end, status, totalMs, method }: StoredRequest): readonly string[] {
  const time = totalMs === undefined ? [] : [milliseconds(totalMs)];
  const isSocket = method === 'WEBSOCKET' && status === 101;
  const answered = status === undefined ? [] : [isSocket ? 'closed' : String(status)];
  switch (end) {
    case undefined:
      return ['interrupted'];
    case 'failed':
      return ['no response'];
    case 'canceled':
      return [...answered, 'canceled'];
    case 'cut':
      return [...answered, 'cut off', ...time];
    case 'tooLarge':
      return [...answered, 'too large'];
    case 'complete':
      return [...answered, ...time];
  }
}

function iconOf({ end, status = 0, method }: StoredRequest): readonly [icon: string, color: string | undefined] {
  if (end === undefined) return ['question', undefined];
  if (end === 'canceled') return ['circle-slash', undefined];
  if (end !== 'complete') return ['error', 'testing.iconFailed'];
  if (method === 'WEBSOCKET' && status === 101) return ['debug-disconnect', undefined];
  if (status >= 500) return ['error', 'testing.iconFailed'];
  if (status >= 400) return ['warning', 'list.warningForeground'];
  if (status >= 300) return ['arrow-right', undefined];
  return ['pass', 'testing.iconPassed'];
}

/** Returns the facts of a row's tooltip, as pairs of a name and a value. */
export function requestFacts(request: StoredRequest): readonly (readonly [string, string])[] {
  const { endpointName, method, path, status, firstByteMs, totalMs, size, workerId, sentAt, name } = request;
  return [
    ['Request', titleOf({ name, method, path })],
    ['Address', `${method} ${path}`],
    ['Endpoint', endpointName],
    ['Sent', new Date(sentAt).toLocaleString('en-US')],
    ...(status === undefined ? [] : [['Status', String(status)] as const]),
    ...(firstByteMs === undefined ? [] : [['First byte', milliseconds(firstByteMs)] as const]),
    ...(totalMs === undefined ? [] : [['Total time', milliseconds(totalMs)] as const]),
    ...(size === undefined ? [] : [['Size', dataSize(size)] as const]),
    ...(workerId === undefined ? [] : [['Worker', workerId] as const]),
  ];
}
