import { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import type { CallOptions } from '../../client/request.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { NetworkVolume } from '../../contract/networkVolume.ts';
import { liveLists } from '../liveValues/liveLists.ts';
import { alternatives, hardwareOffers, type HardwareOffer, type HardwareStock } from './hardwareOffers.ts';
import { needsOf, volumeIds, type HardwareNeeds, type HardwareSettings } from './hardwareNeeds.ts';

type CatalogClient = Pick<Client, 'listGpuTypes' | 'listCpuTypes'>;

/**
 * Reads the hardware of a platform, with the availability for workers with the GPU count and the CUDA versions of the needs.
 *
 * @throws ApiError
 */
export async function readHardwareStock(
  client: CatalogClient,
  { gpuCount, minCudaVersion, allowedCudaVersions }: HardwareNeeds,
  options: CallOptions = {},
): Promise<HardwareStock> {
  const query = { include: 'AVAILABILITY', product: 'SERVERLESS', ...(gpuCount > 1 && { count: gpuCount }) };
  const cuda = allowedCudaVersions
    ? { cudaVersions: allowedCudaVersions.join(',') }
    : minCudaVersion === undefined
      ? undefined
      : { minCudaVersion };
  const gpusOf = async (cudaQuery: object) =>
    (await client.listGpuTypes({ query: { ...query, ...cudaQuery } }, options)).gpus;
  const [gpus, gpusOfAnyCuda, { cpus }] = await Promise.all([
    gpusOf(cuda ?? {}),
    cuda && gpusOf({}),
    client.listCpuTypes({ query: { include: 'AVAILABILITY', product: 'SERVERLESS' } }, options),
  ]);
  return { gpus, gpusOfAnyCuda, cpus };
}

/** Reads the network volumes of the account if the settings mount one. @throws ApiError */
export async function readMountedVolumes(
  client: Client,
  settings: HardwareSettings,
  options: CallOptions = {},
): Promise<readonly NetworkVolume[]> {
  const ids = volumeIds(settings);
  if (ids.length === 0) return [];
  return (await liveLists.networkVolumes.read(client, options)).filter(({ id }) => ids.includes(id));
}

/** Hardware with stock that an endpoint does not allow, and the highest price of a worker that it has now. */
export interface Alternatives {
  readonly offers: readonly HardwareOffer[];
  /** In USD per hour. Undefined: unknown. */
  readonly usdPerHour: number | undefined;
}

/** Reads the hardware with stock that could serve an endpoint. Undefined if it cannot be read. @throws the reason of the signal */
export async function readAlternatives(
  client: Client,
  endpoint: Endpoint,
  signal?: AbortSignal,
): Promise<Alternatives | undefined> {
  const options: CallOptions = { retries: 0, waits: 0, ...(signal && { signal }) };
  try {
    const needs = needsOf(endpoint, await readMountedVolumes(client, endpoint, options));
    const offers = hardwareOffers(await readHardwareStock(client, needs, options), needs);
    return { offers: alternatives(offers, needs), usdPerHour: highestPrice(offers.filter(({ isChosen }) => isChosen)) };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function highestPrice(offers: readonly HardwareOffer[]): number | undefined {
  const prices = offers.map(({ usdPerHour }) => usdPerHour).filter((price) => price !== undefined);
  return prices.length === 0 || prices.length < offers.length ? undefined : Math.max(...prices);
}
