import { operations } from '../../contract/operations.ts';
import { DEFAULT_TAIL, LAST_EVENT_ID_HEADER } from '../../contract/workerLogs.ts';
import { violation } from '../../contract/violation.ts';
import { notFound, refuseViolations } from '../domain/refusal.ts';
import { logStream, type LogStart } from '../logs/logStream.ts';
import { normalizeTimestamp } from '../logs/timestamp.ts';
import { endpointsOf } from '../endpoints/accountEndpoints.ts';
import type { Services } from './services.ts';
import type { App } from './app.ts';
import { EventStream, route } from './route.ts';

/** Worker logs (interface document, Endpoints 9 and Events; facts, section 3c). They can be read after the worker is gone, too. */
export function workerLogRoutes(app: App, { engine, realWaits }: Services): void {
  route(app, operations.getWorkerLogs, ({ accountId, parameters: { id, workerId }, query, header }) => {
    if (!endpointsOf(engine, accountId).get(id).hasHad(workerId)) throw notFound(`worker '${workerId}'`);
    const { source, tail, since } = query;
    const start = startOf(header(LAST_EVENT_ID_HEADER), since, tail);
    return new EventStream(logStream(engine.logs, realWaits, { workerId, source }, start));
  });
}

/**
 * Last-Event-ID wins over since, and since over tail (interface document, Events 3). What was at the cursor is not sent again. An empty
 * Last-Event-ID is what some clients send before they have seen any.
 */
function startOf(lastEventId = '', since: string | undefined, tail = DEFAULT_TAIL): LogStart {
  const cursor = lastEventId === '' ? since : lastEventId;
  if (cursor === undefined) return { tail };
  const after = normalizeTimestamp(cursor);
  if (after === undefined) throw refuseViolations([violation([LAST_EVENT_ID_HEADER], 'notAnEventId', {}, 422)]);
  return { after };
}
