import type { Words } from './words.ts';

/*
 * Violations of the rules of serverless endpoints. Each code has its data, the parameter, and its message, the result. The data is
 * what a correction needs: the values in conflict, and those that are allowed.
 */

interface Unknown {
  readonly value: string;
  readonly known: readonly string[];
}

const unknown = (kind: string, { value, known }: Unknown): string =>
  `unknown ${kind} '${value}'; known are ${known.join(', ')}`;

const KINDS_TOGETHER = 'network and global volumes cannot be mounted together';

export const endpointWords = {
  imageMissing: () => 'missing: give an image or a templateId',
  hardwareMissing: () => 'missing: give gpu or cpu',
  gpuAndCpu: () => 'gpu and cpu cannot be given together',
  scalerNeedsQueue: ({ scaler, instead }: { readonly scaler: string; readonly instead: string }) =>
    `${scaler} is for QUEUE endpoints only; use ${instead}`,
  idleTimeoutUnused: ({ type, scaler }: { readonly type: string; readonly scaler: string }) =>
    `does not apply to a ${type} endpoint that scales on ${scaler}`,
  minAboveMax: ({ max, maxIsDefault }: WorkerRange & { readonly maxIsDefault: boolean }) =>
    `is above max (${max}${maxIsDefault ? ', its default' : ''})`,
  /** A change lowers the maximum below the minimum that the endpoint has. */
  maxBelowMin: (() => 'is below the min of the endpoint') as Words<WorkerRange>,
  cudaConstraintsConflict: (() => 'minCudaVersion and allowedCudaVersions exclude each other') as Words<{
    readonly given: { readonly minCudaVersion: string; readonly allowedCudaVersions: readonly string[] };
  }>,
  /** @param data `first` is the index of the equal entry. */
  repeatedCpu: ({ id, vcpuCount }: { readonly id: string; readonly vcpuCount: number; readonly first: number }) =>
    `repeats ${id} with ${vcpuCount} vCPUs`,

  /** @param data `problem` tells an unclosed quotation from a JSON object that is not a command. */
  argsUnreadable: ({ told }: { readonly problem: 'quotation' | 'object'; readonly told: string }) => told,
  argsConflict: (() => 'is another command than entrypoint and cmd') as Words<{
    readonly given: readonly ('entrypoint' | 'cmd')[];
  }>,

  networkAndGlobalMounts: () => KINDS_TOGETHER,
  networkVolumesWithGlobalMount: () => KINDS_TOGETHER,
  networkVolumesWithMounts: (() => 'does not agree with mounts.network') as Words<{
    readonly listed: readonly string[];
    readonly mounted: readonly string[];
  }>,
  secondGlobalVolume: (() => 'at most one global volume can be mounted') as Words<{
    readonly mounted: readonly string[];
  }>,
  globalVolumeWithoutGpu: () => 'global volumes are for GPU endpoints only',
  /** @param data `first` is the index of the equal entry. */
  repeatedVolume: ({ volumeId }: { readonly volumeId: string; readonly first: number }) =>
    `names the volume '${volumeId}' again`,

  notAPort: ({ maximum }: { readonly maximum: number }) => `must be a port from 1 to ${maximum}`,
  relativeHealthPath: (() => 'must start with /') as Words<{ readonly value: string }>,

  hardwareFamilyFixed: ({ family }: { readonly family: 'GPU' | 'CPU' }) =>
    family === 'CPU' ? 'a CPU endpoint cannot get GPUs' : 'a GPU endpoint cannot get CPU configurations',
  exclusionsNeedPools: () => 'needs pools beside it',

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
  /** All counts that the flavor has. */
  readonly allowed: readonly number[];
}
