import { operations } from '../../contract/operations.ts';
import { endpointAnswer } from '../domain/endpointAnswer.ts';
import { pageOf } from '../domain/page.ts';
import { releaseAnswers, rollout } from '../domain/release.ts';
import { workerList } from '../domain/worker.ts';
import type { LiveEndpoint } from '../workers/liveEndpoint.ts';
import { endpointsOf } from '../endpoints/accountEndpoints.ts';
import type { Services, App } from './services.ts';
import { route } from './route.ts';

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
