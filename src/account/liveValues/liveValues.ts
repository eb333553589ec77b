import type { HardwareCatalog } from '../../contract/hardwareRules.ts';
import type { CpuType, DataCenter, GpuType } from '../../contract/catalog.ts';
import type { GlobalVolume } from '../../contract/globalVolume.ts';
import type { NetworkVolume } from '../../contract/networkVolume.ts';
import type { Registry } from '../../contract/registry.ts';
import type { Template } from '../../contract/template.ts';

/** Values that a platform offers for the fields of a manifest. A list is undefined until it has been read. */
export interface LiveValues {
  readonly gpus?: readonly GpuType[] | undefined;
  readonly cpus?: readonly CpuType[] | undefined;
  readonly dataCenters?: readonly DataCenter[] | undefined;
  readonly registries?: readonly Registry[] | undefined;
  /** Serverless templates of the account. */
  readonly templates?: readonly Template[] | undefined;
  readonly networkVolumes?: readonly NetworkVolume[] | undefined;
  readonly globalVolumes?: readonly GlobalVolume[] | undefined;
}

/** Values that completion and hover offer. */
export interface OfferedValues extends LiveValues {
  /** Names of the secrets that the editor stores. */
  readonly secretNames?: readonly string[] | undefined;
}

/** Returns the parts of the catalog that the rules use, without availability, which changes often. */
export function catalogOf({ gpus, cpus, dataCenters }: LiveValues): HardwareCatalog | undefined {
  if (!gpus || !cpus || !dataCenters) return undefined;
  return {
    gpus: gpus.map(({ id, pool, maxCount }) => ({ id, pool, maxCount })),
    cpus: cpus.map(({ id, vcpu }) => ({ id, vcpu })),
    dataCenters: dataCenters.map(({ id }) => ({ id })),
  };
}
