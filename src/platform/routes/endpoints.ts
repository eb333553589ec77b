import { operations } from '../../contract/operations.ts';
import { endpointAnswer } from '../domain/endpointAnswer.ts';
import { pageOf } from '../domain/page.ts';
import { releaseAnswers, rollout } from '../domain/release.ts';
import { workerList } from '../domain/worker.ts';
import type { LiveEndpoint } from '../workers/liveEndpoint.ts';
import { endpointsOf } from '../endpoints/accountEndpoints.ts';
import type { Services, App } from './services.ts';
import { route, EventStream } from './route.ts';
import { DEFAULT_TAIL, LAST_EVENT_ID_HEADER } from '../../contract/workerLogs.ts';
import { violation } from '../../contract/violation.ts';
import { notFound, refuseViolations } from '../domain/refusal.ts';
import { logStream, type LogStart } from '../logs/logStream.ts';
import { normalizeTimestamp } from '../logs/timestamp.ts';

/** Routes for endpoints, their workers, and their releases. */
export function endpointRoutes(app: App, { engine, clock, addresses }: Services): void {
  const answer = ({ endpoint }: LiveEndpoint) => endpointAnswer(endpoint, addresses());

  route(app, operations.listEndpoints, ({ accountId, query }) => {
    const { page, pagination } = pageOf('endpoints', endpointsOf(engine, accountId).list().map(answer), query);
    return { endpoints: page, pagination };
  });
  route(app, operations.createEndpoint, ({ accountId, body }) => answer(endpointsOf(engine, accountId).create(body)));
  route(app, operations.getEndpoint, ({ accountId, parameters }) =>
    answer(endpointsOf(engine, accountId).get(parameters.id)),
  );
  route(app, operations.updateEndpoint, ({ accountId, parameters, body }) =>
    answer(endpointsOf(engine, accountId).update(parameters.id, body, answer)),
  );
  route(app, operations.deleteEndpoint, ({ accountId, parameters }) => {
    endpointsOf(engine, accountId).delete(parameters.id);
    return undefined;
  });
  route(app, operations.listEndpointWorkers, ({ accountId, parameters }) => {
    const live = endpointsOf(engine, accountId).get(parameters.id);
    return workerList(live, live.endpoint.version, clock.now());
  });
  route(app, operations.listEndpointReleases, ({ accountId, parameters: { id }, query }) => {
    const live = endpointsOf(engine, accountId).get(id);
    const views = live.views();
    const { page, pagination } = pageOf(`releases of ${id}`, live.releases(), query);
    const { version: endpointVersion } = live.endpoint;
    return {
      releases: releaseAnswers(page, views),
      rollout: rollout(views, endpointVersion),
      endpointVersion,
      pagination,
    };
  });
}

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
