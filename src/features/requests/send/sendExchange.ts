import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import type { RouteRequest } from '../../../client/routeRequest.ts';
import { dataSize } from '../../../text/quantities.ts';
import { withLateProgress, type Report } from '../../../kit/progress.ts';
import { explain } from '../../../kit/explain.ts';
import { shown } from '../../../text/shownText.ts';
import { requireConnectionOf } from '../../../account/connections/requireConnection.ts';
import { readBody, sentHeaders, type SentBody } from '../actions/requestBody.ts';
import { sendRequest } from '../actions/sendRequest.ts';
import type { ResolvedRequest } from '../model/httpFile.ts';
import { showImage, showResponse } from '../responses/showResponse.ts';
import type { RouteServices } from '../routeServices.ts';
import { runSocket, type Sending } from '../sockets/runSocket.ts';
import type { Exchange, Origin } from './exchange.ts';
import { maySend } from './maySend.ts';
import { record } from './record.ts';
import { requestFiles } from './readRequest.ts';
import { canHaveWorkers, waitObserver } from './waitObserver.ts';

/** Sends a request and shows its response while it arrives. Resolves once the request has ended. */
export async function sendExchange(services: RouteServices, request: ResolvedRequest, origin: Origin): Promise<void> {
  services.liveValues.request();
  const { client, profile } = requireConnectionOf(services.connections, origin.connectionId);
  const file = origin.file === undefined ? undefined : vscode.Uri.parse(origin.file);
  const body = await readBody(request, requestFiles(file));
  if (!(await maySend(services, profile, request))) return;
  const { exchanges, clock, endpoints } = services;
  const exchange = exchanges.start(request, origin, clock.now());
  void record(services, exchange);
  const run = request.method === 'WEBSOCKET' ? runSocket : exchangeHttp;
  try {
    await run({ services, client, exchange, body });
  } catch (error) {
    const isCanceled = error instanceof ApiError && error.kind === 'canceled';
    const reason = explain(error, l10n.t('The request failed')).text;
    if (exchange.isActive)
      exchange.end(isCanceled ? { kind: 'canceled' } : { kind: 'failed', reason }, clock.now() - exchange.sentAt);
    if (!isCanceled) throw error;
  } finally {
    void endpoints.refreshOne(request.endpointId).catch(() => undefined);
    await record(services, exchange);
  }
}

async function exchangeHttp({ services, client, exchange, body }: Sending): Promise<void> {
  const { clock, endpoints } = services;
  const { request, origin, id } = exchange;
  let opened: Promise<vscode.TextEditor> | undefined;
  const title = shown`${request.method} “${request.endpointName}”`;
  await withLateProgress(clock, title, async (signal, report) => {
    signal.addEventListener('abort', () => exchange.cancel());
    const { end, totalMs } = await sendRequest(routeRequest(request, body), {
      context: client.context,
      signal: exchange.signal,
      timeout: endpoints.find(request.endpointId)?.endpoint.timeout,
      mayRetry: () => canHaveWorkers(services, request.endpointId),
      observer: {
        ...waitObserver(services, request.endpointId, report),
        head: (head) => {
          exchange.begin(head);
          opened = showResponse(origin.connectionId, { ...request, id }, 'response', isEventStream(exchange));
          opened.catch((error: unknown) => services.log.warn('Could not show a response', error));
        },
        chunk: (chunk) => {
          exchange.receive(chunk);
          reportSize(exchange, report);
        },
      },
    });
    exchange.end(end, totalMs);
  });
  await showImage(origin.connectionId, { ...request, id }, exchange, await opened);
}

function isEventStream({ head }: Exchange): boolean {
  return (
    head?.headers.some(({ name, value }) => name === 'content-type' && value.startsWith('text/event-stream')) === true
  );
}

function reportSize({ size }: Exchange, report: Report): void {
  report(shown`receiving: ${dataSize(size)}`);
}

function routeRequest(request: ResolvedRequest, body: SentBody): RouteRequest {
  const { endpointId, endpointType, method, path, headers } = request;
  if (method === 'WEBSOCKET') throw new Error(l10n.t('A WebSocket is not an HTTP request.'));
  return { endpointId, endpointType, method, path, headers: sentHeaders(headers, body), body };
}
