import type { HardwareCatalog } from '../../../contract/hardwareRules.ts';
import type { LiveValues } from '../../../account/liveValues/liveValues.ts';

/** Returns the parts of the catalog that the rules use, without availability, which changes often. */
export function catalogOf({ gpus, cpus, dataCenters }: LiveValues): HardwareCatalog | undefined {
  if (!gpus || !cpus || !dataCenters) return undefined;
  return {
    gpus: gpus.map(({ id, pool, maxCount }) => ({ id, pool, maxCount })),
    cpus: cpus.map(({ id, vcpu }) => ({ id, vcpu })),
    dataCenters: dataCenters.map(({ id }) => ({ id })),
  };
}
