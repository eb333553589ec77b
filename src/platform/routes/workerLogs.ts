import { operations } from '../../contract/operations.ts';
import { DEFAULT_TAIL, LAST_EVENT_ID_HEADER } from '../../contract/workerLogs.ts';
import { violation } from '../../contract/violation.ts';
import { notFound, refuseViolations } from '../domain/refusal.ts';
import { logStream, type LogStart } from '../logs/logStream.ts';
import { normalizeTimestamp } from '../logs/timestamp.ts';
import { endpointsOf } from '../endpoints/accountEndpoints.ts';
import type { App, Services } from './services.ts';
import { EventStream, route } from './route.ts';

/** Routes for worker logs, which remain readable after the worker has ended. */
export function workerLogRoutes(app: App, { engine, realClock }: Services): void {
  route(app, operations.getWorkerLogs, ({ accountId, parameters: { id, workerId }, query, exchange }) => {
    if (!endpointsOf(engine, accountId).get(id).isKnownWorker(workerId)) throw notFound(`worker '${workerId}'`);
    const { source, tail, since } = query;
    const start = startOf(exchange.header(LAST_EVENT_ID_HEADER), since, tail);
    return new EventStream(logStream(engine.logs, realClock, { workerId, source }, start));
  });
}

/**
 * Returns the start of a log stream. Last-Event-ID takes precedence over `since`, and `since` over `tail`. The stream starts after the
 * event at the cursor. Some clients send an empty Last-Event-ID before their first event.
 */
function startOf(lastEventId = '', since: string | undefined, tail = DEFAULT_TAIL): LogStart {
  const cursor = lastEventId === '' ? since : lastEventId;
  if (cursor === undefined) return { tail };
  const after = normalizeTimestamp(cursor);
  if (after === undefined) throw refuseViolations([violation([LAST_EVENT_ID_HEADER], 'notAnEventId', {}, 422)]);
  return { after };
}
