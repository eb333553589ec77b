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

/**
 * Compares two CUDA versions by their numbers: 12.11 is higher than 12.2.
 *
 * @returns a negative number if `left` is lower, a positive number if it is higher, 0 if they are equal
 */
export function compareCudaVersions(left: string, right: string): number {
  const [leftMajor = 0, leftMinor = 0] = left.split('.').map(Number);
  const [rightMajor = 0, rightMinor = 0] = right.split('.').map(Number);
  return leftMajor - rightMajor || leftMinor - rightMinor;
}
