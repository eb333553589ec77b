import { NOT_A_COMMAND } from '../containerCommand.ts';
import { unclosedQuote } from '../shellWords.ts';
import { words, type Wording } from '../words.ts';

/*
 * Violations of the rules of serverless endpoints. Each code is a function from its data to its message. The data has the values that a
 * correction needs: the conflicting ones and the allowed ones.
 */

interface Unknown {
  readonly value: string;
  readonly known: readonly string[];
}

export const endpointWords = {
  imageMissing: () => words`missing: set image or templateId`,
  hardwareMissing: () => words`missing: set gpu or cpu`,
  gpuAndCpu: () => words`gpu and cpu cannot be combined`,
  scalerNeedsQueue: ({ scaler, instead }: { readonly scaler: string; readonly instead: string }) =>
    words`${scaler} is for QUEUE endpoints only; use ${instead}`,
  idleTimeoutUnused: ({ type, scaler }: { readonly type: string; readonly scaler: string }) =>
    words`does not apply to a ${type} endpoint that scales on ${scaler}`,
  minAboveMax: ({ max, maxIsDefault }: WorkerRange & { readonly maxIsDefault: boolean }) =>
    maxIsDefault ? words`must be at most max, which is ${max} by default` : words`must be at most max, which is ${max}`,
  /** For an update that lowers the maximum below the current minimum. */
  maxBelowMin: ({ min }: WorkerRange) => words`must be at least the min of the endpoint, which is ${min}`,
  preloadNeedsPython: () => words`needs a directory and a command that starts Python itself, such as python handler.py`,
  cudaConstraintsConflict: (() => words`minCudaVersion and allowedCudaVersions cannot be combined`) as Wording<{
    readonly given: { readonly minCudaVersion: string; readonly allowedCudaVersions: readonly string[] };
  }>,
  /** @param data `first` is the index of the equal entry */
  repeatedCpu: ({ id, vcpuCount }: { readonly id: string; readonly vcpuCount: number; readonly first: number }) =>
    words`repeats ${id} with ${vcpuCount} vCPUs`,

  /** @param data `unclosed` is an unclosed quote, or a backslash at the end. Without it, the value is a JSON object that is not a command */
  argsUnreadable: ({ unclosed }: { readonly unclosed?: string }) =>
    unclosed === undefined ? NOT_A_COMMAND : unclosedQuote(unclosed),
  argsConflict: (() => words`must be the same command as entrypoint and cmd`) as Wording<{
    readonly given: readonly ('entrypoint' | 'cmd')[];
  }>,

  networkAndGlobalMounts: () => words`network and global volumes cannot be combined`,
  networkVolumesWithGlobalMount: () => words`network and global volumes cannot be combined`,
  networkVolumesWithMounts: (() => words`must list the same volumes as mounts.network`) as Wording<{
    readonly listed: readonly string[];
    readonly mounted: readonly string[];
  }>,
  secondGlobalVolume: (() => words`at most one global volume can be mounted`) as Wording<{
    readonly mounted: readonly string[];
  }>,
  globalVolumeWithoutGpu: () => words`global volumes are for GPU endpoints only`,
  /** @param data `first` is the index of the equal entry */
  repeatedVolume: ({ volumeId }: { readonly volumeId: string; readonly first: number }) =>
    words`repeats the volume '${volumeId}'`,

  notAPort: ({ maximum }: { readonly maximum: number }) => words`must be a port from 1 to ${maximum}`,
  relativeHealthPath: (() => words`must start with /`) as Wording<{ readonly value: string }>,

  hardwareFamilyFixed: ({ family }: { readonly family: 'GPU' | 'CPU' }) =>
    family === 'CPU' ? words`a CPU endpoint cannot have GPUs` : words`a GPU endpoint cannot have CPU configurations`,
  exclusionsNeedPools: () => words`requires pools in the same request`,

  unknownDataCenter: ({ value, known }: Unknown) =>
    words`unknown data center '${value}'; expected one of ${known.join(', ')}`,
  unknownPool: ({ value, known }: Unknown) => words`unknown GPU pool '${value}'; expected one of ${known.join(', ')}`,
  unknownFlavor: ({ value, known }: Unknown) =>
    words`unknown CPU flavor '${value}'; expected one of ${known.join(', ')}`,
  gpuCount: ({ maximum }: { readonly count: number; readonly maximum: number }) =>
    words`exceeds the ${maximum} GPUs that these pools offer per worker`,
  foreignExclusion: ({ value, offered }: { readonly value: string; readonly offered: readonly string[] }) =>
    words`'${value}' is not in any of the pools; they contain ${offered.join(', ')}`,
  everythingExcluded: (() => words`excludes every GPU type of the pools`) as Wording<{
    readonly offered: readonly string[];
  }>,
  vcpuCount: ({ flavor, minimum, maximum }: Vcpus) => words`${flavor} has ${minimum} to ${maximum} vCPUs`,
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
