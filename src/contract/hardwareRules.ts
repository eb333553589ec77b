import type { CpuType, DataCenter, GpuType } from './catalog.ts';
import type { CreateEndpointBody } from './endpoint.ts';
import type { Violation } from './violation.ts';

/* The rules of an endpoint that depend on the catalog. The catalog is an argument: any service has its own. All earn 400. */

/** What the rules have to know of a catalog: parts of what its lists answer. */
export interface HardwareCatalog {
  readonly gpus: readonly Pick<GpuType, 'id' | 'pool' | 'maxCount'>[];
  readonly cpus: readonly Pick<CpuType, 'id' | 'vcpu'>[];
  readonly dataCenters: readonly Pick<DataCenter, 'id'>[];
}

type Wanted = Pick<CreateEndpointBody, 'gpu' | 'cpu' | 'dataCenterIds'>;
type Gpu = NonNullable<Wanted['gpu']>;

const broken = (path: Violation['path'], message: string): Violation => ({ path, message, status: 400 });

/** Every part of a body that the catalog does not have. */
export function checkHardware({ gpu, cpu = [], dataCenterIds = [] }: Wanted, catalog: HardwareCatalog): Violation[] {
  return [
    ...(gpu ? checkGpu(gpu, catalog) : []),
    ...checkCpu(cpu, catalog),
    ...dataCenterIds.flatMap((id, index) => checkDataCenter(id, ['dataCenterIds', index], catalog)),
  ];
}

/** A data center that the catalog does not have. */
export function checkDataCenter(
  id: string,
  path: Violation['path'],
  { dataCenters }: Pick<HardwareCatalog, 'dataCenters'>,
): Violation[] {
  const known = dataCenters.map((center) => center.id);
  return known.includes(id) ? [] : [broken(path, `unknown data center '${id}'; known are ${known.join(', ')}`)];
}

function checkGpu(gpu: Gpu, { gpus }: HardwareCatalog): Violation[] {
  const known = [...new Set(gpus.flatMap(({ pool }) => pool ?? []))];
  const pools = gpu.pools.flatMap((pool, index) =>
    known.includes(pool)
      ? []
      : [broken(['gpu', 'pools', index], `unknown GPU pool '${pool}'; known are ${known.join(', ')}`)],
  );
  if (pools.length > 0) return pools;
  const offered = gpus.filter(({ pool }) => pool !== null && gpu.pools.includes(pool));
  return [...checkCount(gpu, offered), ...checkExclusions(gpu, offered)];
}

/** The pools with the most are enough: a worker gets the GPUs of one of them. */
function checkCount({ count = 1 }: Gpu, offered: HardwareCatalog['gpus']): Violation[] {
  const most = Math.max(...offered.flatMap(({ maxCount }) => [maxCount.secure, maxCount.community]));
  return count > most
    ? [broken(['gpu', 'count'], `is more than a worker can have: GPUs of these pools come in up to ${most}`)]
    : [];
}

/** Exclusions that exclude nothing or everything. */
function checkExclusions(gpu: Gpu, types: HardwareCatalog['gpus']): Violation[] {
  const excluded = (gpu.excludedTypes ?? []).map((id) => id.trim());
  if (excluded.length === 0) return [];
  const offered = types.map(({ id }) => id);
  const foreign = excluded.flatMap((id, index) =>
    offered.includes(id)
      ? []
      : [broken(['gpu', 'excludedTypes', index], `'${id}' is in none of the pools; in them are ${offered.join(', ')}`)],
  );
  const nothingLeft = offered.every((id) => excluded.includes(id));
  return nothingLeft ? [...foreign, broken(['gpu', 'excludedTypes'], 'leaves no GPU type of the pools')] : foreign;
}

function checkCpu(cpu: NonNullable<Wanted['cpu']>, { cpus }: HardwareCatalog): Violation[] {
  const known = cpus.map(({ id }) => id).join(', ');
  return cpu.flatMap(({ id, vcpuCount }, index) => {
    const flavor = cpus.find((candidate) => candidate.id === id);
    if (!flavor) return [broken(['cpu', index, 'id'], `unknown CPU flavor '${id}'; known are ${known}`)];
    const { min, max } = flavor.vcpu;
    const has = vcpuCount >= min && vcpuCount <= max;
    return has ? [] : [broken(['cpu', index, 'vcpuCount'], `${id} has ${min} to ${max} vCPUs`)];
  });
}
