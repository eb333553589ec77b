import type { HardwareCatalog } from '../../contract/hardwareRules.ts';
import { CPU_FLAVORS, CPU_VCPUS, MAX_GPUS } from './workerPrices.ts';
import { DATA_CENTERS } from './dataCenters.ts';
import { GPU_TYPES } from './gpuTypes.ts';

/** The platform's hardware, for the rules that depend on it. */
export const HARDWARE_CATALOG: HardwareCatalog = {
  gpus: GPU_TYPES.map(({ id, pool }) => ({ id, pool, maxCount: { secure: MAX_GPUS, community: 0 } })),
  cpus: Object.keys(CPU_FLAVORS).map((id) => ({ id, vcpu: CPU_VCPUS })),
  dataCenters: DATA_CENTERS,
};
