import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Hono, type MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { apiKeyRequired, ownHostOnly } from './routes/access.ts';
import { billingRoutes } from './routes/billing.ts';
import { endpointRoutes } from './routes/endpoints.ts';
import { answerErrors } from './routes/errors.ts';
import { jobRoutes } from './routes/jobs.ts';
import { openApiRoute } from './routes/openapi.ts';
import { ADDRESS_PATHS } from './routes/route.ts';
import { workerLogRoutes } from './routes/workerLogs.ts';
import { workerProtocolRoutes } from './routes/workerProtocol.ts';
import type { PlatformAddresses, Services } from './services.ts';
import type { Store } from './store/store.ts';

const LOOPBACK = '127.0.0.1';

interface ServerOptions {
  readonly apiKey: string;
  readonly log: Logger;
  /** Nothing else lives in this process, so that its global `Response` may be replaced by one that costs a third less per answer. */
  readonly ownProcess: boolean;
}

/** All of HTTP: who may call, the routes, and what is answered when none fits. */
export function createServer(services: Services, { apiKey, log, ownProcess }: ServerOptions): Server {
  const app = new Hono<{ Bindings: HttpBindings }>();
  let port: number | undefined;
  app.use(ownHostOnly(() => (port ??= portOf(server))));
  openApiRoute(app, services);
  app.use(apiKeyRequired(apiKey, `${ADDRESS_PATHS.queueUrl}/`));
  app.use(durableBeforeAnswered(services.store));
  endpointRoutes(app, services);
  workerLogRoutes(app, services);
  billingRoutes(app, services);
  jobRoutes(app, services);
  workerProtocolRoutes(app, services);
  answerErrors(app, log);
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: ownProcess }) as Server;
  return server;
}

/** What a request changed is on disk before it is answered. */
function durableBeforeAnswered(store: Store): MiddlewareHandler {
  return async (context, next) => {
    await next();
    if (context.req.method !== 'GET') await store.durable();
  };
}

/** Listens on the loopback interface; port 0 takes a free one. @throws the system's error, such as EADDRINUSE */
export function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Ends every connection, also those that are held open. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0;
}

export function addressesOf(server: Server): PlatformAddresses {
  const origin = `http://${LOOPBACK}:${portOf(server)}`;
  const { baseUrl, restUrl, queueUrl, endpointHost } = ADDRESS_PATHS;
  return {
    baseUrl: origin + baseUrl,
    restUrl: origin + restUrl,
    queueUrl: origin + queueUrl,
    endpointHost: origin + endpointHost,
  };
}
