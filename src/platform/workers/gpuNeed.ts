import type { EndpointRecord } from '../domain/endpoint.ts';
import type { Runtime } from '../runtimes/runtime.ts';

interface GpuContext {
  readonly endpoint: EndpointRecord;
  /** Whether GPU endpoints run without GPUs. */
  readonly ignoreGpus: boolean;
}

/** Returns the number of GPUs that a worker of the endpoint needs. */
export function neededGpus({ endpoint: { gpu, local }, ignoreGpus }: GpuContext): number {
  return gpu && !ignoreGpus && local?.gpu !== 'ignore' ? (gpu.count ?? 1) : 0;
}

/** Returns the number of GPUs of this machine that a worker of the endpoint needs. A cluster assigns its GPUs itself. */
export function reservedGpus(context: GpuContext & { readonly runtime: Pick<Runtime, 'placesGpus'> }): number {
  return context.runtime.placesGpus(context.endpoint.image) ? 0 : neededGpus(context);
}
