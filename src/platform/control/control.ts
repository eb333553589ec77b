import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { CONTROL_PATH } from '../../contract/launch/localPlatform.ts';
import { Refusal } from '../domain/refusal.ts';
import { json } from '../http/answer.ts';
import { App } from '../http/app.ts';
import { checkHost } from '../routes/access.ts';
import { errorHooks } from '../routes/errors.ts';
import { accountRoutes } from './accountRoutes.ts';
import { clockRoutes, faultRoutes, disturbanceRoutes } from './simulationRoutes.ts';
import { contentsRoutes } from './contentsRoutes.ts';
import type { ControlApp } from './controlRoute.ts';
import type { ControlServices } from './controlServices.ts';
import { developmentRoutes } from './developmentRoutes.ts';
import { healthRoute, imageRoutes } from './imageRoutes.ts';
import { identityRoutes, sharingRoutes } from './sharingRoutes.ts';
import { telemetryRoutes } from './telemetryRoutes.ts';

interface ControlOptions {
  readonly apiKey: string;
  readonly log: Logger;
  readonly port: () => number;
  readonly publicUrl: URL | undefined;
}

/** Creates the control API. It is separate from the hosted service's API, so that it responds in any state of that API. */
export function createControl(
  services: ControlServices,
  { apiKey, log, port, publicUrl }: ControlOptions,
): RequestListener {
  const app: ControlApp = new App();
  documentRoute(app, services);
  healthRoute(app);
  identityRoutes(app, services, apiKey);
  contentsRoutes(app, services);
  accountRoutes(app, services.instance);
  clockRoutes(app, services.clock);
  faultRoutes(app, services.observer);
  imageRoutes(app, services);
  developmentRoutes(app, services);
  disturbanceRoutes(app, services.instance);
  telemetryRoutes(app, services.instance);
  sharingRoutes(app, services);
  const checkOwner = ownerOnly(apiKey);
  return app.listener({
    before: ({ incoming }, open) => {
      checkHost(incoming, port(), publicUrl);
      if (!open) checkOwner(incoming);
      return undefined;
    },
    // Sends the response only after its changes are on disk.
    after: ({ method }) => (method === 'GET' ? undefined : services.instance().contents.flush()),
    ...errorHooks(log),
  });
}

/** Serves the OpenAPI document of the control API. The document contains no secrets, so it needs no key. */
function documentRoute(app: ControlApp, { instance }: ControlServices): void {
  const serve = async () => {
    const { controlDocument } = await import('../../contract/openapi.ts');
    return json(controlDocument({ addresses: instance().addresses() }));
  };
  app.on('GET', `${CONTROL_PATH}/openapi.json`, serve, { open: true });
}

/**
 * Restricts the control API to the owner's key.
 *
 * @returns a function that throws a Refusal 401 for any other key
 */
function ownerOnly(apiKey: string): (incoming: IncomingMessage) => void {
  const expected = digest(apiKey);
  return ({ headers }) => {
    const token = /^Bearer +(.*)$/i.exec(headers.authorization?.trim() ?? '')?.[1];
    if (token === undefined || token === '') throw new Refusal(401, 'missing bearer token');
    if (!timingSafeEqual(digest(token), expected)) throw new Refusal(401, "the control API requires the owner's key");
  };
}

/** Converts keys to the same length, which `timingSafeEqual` requires. */
const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
