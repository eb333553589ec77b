import { getRequestListener } from '@hono/node-server';
import type { RequestListener } from 'node:http';
import { Hono } from 'hono';
import type { Logger } from 'pino';
import { ownHostOnly } from '../routes/access.ts';
import type { App } from '../routes/app.ts';
import { answerErrors } from '../routes/errors.ts';
import type { ControlServices } from './controlServices.ts';
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
  identityRoute(app, services);
  app.use(ownerOnly(apiKey));
  sharingRoutes(app, services);
  answerErrors(app, log);
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: ownProcess });
  return (incoming, response) => void listener(incoming, response);
}
