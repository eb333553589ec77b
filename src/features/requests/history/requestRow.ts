import * as l10n from '@vscode/l10n';
import { dataSize } from '../../../text/quantities.ts';
import { ago } from '../../../account/jobWords.ts';
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
  if (!head) return [l10n.t('waiting…')];
  return [socket ? l10n.t('open') : String(head.status), l10n.t`receiving ${dataSize(size)}`];
}

function endWords({ end, status, totalMs, method }: StoredRequest): readonly string[] {
  const time = totalMs === undefined ? [] : [milliseconds(totalMs)];
  const isSocket = method === 'WEBSOCKET' && status === 101;
  const answered = status === undefined ? [] : [isSocket ? l10n.t('closed') : String(status)];
  switch (end) {
    case undefined:
      return [l10n.t('interrupted')];
    case 'failed':
      return [l10n.t('no response')];
    case 'canceled':
      return [...answered, l10n.t('canceled')];
    case 'cut':
      return [...answered, l10n.t('cut off'), ...time];
    case 'tooLarge':
      return [...answered, l10n.t('too large')];
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
    [l10n.t('Request'), titleOf({ name, method, path })],
    [l10n.t('Address'), `${method} ${path}`],
    [l10n.t('Endpoint'), endpointName],
    [l10n.t('Sent'), new Date(sentAt).toLocaleString('en-US')],
    ...(status === undefined ? [] : [[l10n.t('Status'), String(status)] as const]),
    ...(firstByteMs === undefined ? [] : [[l10n.t('First byte'), milliseconds(firstByteMs)] as const]),
    ...(totalMs === undefined ? [] : [[l10n.t('Total time'), milliseconds(totalMs)] as const]),
    ...(size === undefined ? [] : [[l10n.t('Size'), dataSize(size)] as const]),
    ...(workerId === undefined ? [] : [[l10n.t('Worker'), workerId] as const]),
  ];
}
