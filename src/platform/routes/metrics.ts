import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { operations } from '../../contract/operations.ts';
import { permissionFor } from '../../contract/permissions.ts';
import { OWNER_ACCOUNT_ID } from '../domain/account.ts';
import { endpointsOf } from '../endpoints/accountEndpoints.ts';
import { checkAccess } from './access.ts';
import type { App, Services } from './services.ts';

const METRICS_PATH = '/metrics';

/** Loads the code that the first scrape needs. */
export const loadExposition = async (): Promise<void> => void (await import('../metrics/exposition.ts'));

/**
 * Serves the metrics of the caller's endpoints to Prometheus. A key of the owner reads those of all accounts, so that Prometheus does not need
 * the key that can do everything.
 */
export function metricsRoute(app: App, { engine }: Services): void {
  app.on('GET', METRICS_PATH, async (_exchange, admission) => {
    if (!admission) throw new Error(`${METRICS_PATH} is served without authentication`);
    const { caller } = admission;
    checkAccess(caller, permissionFor(operations.listEndpoints));
    const { exposition, CONTENT_TYPE } = await import('../metrics/exposition.ts');
    const isOwner = caller.accountId === OWNER_ACCOUNT_ID;
    const live = isOwner ? engine.endpoints() : endpointsOf(engine, caller.accountId).list();
    const exposed = engine.metrics.exposed(live, { withOthers: isOwner });
    return {
      status: 200,
      headers: { 'Content-Type': CONTENT_TYPE },
      body: Readable.from(inTurns(exposition(exposed))),
    };
  });
}

/** Lets the platform answer other requests between the parts. */
async function* inTurns(parts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const part of parts) {
    yield part;
    await yieldToEventLoop();
  }
}
