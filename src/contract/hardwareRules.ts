import { whereReadable } from './brokenFields.ts';
import type { CpuType, DataCenter, GpuType } from './catalog.ts';
import type { CreateEndpointBody } from './endpoint.ts';
import type { CpuRequest } from './endpointSettings.ts';
import { violation, type Path, type Violation } from './violation.ts';

/* Endpoint rules that depend on the catalog. The catalog is a parameter, because each service has its own. All violations are 400s. */

/** The parts of a catalog that the rules use, in the form of its list responses. */
export interface HardwareCatalog {
  readonly gpus: readonly Pick<GpuType, 'id' | 'pool' | 'maxCount'>[];
  readonly cpus: readonly Pick<CpuType, 'id' | 'vcpu'>[];
  readonly dataCenters: readonly Pick<DataCenter, 'id'>[];
}

type Wanted = Pick<CreateEndpointBody, 'gpu' | 'cpu' | 'dataCenterIds'>;
type Gpu = NonNullable<Wanted['gpu']>;

/** Reports every part of a body that the catalog does not offer. */
export function checkHardware(wanted: Wanted, catalog: HardwareCatalog): Violation[] {
  const each = <Item>(list: () => readonly Item[] | undefined, check: (item: Item, index: number) => Violation[]) =>
    whereReadable(() => {
      const items = list() ?? [];
      return [...items.keys()].flatMap((index) => whereReadable(() => check(items[index] as Item, index)));
    });
  return [
    ...whereReadable(() => (wanted.gpu ? checkGpu(wanted.gpu, catalog) : [])),
    ...each(
      () => wanted.cpu,
      (cpu, index) => checkCpu(cpu, index, catalog),
    ),
    ...each(
      () => wanted.dataCenterIds,
      (id, index) => checkDataCenter(id, ['dataCenterIds', index], catalog),
    ),
  ];
}

/** Reports a data center that is not in the catalog. */
export function checkDataCenter(
  id: string,
  path: Path,
  { dataCenters }: Pick<HardwareCatalog, 'dataCenters'>,
): Violation[] {
  const known = dataCenters.map((center) => center.id);
  return known.includes(id) ? [] : [violation(path, 'unknownDataCenter', { value: id, known })];
}

function checkGpu(gpu: Gpu, { gpus }: HardwareCatalog): Violation[] {
  const known = [...new Set(gpus.flatMap(({ pool }) => pool ?? []))];
  const pools = gpu.pools.flatMap((pool, index) =>
    known.includes(pool) ? [] : [violation(['gpu', 'pools', index], 'unknownPool', { value: pool, known })],
  );
  if (pools.length > 0) return pools;
  const offered = gpus.filter(({ pool }) => pool !== null && gpu.pools.includes(pool));
  return [...whereReadable(() => checkCount(gpu, offered)), ...whereReadable(() => checkExclusions(gpu, offered))];
}

/** Checks the count against the largest pool: a worker gets all its GPUs from one pool. */
function checkCount({ count = 1 }: Gpu, offered: HardwareCatalog['gpus']): Violation[] {
  const maximum = Math.max(...offered.flatMap(({ maxCount }) => [maxCount.secure, maxCount.community]));
  return count > maximum ? [violation(['gpu', 'count'], 'gpuCount', { count, maximum })] : [];
}

/** Reports exclusions that have no effect, or that leave no GPU type. */
function checkExclusions(gpu: Gpu, types: HardwareCatalog['gpus']): Violation[] {
  const excluded = (gpu.excludedTypes ?? []).map((id) => id.trim());
  if (excluded.length === 0) return [];
  const offered = types.map(({ id }) => id);
  const foreign = excluded.flatMap((id, index) =>
    offered.includes(id)
      ? []
      : [violation(['gpu', 'excludedTypes', index], 'foreignExclusion', { value: id, offered })],
  );
  const nothingLeft = offered.every((id) => excluded.includes(id));
  return nothingLeft ? [...foreign, violation(['gpu', 'excludedTypes'], 'everythingExcluded', { offered })] : foreign;
}

function checkCpu(cpu: CpuRequest, index: number, { cpus }: HardwareCatalog): Violation[] {
  const { id } = cpu;
  const flavor = cpus.find((candidate) => candidate.id === id);
  if (!flavor) {
    const known = cpus.map((candidate) => candidate.id);
    return [violation(['cpu', index, 'id'], 'unknownFlavor', { value: id, known })];
  }
  const { vcpuCount } = cpu;
  const { min: minimum, max: maximum } = flavor.vcpu;
  if (vcpuCount >= minimum && vcpuCount <= maximum) return [];
  const allowed = powersOfTwo(minimum, maximum);
  return [violation(['cpu', index, 'vcpuCount'], 'vcpuCount', { flavor: id, minimum, maximum, allowed })];
}

/** Returns the powers of two in a range, which are the vCPU counts of a flavor. */
export function powersOfTwo(minimum: number, maximum: number): number[] {
  const powers = [];
  for (let power = 1; power <= maximum; power *= 2) if (power >= minimum) powers.push(power);
  return powers;
}
