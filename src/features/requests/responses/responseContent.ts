import * as l10n from '@vscode/l10n';
import type { ExchangeFiles } from '../history/exchangeFiles.ts';
import type { RequestHistoryStore, StoredRequest } from '../history/requestHistoryStore.ts';
import { withoutSecretValues } from '../../../text/secretText.ts';
import type { ExchangeStore } from '../send/exchangeStore.ts';
import { socketText } from '../sockets/frameLog.ts';
import type { ResponseAddress, ResponseDocument } from './responseAddress.ts';
import { responseText, type ExchangeState, type ShownResponse } from './responseText.ts';

export interface ResponseSources {
  readonly exchanges: Pick<ExchangeStore, 'find'>;
  readonly requests: Pick<RequestHistoryStore, 'find'>;
  readonly filesOf: (connectionId: string) => Pick<ExchangeFiles, 'read'>;
}

const GONE = l10n.t('# This request is no longer in the list.\n');
const NO_LOG = l10n.t(
  '# The messages were not stored, because they were too large or contain a value that looks like a secret.\n',
);

/** Returns the content of a document. Undefined for a body that is not available. */
export async function responseContent(
  sources: ResponseSources,
  address: ResponseDocument,
): Promise<string | Uint8Array | undefined> {
  const { connectionId, requestId, content } = address;
  if (content === 'body') return (await findResponse(sources, address))?.body;
  const exchange = sources.exchanges.find(connectionId, requestId);
  if (content === 'log' && exchange?.log) {
    const { request, head, isActive, log } = exchange;
    const path = withoutSecretValues(request.path);
    return socketText({
      ...request,
      path,
      workerId: head?.workerId,
      isOpen: exchange.socket !== undefined,
      isActive,
      log: log.text,
    });
  }
  const shown = await findResponse(sources, address);
  if (!shown) return GONE;
  return content === 'log' ? (shown.body ?? NO_LOG) : responseText(shown);
}

/** Finds a response in memory, or else in the stored history. */
export async function findResponse(
  { exchanges, requests, filesOf }: ResponseSources,
  { connectionId, requestId }: ResponseAddress,
): Promise<ShownResponse | undefined> {
  const exchange = exchanges.find(connectionId, requestId);
  if (exchange && (exchange.isActive || exchange.body !== undefined)) return exchange.shown;
  const stored = requests.find(connectionId, requestId);
  if (!stored) return exchange?.shown;
  const files = await filesOf(connectionId).read(requestId);
  if (exchange) return { ...exchange.shown, body: files?.body };
  const { status, workerId, firstByteMs = 0, totalMs, size = 0 } = stored;
  const { statusText = '', headers = [], body } = files ?? {};
  const head = status === undefined ? undefined : { status, statusText, headers, workerId, firstByteMs };
  return { state: stateOf(stored), head, body, size, totalMs };
}

function stateOf({ end }: StoredRequest): ExchangeState {
  switch (end) {
    case undefined:
      return { kind: 'interrupted' };
    case 'cut':
      return { kind: 'cut', reason: l10n.t('the reason was not stored') };
    case 'failed':
      return { kind: 'failed', reason: l10n.t('The reason was not stored. Send the request again to see it.') };
    default:
      return { kind: end };
  }
}
