import type { CreateEndpointBody, Endpoint } from '../../contract/endpoint.ts';
import type { CpuRequest } from '../../contract/endpointSettings.ts';
import type { NetworkVolume } from '../../contract/networkVolume.ts';

/* The conditions that hardware must satisfy for an endpoint. */

export interface HardwareNeeds {
  /** GPUs of a worker. */
  readonly gpuCount: number;
  /** IDs of GPU types that workers must not use. */
  readonly excludedTypes: readonly string[];
  readonly minCudaVersion?: string | undefined;
  readonly allowedCudaVersions?: readonly string[] | undefined;
  /** Memory that a worker needs, in GB: of its GPUs, or of the machine if it has none. Undefined: unknown. */
  readonly memoryGb?: number | undefined;
  /** Data centers that the endpoint can use. Undefined: all of them. */
  readonly dataCenters?: readonly string[] | undefined;
  /** Whether only GPU workers are possible, because of a global volume. */
  readonly needsGpu: boolean;
  /** Number of workers that are always up. */
  readonly minWorkers: number;
  /** Budget of a month in USD. Undefined: none. */
  readonly monthlyBudget?: number | undefined;
  /** The present choice, in the order of preference. */
  readonly chosen: Chosen;
}

export interface Chosen {
  /** IDs of GPU pools. */
  readonly gpus: readonly string[];
  readonly cpus: readonly CpuRequest[];
}

interface Mounted {
  readonly volumeId: string;
}

/** The settings of a manifest or an endpoint that restrict its hardware. */
export interface HardwareSettings {
  readonly gpu?: CreateEndpointBody['gpu'] | Endpoint['gpu'] | undefined;
  readonly cpu?: readonly CpuRequest[] | null | undefined;
  readonly dataCenterIds?: readonly string[] | undefined;
  readonly networkVolumes?: readonly string[] | undefined;
  readonly mounts?:
    { readonly network?: readonly Mounted[] | undefined; readonly global?: readonly Mounted[] | undefined } | undefined;
  readonly workers?: { readonly min?: number | undefined } | undefined;
}

/** Conditions that are no settings of an endpoint. */
export type OtherNeeds = Pick<HardwareNeeds, 'memoryGb' | 'monthlyBudget'>;

/** No settings and no conditions. */
export const NO_NEEDS: HardwareNeeds = {
  ...{ gpuCount: 1, excludedTypes: [], needsGpu: false, minWorkers: 0 },
  chosen: { gpus: [], cpus: [] },
};

/** Returns the IDs of the network volumes that workers mount. */
export function volumeIds({ networkVolumes, mounts }: HardwareSettings): readonly string[] {
  const mounted = mounts?.network?.map(({ volumeId }) => volumeId) ?? [];
  return [...new Set([...(networkVolumes ?? []), ...mounted])];
}

/**
 * Returns the conditions of a manifest or an endpoint.
 *
 * @param volumes network volumes of the account. Volumes that are missing in it pin no data center.
 */
export function needsOf(
  settings: HardwareSettings,
  volumes: readonly Pick<NetworkVolume, 'id' | 'dataCenter'>[],
  others: OtherNeeds = {},
): HardwareNeeds {
  const { gpu, cpu, dataCenterIds = [], mounts, workers } = settings;
  const { count, excludedTypes, minCudaVersion, allowedCudaVersions } = gpu ?? {};
  return {
    ...others,
    gpuCount: count ?? 1,
    excludedTypes: excludedTypes ?? [],
    minCudaVersion: minCudaVersion === '' ? undefined : (minCudaVersion ?? undefined),
    allowedCudaVersions: allowedCudaVersions?.length ? allowedCudaVersions : undefined,
    dataCenters: usableDataCenters(pinnedDataCenters(volumeIds(settings), volumes), dataCenterIds),
    needsGpu: (mounts?.global ?? []).length > 0,
    minWorkers: workers?.min ?? 0,
    chosen: {
      gpus: gpu?.pools ?? [],
      cpus: (cpu ?? []).map(({ id, vcpuCount }) => ({ id, vcpuCount })),
    },
  };
}

/** Returns the data centers of the volumes with these IDs. Undefined if none of them is known. */
export function pinnedDataCenters(
  ids: readonly string[],
  volumes: readonly Pick<NetworkVolume, 'id' | 'dataCenter'>[],
): readonly string[] | undefined {
  const centers = volumes.filter(({ id }) => ids.includes(id)).map(({ dataCenter }) => dataCenter);
  return centers.length > 0 ? [...new Set(centers)] : undefined;
}

/** Volumes force workers into their data centers. Preferences apply among those, and have no effect without a common one. */
function usableDataCenters(
  pinned: readonly string[] | undefined,
  preferred: readonly string[],
): readonly string[] | undefined {
  if (pinned === undefined) return preferred.length > 0 ? preferred : undefined;
  const both = pinned.filter((id) => preferred.includes(id));
  return both.length > 0 ? both : pinned;
}
