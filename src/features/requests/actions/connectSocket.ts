import { openSocket, type SocketListener, type SocketOutcome, type SocketRequest } from '../../../client/openSocket.ts';
import { routeLimitOf } from '../../../client/operationTimes.ts';
import { pauseAfter, untilWorkerReady, type WaitOptions } from './untilWorkerReady.ts';

/**
 * Opens a WebSocket. Tries again while no worker is ready.
 *
 * @throws ApiError if there is no response
 */
export function connectSocket(
  request: SocketRequest,
  listener: SocketListener,
  options: WaitOptions,
): Promise<SocketOutcome> {
  const { context, signal, timeout } = options;
  return untilWorkerReady<SocketOutcome>(options, async () => {
    const result = await openSocket(context, request, listener, { signal, timeout: routeLimitOf(timeout) });
    if ('socket' in result) return { result, pauseMs: undefined };
    const { headers, body } = result.refusal;
    return { result, pauseMs: pauseAfter(context, headers, new TextDecoder().decode(body)) };
  });
}
