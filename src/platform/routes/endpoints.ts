import { operations } from '../../contract/operations.ts';
import { endpointAnswer } from '../domain/endpointAnswer.ts';
import { pageOf } from '../domain/page.ts';
import { workerList } from '../domain/worker.ts';
import type { LiveEndpoint } from '../runtime/liveEndpoint.ts';
import type { Services } from '../services.ts';
import type { App } from './app.ts';
import { route } from './route.ts';

/** Endpoints and their workers (interface document, Endpoints 7; facts, sections 3 and 3a). */
export function endpointRoutes(app: App, { engine, clock, addresses }: Services): void {
  const answer = ({ endpoint }: LiveEndpoint) => endpointAnswer(endpoint, addresses().queueUrl);

  route(app, operations.listEndpoints, ({ query }) => {
    const { page, pagination } = pageOf('endpoints', engine.endpoints().map(answer), query);
    return { endpoints: page, pagination };
  });
  route(app, operations.createEndpoint, ({ body }) => answer(engine.createEndpoint(body)));
  route(app, operations.getEndpoint, ({ parameters }) => answer(engine.endpoint(parameters.id)));
  route(app, operations.deleteEndpoint, ({ parameters }) => {
    engine.deleteEndpoint(parameters.id);
    return undefined;
  });
  route(app, operations.listEndpointWorkers, ({ parameters }) => {
    const live = engine.endpoint(parameters.id);
    return workerList(live.views(), live.endpoint.version, clock.now());
  });
}
