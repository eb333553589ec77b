import type { Client } from '../../../client/client.ts';
import type { CallOptions } from '../../../client/request.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { isQueue } from '../../../account/endpoints/endpointSnapshot.ts';
import { liveLists } from '../../../account/liveValues/liveLists.ts';
import { measureMeter, type Measurement } from '../model/measurement.ts';
import { rateOf } from '../../../account/prices/workerCost.ts';
import type { Prices } from '../../../account/prices/workerPrice.ts';

/** Number of days that the meter is read for. */
const METER_DAYS = 31;

/** Reads the prices of the catalog. @throws ApiError */
export async function readPrices(client: Client, options: CallOptions = {}): Promise<Prices> {
  const [gpus, cpus] = await Promise.all([liveLists.gpus.read(client, options), liveLists.cpus.read(client, options)]);
  return { gpus, cpus };
}

/**
 * Reads the time per job from the meter of the local platform, which always provides the first pool or flavor. Undefined if the endpoint has no
 * jobs, metered time, or known price.
 *
 * @throws ApiError
 */
export async function readMeter(
  client: Pick<Client, 'listServerlessBilling' | 'getEndpointHealth'>,
  endpoint: Endpoint,
  prices: Prices,
  options: CallOptions = {},
): Promise<Measurement | undefined> {
  const worker = { gpuCount: endpoint.gpu ? (endpoint.gpu.count ?? 1) : 0 };
  const rate = rateOf(worker, endpoint, { prices, takesFirst: true });
  if (!rate || !isQueue(endpoint)) return undefined;
  const query = { bucketSize: 'day', lastN: METER_DAYS, serverlessId: endpoint.id } as const;
  const [report, health] = await Promise.all([
    client.listServerlessBilling({ query }, options),
    client.getEndpointHealth({ endpointId: endpoint.id }, options),
  ]);
  return measureMeter(report, health, rate.usdPerHour);
}
