import { systemClock } from '../../src/client/clock.ts';
import { createClient, type Client } from '../../src/client/client.ts';
import { EndpointStore } from '../../src/account/endpoints/endpointStore.ts';
import { Emitter } from '../../src/kit/emitter.ts';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import { afterwards, endpointBody, platformForTest } from '../platform/support.ts';

/** A local platform, a client of it, and a store of its endpoints, until `cleanUp`. */
export async function storeOnPlatform(fetch = globalThis.fetch) {
  const { platform } = await platformForTest();
  const client = createClient({ connection: platform.announcement, fetch });
  const store = new EndpointStore({ client, onDidChange: new Emitter<void>().event }, systemClock);
  afterwards(() => {
    store.dispose();
    return Promise.resolve();
  });
  return { client, store };
}

/** Creates an endpoint without workers. */
export function createPaused(
  client: Client,
  name: string,
  changes: Partial<CreateEndpointBody> = {},
): Promise<Endpoint> {
  return client.createEndpoint({ body: endpointBody({ name, workers: { min: 0, max: 0 }, ...changes }) });
}
