import type { CpuTypesQuery, GpuTypesQuery } from './catalog.ts';
import { violation, type Violation } from './violation.ts';

/* The rules of the catalog's queries that no schema of one parameter can tell (facts, section 9). All earn 400. */

/** Availability is of a product. */
export function availabilityNeedsProduct({ include, product }: GpuTypesQuery | CpuTypesQuery): Violation[] {
  return include?.length && !product?.length ? [violation(['product'], 'productMissing', {})] : [];
}

/** Every filter refines the availability, so it has to be asked for. */
export function filtersNeedAvailability({ include, ...filters }: GpuTypesQuery | CpuTypesQuery): Violation[] {
  if (include?.length) return [];
  return Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => violation([name], 'availabilityNotIncluded', {}));
}

export function oneCudaFilter({ cudaVersions, minCudaVersion }: GpuTypesQuery): Violation[] {
  return cudaVersions && minCudaVersion !== undefined
    ? [violation(['minCudaVersion'], 'exclusiveFields', { fields: ['minCudaVersion', 'cudaVersions'] })]
    : [];
}

/** Every broken rule of a query for GPU types that already has the right shape. */
export function checkGpuTypesQuery(query: GpuTypesQuery): Violation[] {
  return [...availabilityNeedsProduct(query), ...filtersNeedAvailability(query), ...oneCudaFilter(query)];
}

/** Every broken rule of a query for CPU flavors that already has the right shape. */
export function checkCpuTypesQuery(query: CpuTypesQuery): Violation[] {
  return [...availabilityNeedsProduct(query), ...filtersNeedAvailability(query)];
}
