import { pinnedDataCenters, volumeIds } from '../../../../account/hardware/hardwareNeeds.ts';
import { isInStock } from '../../../../account/hardware/hardwareOffers.ts';
import type { LiveValues } from '../../../../account/liveValues/liveValues.ts';
import { whereReadable } from '../../../../contract/brokenFields.ts';
import type { CpuType } from '../../../../contract/catalog.ts';
import type { Manifest } from '../../../../contract/manifest.ts';
import { fieldError, type FieldError } from '../../../../contract/violation.ts';

/** Where hardware has stock, and where the network volumes of the account are. The lists have no other values, which change often. */
export interface StockFacts {
  /** GPU types whose stock is known. */
  readonly gpus: readonly { readonly id: string; readonly pool: string; readonly dataCenters: readonly string[] }[];
  /** CPU flavors whose stock is known. */
  readonly cpus: readonly { readonly id: string; readonly dataCenters: readonly string[] }[];
  readonly volumes: readonly { readonly id: string; readonly dataCenter: string }[];
}

/** Returns the facts of a platform. Undefined until they have been read, and for an account without volumes. */
export function stockFactsOf({ gpus, cpus, networkVolumes }: LiveValues): StockFacts | undefined {
  if (!gpus || !cpus || !networkVolumes?.length) return undefined;
  return {
    gpus: gpus.flatMap(({ id, pool, dataCenters }) =>
      pool === null || !dataCenters ? [] : [{ id, pool, dataCenters: inStock(dataCenters) }],
    ),
    cpus: cpus.flatMap(({ id, dataCenters }) => (dataCenters ? [{ id, dataCenters: inStock(dataCenters) }] : [])),
    volumes: networkVolumes.map(({ id, dataCenter }) => ({ id, dataCenter })),
  };
}

function inStock(dataCenters: NonNullable<CpuType['dataCenters']>): readonly string[] {
  return dataCenters.filter(({ availability }) => isInStock(availability)).map(({ id }) => id);
}

/** Reports a manifest whose volumes keep its workers in data centers without stock of its hardware. */
export function pinnedWithoutStock(manifest: Manifest, stock: StockFacts): readonly FieldError[] {
  return whereReadable(() => {
    const { gpu, cpu, networkVolumes, mounts } = manifest;
    const pinned = pinnedDataCenters(volumeIds({ networkVolumes, mounts }), stock.volumes);
    if (!pinned) return [];
    const problem = (path: readonly string[], places: readonly Place[] | undefined) =>
      places?.every(({ dataCenters }) => !dataCenters.some((id) => pinned.includes(id)))
        ? [fieldError(path, 'pinnedWithoutStock', { dataCenters: pinned })]
        : [];
    if (gpu) return problem(['gpu', 'pools'], placesOfPools(gpu, stock));
    if (!cpu?.length) return [];
    const flavors = cpu.map(({ id }) => id);
    return problem(['cpu'], known(flavors.map((id) => stock.cpus.filter((one) => one.id === id))));
  });
}

interface Place {
  readonly dataCenters: readonly string[];
}

function placesOfPools(
  { pools, excludedTypes = [] }: NonNullable<Manifest['gpu']>,
  { gpus }: StockFacts,
): readonly Place[] | undefined {
  return known(pools.map((pool) => gpus.filter((one) => one.pool === pool && !excludedTypes.includes(one.id))));
}

/** Returns the places of all hardware. Undefined if the stock of some is not known. */
function known(places: readonly (readonly Place[])[]): readonly Place[] | undefined {
  return places.every(({ length }) => length > 0) ? places.flat() : undefined;
}
