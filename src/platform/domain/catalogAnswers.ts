import type {
  CatalogAvailability,
  CpuType,
  CpuTypesQuery,
  DataCenter,
  DataCentersQuery,
  GpuType,
  GpuTypesQuery,
} from '../../contract/catalog.ts';
import { checkCpuTypesQuery, checkGpuTypesQuery, compareCudaVersions } from '../../contract/catalogRules.ts';
import { VOLUME_TYPES } from '../../contract/networkVolume.ts';
import type { Violation } from '../../contract/violation.ts';
import { CPU_FLAVORS, CPU_VCPUS, GPU_POOLS, MAX_GPUS, usdPerHour, type CpuFlavor } from './workerPrices.ts';
import { DATA_CENTERS, type DataCenterEntry, GPU_TYPES, type GpuTypeEntry } from './hardwareCatalog.ts';
import { notFound, refuseViolations } from './refusal.ts';

/*
 * Responses of the hardware catalog. Availability describes this platform: an endpoint gets any hardware it requests, so serverless
 * availability is HIGH. There are no pods, clusters, or community cloud, so their availability is NONE. Prices of the secure cloud are
 * those of serverless workers.
 */

/** CUDA versions in the catalog. Constraints on them do not affect where a worker runs, because the platform checks no driver. */
const CUDA_VERSIONS = ['11.8', '12.0', '12.1', '12.2', '12.3', '12.4', '12.5', '12.6', '12.7', '12.8', '12.9', '13.0'];

/** @throws Refusal 400 with every broken rule of the query */
export function listGpuTypes(query: GpuTypesQuery): GpuType[] {
  check(checkGpuTypesQuery(query));
  return GPU_TYPES.map((type) => gpuAnswer(type, query));
}

/** @throws Refusal 400, 404 */
export function getGpuType(id: string, query: GpuTypesQuery): GpuType {
  check(checkGpuTypesQuery(query));
  return gpuAnswer(found('GPU type', id, GPU_TYPES), query);
}

/** @throws Refusal 400 with every broken rule of the query */
export function listCpuTypes(query: CpuTypesQuery): CpuType[] {
  check(checkCpuTypesQuery(query));
  return Object.entries(CPU_FLAVORS).map(([id, flavor]) => cpuAnswer(id, flavor, query));
}

/** @throws Refusal 400, 404 */
export function getCpuType(id: string, query: CpuTypesQuery): CpuType {
  check(checkCpuTypesQuery(query));
  const flavor = Object.hasOwn(CPU_FLAVORS, id) ? CPU_FLAVORS[id] : undefined;
  if (!flavor) throw notFound(`CPU type '${id}'`);
  return cpuAnswer(id, flavor, query);
}

/** Returns the data centers that match every filter: one of `regions`, and all values of each other list. */
export function listDataCenters(query: DataCentersQuery): DataCenter[] {
  const { regions, networkVolumeTypes = [], compliance = [], globalNetwork } = query;
  return DATA_CENTERS.map((center) => dataCenterAnswer(center, query)).filter(
    (center) =>
      (!regions?.length || regions.some((region) => region === center.region)) &&
      networkVolumeTypes.every((type) => center.networkVolumeTypes.includes(type)) &&
      compliance.every((standard) => center.compliance.includes(standard)) &&
      (globalNetwork === undefined || globalNetwork === center.globalNetwork),
  );
}

/** @throws Refusal 404 */
export function getDataCenter(id: string, query: Pick<DataCentersQuery, 'include'>): DataCenter {
  return dataCenterAnswer(found('data center', id, DATA_CENTERS), query);
}

function gpuAnswer({ id, name, pool, memory }: GpuTypeEntry, query: GpuTypesQuery): GpuType {
  const price = usdPerHour(GPU_POOLS[pool]?.nanoUsdPerSecond ?? 0);
  const answer: GpuType = {
    ...{ id, name, pool, manufacturer: 'NVIDIA', memory },
    ...{ secure: true, community: false },
    price: { secure: price, community: 0, serverless: price },
    maxCount: { secure: MAX_GPUS, community: 0 },
  };
  return query.include?.length ? { ...answer, ...gpuAvailability(query) } : answer;
}

function gpuAvailability({ product, count = 1, cloud, countryCodes, cudaVersions, minCudaVersion }: GpuTypesQuery) {
  const fits = (version: string): boolean =>
    (!cudaVersions?.length || cudaVersions.includes(version)) &&
    (minCudaVersion === undefined || compareCudaVersions(version, minCudaVersion) >= 0);
  const versions = CUDA_VERSIONS.map((version) => ({ version, available: fits(version) }));
  const centers = DATA_CENTERS.filter(({ country }) => !countryCodes?.length || countryCodes.includes(country));
  const available =
    product?.includes('SERVERLESS') === true &&
    count <= MAX_GPUS &&
    cloud !== 'COMMUNITY' &&
    centers.length > 0 &&
    versions.some((version) => version.available);
  return { ...availability(available, centers), cudaVersions: versions };
}

function cpuAnswer(id: string, { name, group, ramGbPerVcpu, nanoUsdPerVcpuSecond }: CpuFlavor, query: CpuTypesQuery) {
  const price = usdPerHour(nanoUsdPerVcpuSecond);
  const answer: CpuType = {
    ...{ id, name, group, vcpu: CPU_VCPUS, ramGbPerVcpu },
    price: { securePerVcpu: price, serverlessPerVcpu: price },
  };
  if (!query.include?.length) return answer;
  const { product, vcpuCount = CPU_VCPUS.min } = query;
  const available = product?.includes('SERVERLESS') === true && vcpuCount <= CPU_VCPUS.max;
  return { ...answer, ...availability(available, DATA_CENTERS) };
}

function dataCenterAnswer({ id, region }: DataCenterEntry, { include = [] }: Pick<DataCentersQuery, 'include'>) {
  const answer: DataCenter = {
    ...{ id, name: id, region, globalNetwork: false },
    ...{ networkVolumeTypes: [...VOLUME_TYPES], compliance: [] },
  };
  if (include.includes('GPU_AVAILABILITY')) answer.gpuAvailability = GPU_TYPES.map(alwaysAvailable);
  if (include.includes('CPU_AVAILABILITY')) {
    answer.cpuAvailability = Object.entries(CPU_FLAVORS).map(([flavor, { name }]) =>
      alwaysAvailable({ id: flavor, name }),
    );
  }
  return answer;
}

function availability(available: boolean, centers: readonly DataCenterEntry[]) {
  const level = available ? 'HIGH' : 'NONE';
  return { availability: level, dataCenters: centers.map(({ id }) => ({ id, name: id, availability: level })) };
}

const alwaysAvailable = ({ id, name }: { id: string; name: string }): CatalogAvailability => ({
  id,
  name,
  availability: 'HIGH',
});

function found<Entry extends { readonly id: string }>(what: string, id: string, entries: readonly Entry[]): Entry {
  const entry = entries.find((candidate) => candidate.id === id);
  if (!entry) throw notFound(`${what} '${id}'`);
  return entry;
}

function check(violations: readonly Violation[]): void {
  if (violations.length > 0) throw refuseViolations(violations);
}
