import type { CpuTypesQuery, GpuTypesQuery } from './catalog.ts';
import { violation, type Violation } from './violation.ts';

/* Rules for catalog queries that involve several parameters. All violations are 400s. */

/** Requires `product` with `include=AVAILABILITY`, because availability differs between products. */
function availabilityNeedsProduct({ include, product }: GpuTypesQuery | CpuTypesQuery): Violation[] {
  return include?.length && !product?.length ? [violation(['product'], 'productMissing', {})] : [];
}

/** Requires `include=AVAILABILITY` with any filter, because filters restrict the availability. */
function filtersNeedAvailability({ include, ...filters }: GpuTypesQuery | CpuTypesQuery): Violation[] {
  if (include?.length) return [];
  return Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => violation([name], 'availabilityNotIncluded', {}));
}

/** Rejects a minimum CUDA version together with a list of versions. */
function oneCudaFilter({ cudaVersions, minCudaVersion }: GpuTypesQuery): Violation[] {
  return cudaVersions && minCudaVersion !== undefined
    ? [violation(['minCudaVersion'], 'exclusiveFields', { fields: ['minCudaVersion', 'cudaVersions'] })]
    : [];
}

/** Returns the violations of a query for GPU types that matches its schema. */
export function checkGpuTypesQuery(query: GpuTypesQuery): Violation[] {
  return [...availabilityNeedsProduct(query), ...filtersNeedAvailability(query), ...oneCudaFilter(query)];
}

/** Returns the violations of a query for CPU flavors that matches its schema. */
export function checkCpuTypesQuery(query: CpuTypesQuery): Violation[] {
  return [...availabilityNeedsProduct(query), ...filtersNeedAvailability(query)];
}
