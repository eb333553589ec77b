import type { Logger } from 'pino';
import { isProcessImage } from '../domain/processImage.ts';
import type { Clock } from '../time/clock.ts';
import { containerRuntime } from './container/containerRuntime.ts';
import type { EngineSettings } from './engineSettings.ts';
import { kubernetesRuntime } from './kubernetes/kubernetes.ts';
import { processRuntime } from './process/process.ts';
import { DEFAULT_CONCURRENT_STARTS, type Runtime, type WorkerGate } from './runtime.ts';

export interface ImageRuntimesOptions {
  /** Waits in real time. */
  readonly clock: Clock;
  /** Identifies the data of the platform, as in the labels of a run. */
  readonly owner: string;
  readonly gate: WorkerGate;
  /** Whether processes use the gate too. It outlives the server for callers. */
  readonly gateForProcesses: boolean;
  readonly log: Logger;
  readonly settings: EngineSettings;
  /** Environment of the platform, such as DOCKER_HOST and KUBECONFIG. */
  readonly environment: Readonly<NodeJS.ProcessEnv>;
}

/** Creates the runtime of a platform, which runs process images as processes of this machine, and all other images on the engine. */
export function imageRuntimes(options: ImageRuntimesOptions): Runtime {
  const { clock, gate, gateForProcesses } = options;
  const processes = processRuntime(clock, gateForProcesses ? { gate } : {});
  return byImage(processes, engineRuntime(options) ?? processes);
}

/** Returns the runtime of images on the selected engine; undefined if there is none. It connects to the engine with the first worker. */
function engineRuntime(options: ImageRuntimesOptions): Runtime | undefined {
  const { clock, owner, gate, log, settings, environment } = options;
  const { runtime = 'auto', containerEngine: address, workerHost, workerCapabilities: capabilities } = settings;
  switch (runtime) {
    case 'process':
      return undefined;
    case 'auto':
      return containerRuntime({ clock, owner, gate, environment, address, workerHost, capabilities });
    case 'kubernetes':
      return kubernetesRuntime({
        ...{ clock, owner, gate, log, environment, workerHost, capabilities },
        ...{ context: settings.kubeContext, namespace: settings.kubeNamespace, volumeClaim: settings.kubeVolumeClaim },
        workerUrl: settings.kubeWorkerUrl,
        imagePull: settings.kubeNodeImages ? 'ifNotPresent' : 'always',
      });
  }
}

/** Returns a runtime that selects another one by the image. */
export function byImage(processes: Runtime, images: Runtime): Runtime {
  const runtimeOf = (image: string): Runtime => (isProcessImage(image) ? processes : images);
  const both = [...new Set([processes, images])];
  return {
    images: images.images,
    canFreeze: (image) => runtimeOf(image).canFreeze(image),
    canAdopt: (image) => runtimeOf(image).canAdopt(image),
    placesGpus: (image) => runtimeOf(image).placesGpus(image),
    handleOf: (run) => runtimeOf(run.image).handleOf(run),
    start: (spec, options) => runtimeOf(spec.image).start(spec, options),
    adopt: (handle, spec, options) => runtimeOf(spec.image).adopt(handle, spec, options),
    endOrphans: async (handles) => {
      const ended = await Promise.all(both.map((runtime) => runtime.endOrphans(handles)));
      return ended.reduce((sum, count) => sum + count, 0);
    },
    workerStopped: (workerId) => {
      for (const runtime of both) runtime.workerStopped?.(workerId);
    },
    concurrentStarts: (image) => runtimeOf(image).concurrentStarts?.(image) ?? DEFAULT_CONCURRENT_STARTS,
    untilReachable: (image, signal) => runtimeOf(image).untilReachable?.(image, signal) ?? Promise.resolve(),
    keepClean: (openRuns) => {
      for (const runtime of both) runtime.keepClean?.(openRuns);
    },
    close: async () => {
      await Promise.all(both.map((runtime) => runtime.close()));
    },
  };
}
