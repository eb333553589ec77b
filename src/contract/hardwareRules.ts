import type { CpuType, DataCenter, GpuType } from './catalog.ts';
import type { CreateEndpointBody } from './endpoint.ts';
import type { Violation } from './violation.ts';

/* Endpoint rules that depend on the catalog. The catalog is a parameter, because each service has its own. All violations are 400s. */

/** The parts of a catalog that the rules use, in the form of its list responses. */
export interface HardwareCatalog {
  readonly gpus: readonly Pick<GpuType, 'id' | 'pool' | 'maxCount'>[];
  readonly cpus: readonly Pick<CpuType, 'id' | 'vcpu'>[];
  readonly dataCenters: readonly Pick<DataCenter, 'id'>[];
}

type Wanted = Pick<CreateEndpointBody, 'gpu' | 'cpu' | 'dataCenterIds'>;
type Gpu = NonNullable<Wanted['gpu']>;

const broken = (path: Violation['path'], message: string): Violation => ({ path, message, status: 400 });

/** Reports every part of a body that the catalog does not offer. */
export function checkHardware({ gpu, cpu = [], dataCenterIds = [] }: Wanted, catalog: HardwareCatalog): Violation[] {
  return [
    ...(gpu ? checkGpu(gpu, catalog) : []),
    ...checkCpu(cpu, catalog),
    ...dataCenterIds.flatMap((id, index) => checkDataCenter(id, ['dataCenterIds', index], catalog)),
  ];
}

/** Reports a data center that is not in the catalog. */
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

/** Checks the count against the largest pool: a worker gets all its GPUs from one pool. */
function checkCount({ count = 1 }: Gpu, offered: HardwareCatalog['gpus']): Violation[] {
  const most = Math.max(...offered.flatMap(({ maxCount }) => [maxCount.secure, maxCount.community]));
  return count > most ? [broken(['gpu', 'count'], `exceeds the ${most} GPUs that these pools offer per worker`)] : [];
}

/** Reports exclusions that have no effect, or that leave no GPU type. */
function checkExclusions(gpu: Gpu, types: HardwareCatalog['gpus']): Violation[] {
  const excluded = (gpu.excludedTypes ?? []).map((id) => id.trim());
  if (excluded.length === 0) return [];
  const offered = types.map(({ id }) => id);
  const foreign = excluded.flatMap((id, index) =>
    offered.includes(id)
      ? []
      : [
          broken(
            ['gpu', 'excludedTypes', index],
            `'${id}' is not in any of the pools; they contain ${offered.join(', ')}`,
          ),
        ],
  );
  const nothingLeft = offered.every((id) => excluded.includes(id));
  return nothingLeft ? [...foreign, broken(['gpu', 'excludedTypes'], 'excludes every GPU type of the pools')] : foreign;
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
