import type { RouteServices } from '../routeServices.ts';
import type { StoredRequest } from '../history/requestHistoryStore.ts';
import { withoutSecretValues } from '../../../text/secretText.ts';
import type { Exchange } from './exchange.ts';

type Stores = Pick<RouteServices, 'requests' | 'filesOf' | 'log'>;

/** Stores the present state of a request in the history, and its response once it has ended. Failures are logged. */
export async function record({ requests, filesOf, log }: Stores, exchange: Exchange): Promise<void> {
  const { id, origin, request, head, isActive } = exchange;
  const { connectionId } = origin;
  try {
    const files = filesOf(connectionId);
    if (!isActive) {
      const text = exchange.log?.text ?? '';
      const body = text === '' ? (exchange.body ?? new Uint8Array()) : new TextEncoder().encode(text);
      await files.put(id, { request, head, body });
    }
    const removed = await requests.put(connectionId, entryOf(exchange));
    if (removed.length > 0) await files.remove(removed);
  } catch (error) {
    log.warn('Could not write the history of requests', error);
  }
}

function entryOf({ id, request, origin, sentAt, state, head, size, totalMs }: Exchange): StoredRequest {
  const { endpointId, endpointName, endpointType, method, path, name } = request;
  const { kind } = state;
  const end = kind === 'waiting' || kind === 'receiving' || kind === 'interrupted' ? undefined : kind;
  return {
    ...{ id, endpointId, endpointName, endpointType, method, sentAt, path: withoutSecretValues(path) },
    ...(end !== undefined && { end, size }),
    ...(head && { status: head.status, firstByteMs: head.firstByteMs }),
    ...(head?.workerId !== undefined && { workerId: head.workerId }),
    ...(totalMs !== undefined && { totalMs }),
    ...(origin.file !== undefined && { file: origin.file }),
    ...(name !== undefined && { name }),
  };
}
