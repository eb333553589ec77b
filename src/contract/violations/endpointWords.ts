import type { Words } from './words.ts';

/*
 * Violations of the rules of serverless endpoints. Each code is a function from its data to its message. The data has the values that a
 * correction needs: the conflicting ones and the allowed ones.
 */

interface Unknown {
  readonly value: string;
  readonly known: readonly string[];
}

const unknown = (kind: string, { value, known }: Unknown): string =>
  `unknown ${kind} '${value}'; expected one of ${known.join(', ')}`;

const KINDS_TOGETHER = 'network and global volumes cannot be combined';

export const endpointWords = {
  imageMissing: () => 'missing: set image or templateId',
  hardwareMissing: () => 'missing: set gpu or cpu',
  gpuAndCpu: () => 'gpu and cpu cannot be combined',
  scalerNeedsQueue: ({ scaler, instead }: { readonly scaler: string; readonly instead: string }) =>
    `${scaler} is for QUEUE endpoints only; use ${instead}`,
  idleTimeoutUnused: ({ type, scaler }: { readonly type: string; readonly scaler: string }) =>
    `does not apply to a ${type} endpoint that scales on ${scaler}`,
  minAboveMax: ({ max, maxIsDefault }: WorkerRange & { readonly maxIsDefault: boolean }) =>
    `must be at most max, which is ${max}${maxIsDefault ? ' by default' : ''}`,
  /** For an update that lowers the maximum below the current minimum. */
  maxBelowMin: ({ min }: WorkerRange) => `must be at least the min of the endpoint, which is ${min}`,
  cudaConstraintsConflict: (() => 'minCudaVersion and allowedCudaVersions cannot be combined') as Words<{
    readonly given: { readonly minCudaVersion: string; readonly allowedCudaVersions: readonly string[] };
  }>,
  /** @param data `first` is the index of the equal entry */
  repeatedCpu: ({ id, vcpuCount }: { readonly id: string; readonly vcpuCount: number; readonly first: number }) =>
    `repeats ${id} with ${vcpuCount} vCPUs`,

  /** @param data `problem` is `quotation` for an unclosed quotation, and `object` for a JSON object that is not a command */
  argsUnreadable: ({ message }: { readonly problem: 'quotation' | 'object'; readonly message: string }) => message,
  argsConflict: (() => 'must be the same command as entrypoint and cmd') as Words<{
    readonly given: readonly ('entrypoint' | 'cmd')[];
  }>,

  networkAndGlobalMounts: () => KINDS_TOGETHER,
  networkVolumesWithGlobalMount: () => KINDS_TOGETHER,
  networkVolumesWithMounts: (() => 'must list the same volumes as mounts.network') as Words<{
    readonly listed: readonly string[];
    readonly mounted: readonly string[];
  }>,
  secondGlobalVolume: (() => 'at most one global volume can be mounted') as Words<{
    readonly mounted: readonly string[];
  }>,
  globalVolumeWithoutGpu: () => 'global volumes are for GPU endpoints only',
  /** @param data `first` is the index of the equal entry */
  repeatedVolume: ({ volumeId }: { readonly volumeId: string; readonly first: number }) =>
    `repeats the volume '${volumeId}'`,

  notAPort: ({ maximum }: { readonly maximum: number }) => `must be a port from 1 to ${maximum}`,
  relativeHealthPath: (() => 'must start with /') as Words<{ readonly value: string }>,

  hardwareFamilyFixed: ({ family }: { readonly family: 'GPU' | 'CPU' }) =>
    family === 'CPU' ? 'a CPU endpoint cannot have GPUs' : 'a GPU endpoint cannot have CPU configurations',
  exclusionsNeedPools: () => 'requires pools in the same request',

  unknownDataCenter: (data: Unknown) => unknown('data center', data),
  unknownPool: (data: Unknown) => unknown('GPU pool', data),
  unknownFlavor: (data: Unknown) => unknown('CPU flavor', data),
  gpuCount: ({ maximum }: { readonly count: number; readonly maximum: number }) =>
    `exceeds the ${maximum} GPUs that these pools offer per worker`,
  foreignExclusion: ({ value, offered }: { readonly value: string; readonly offered: readonly string[] }) =>
    `'${value}' is not in any of the pools; they contain ${offered.join(', ')}`,
  everythingExcluded: (() => 'excludes every GPU type of the pools') as Words<{ readonly offered: readonly string[] }>,
  vcpuCount: ({ flavor, minimum, maximum }: Vcpus) => `${flavor} has ${minimum} to ${maximum} vCPUs`,
};

interface WorkerRange {
  readonly min: number;
  readonly max: number;
}

interface Vcpus {
  readonly flavor: string;
  readonly minimum: number;
  readonly maximum: number;
  /** All vCPU counts of the flavor. */
  readonly allowed: readonly number[];
}
