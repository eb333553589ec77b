import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { WORKER_PATH } from '../../contract/launch/localPlatform.ts';
import { RateLimits, type RateLimitOptions } from '../accounts/rateLimits.ts';
import { App } from '../http/app.ts';
import { callerRequired, checkHost } from '../routes/access.ts';
import type { App as Routes, Services } from '../routes/services.ts';
import { isSigned } from '../files/signedRequest.ts';
import { balancedRoutes, isForWorker } from '../routes/balanced.ts';
import { billingRoutes } from '../routes/billing.ts';
import {
  catalogRoutes,
  registryRoutes,
  templateRoutes,
  globalVolumeRoutes,
  networkVolumeRoutes,
} from '../routes/resources.ts';
import { endpointRoutes, workerLogRoutes } from '../routes/endpoints.ts';
import { errorHooks } from '../routes/errors.ts';
import { imageEditRoutes, imageRoutes } from '../routes/imageEdit.ts';
import { jobRoutes } from '../routes/jobs.ts';
import { metricsRoute } from '../routes/metrics.ts';
import { openAiRoutes } from '../routes/openAi.ts';
import { openApiRoute } from '../routes/openapi.ts';
import { ADDRESS_PATHS } from '../routes/route.ts';
import { workerProtocolRoutes } from '../routes/workerProtocol.ts';
import type { Store } from '../store/store.ts';
import type { Handlers } from './server.ts';

const WORKER_PREFIX = `${WORKER_PATH}/`;
const PREFIXES = { worker: WORKER_PREFIX, queue: `${ADDRESS_PATHS.queueUrl}/` } as const;

interface HandlerOptions {
  readonly rateLimits: RateLimitOptions | undefined;
  readonly store: Pick<Store, 'flush' | 'flushSoon'>;
  readonly log: Logger;
  readonly port: () => number;
  /** Origin at which callers reach the platform through a proxy, if any. */
  readonly publicUrl: URL | undefined;
  readonly s3: RequestListener;
}

/** The handlers of a platform instance. */
export interface InstanceHandlers extends Handlers {
  /** Serves the worker protocol only. */
  readonly worker: RequestListener;
  /** Serves the metrics only, on any port. */
  readonly metrics: RequestListener;
}

/** Creates the handlers of the interface: authentication, limits, routes, and errors. */
export function createHandlers(
  services: Services,
  { rateLimits, store, log, port, publicUrl, s3 }: HandlerOptions,
): InstanceHandlers {
  const app: Routes = new App();
  openApiRoute(app, services);
  imageRoutes(app, services);
  endpointRoutes(app, services);
  workerLogRoutes(app, services);
  templateRoutes(app, services);
  registryRoutes(app, services);
  networkVolumeRoutes(app, services);
  globalVolumeRoutes(app, services);
  catalogRoutes(app);
  billingRoutes(app, services);
  imageEditRoutes(app, services);
  jobRoutes(app, services);
  openAiRoutes(app, services);
  metricsRoute(app, services);
  workerProtocolRoutes(app, services);
  const { authenticator } = services;
  const limits = new RateLimits(services.clock, rateLimits);
  const callerOf = callerRequired(authenticator, limits, PREFIXES);
  const listener = app.listener({
    before: (exchange, open) => {
      checkHost(exchange.incoming, port(), publicUrl);
      return open ? undefined : callerOf(exchange);
    },
    // Writes the changes of a request to disk before the response.
    after: ({ method, path }) => {
      if (method === 'GET') return undefined;
      if (!path.startsWith(WORKER_PREFIX)) return store.flush();
      // Only a crash of this machine loses a worker's message, and it also ends the worker. The job then runs again.
      store.flushSoon();
      return undefined;
    },
    ...errorHooks(log),
  });
  const balanced = balancedRoutes(services, { authenticator, limits, port, publicUrl, log });
  // Load-balanced routes come first, because their responses are forwarded unchanged.
  const request = balanced.before(listener);
  return {
    ...{ request: s3First(s3, request), upgrade: balanced.upgrade, isUpgrade: balanced.isUpgrade },
    worker: workerListener(services, { store, log }),
    metrics: metricsListener(services, { limits, log }),
  };
}

/** Serves signed requests to the platform itself as S3. A worker may have its own use for signatures. */
function s3First(s3: RequestListener, others: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    const isS3 = isSigned(incoming) && !isForWorker(incoming);
    (isS3 ? s3 : others)(incoming, outgoing);
  };
}

/**
 * Serves the worker protocol to workers that use the worker gate. A worker's token protects each request, so the Host header is not
 * checked: it names the platform as the worker's network sees it. All other paths get the same response without content.
 */
function workerListener(services: Services, { store, log }: Pick<HandlerOptions, 'store' | 'log'>): RequestListener {
  const app: Routes = new App();
  workerProtocolRoutes(app, services);
  return app.listener({
    before: () => undefined,
    after: () => store.flushSoon(),
    onError: errorHooks(log).onError,
    unmatched: () => ({ status: 404 }),
  });
}

/** Serves the metrics on an address of their own, to callers with a key. */
function metricsListener(
  services: Services,
  { limits, log }: Pick<HandlerOptions, 'log'> & { readonly limits: RateLimits },
): RequestListener {
  const app: Routes = new App();
  metricsRoute(app, services);
  const callerOf = callerRequired(services.authenticator, limits, PREFIXES);
  return app.listener({
    before: (exchange) => {
      checkHost(exchange.incoming, exchange.incoming.socket.localPort ?? 0);
      return callerOf(exchange);
    },
    ...errorHooks(log),
  });
}
