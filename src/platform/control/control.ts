import { getRequestListener } from '@hono/node-server';
import type { RequestListener } from 'node:http';
import { Hono } from 'hono';
import type { Logger } from 'pino';
import { CONTROL_PATH } from '../../contract/control.ts';
import { ownHostOnly } from '../routes/access.ts';
import type { App } from '../routes/app.ts';
import { answerErrors } from '../routes/errors.ts';
import { accountRoutes } from './accountRoutes.ts';
import { clockRoutes } from './clockRoutes.ts';
import { contentsRoutes } from './contentsRoutes.ts';
import type { ControlServices } from './controlServices.ts';
import { faultRoutes } from './faultRoutes.ts';
import { ownerOnly } from './ownerOnly.ts';
import { identityRoute, sharingRoutes } from './sharingRoutes.ts';

interface ControlOptions {
  readonly apiKey: string;
  readonly log: Logger;
  readonly ownProcess: boolean;
  readonly port: () => number;
}

/** The control API: beside the interface rather than in it, so that it answers whatever state that is in. */
export function createControl(services: ControlServices, options: ControlOptions): RequestListener {
  const { apiKey, log, ownProcess, port } = options;
  const app: App = new Hono();
  app.use(ownHostOnly(port));
  documentRoute(app, services);
  identityRoute(app, services);
  app.use(ownerOnly(apiKey));
  contentsRoutes(app, services);
  accountRoutes(app, services.world);
  clockRoutes(app, services.clock);
  faultRoutes(app, services.observer);
  sharingRoutes(app, services);
  answerErrors(app, log);
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: ownProcess });
  return (incoming, response) => void listener(incoming, response);
}

/** The control API as an OpenAPI document; holds no secret, as that of the interface. */
function documentRoute(app: App, { world }: ControlServices): void {
  app.get(`${CONTROL_PATH}/openapi.json`, async (context) => {
    const { controlDocument } = await import('../../contract/openapi.ts');
    return context.json(controlDocument({ addresses: world().addresses() }));
  });
}
