import type { ImageServices } from '../imageServices.ts';
import type { OpenRuns } from '../leftoverSchedule.ts';
import type { Runtime } from '../runtime.ts';
import { containerHandles, handleOf } from './containerState.ts';
import type { ContainerRuntimeOptions, EngineWorkers } from './engineWorkers.ts';

/**
 * Runs images as containers of Docker or Podman, one container for each worker. Loads its code and connects to the engine with the first
 * worker, so a platform that only runs processes never does.
 */
export function containerRuntime(options: ContainerRuntimeOptions): Runtime {
  let opened: Promise<EngineWorkers> | undefined;
  let openRuns: OpenRuns | undefined;
  const open = (): Promise<EngineWorkers> => (opened ??= load(options));
  return {
    images: imagesOf(async () => (await open()).images),
    canFreeze: () => true,
    canAdopt: () => true,
    placesGpus: () => false,
    handleOf: ({ runId }) => handleOf(runId),
    start: async (spec, startOptions) => {
      const workers = await open();
      if (openRuns) workers.keepClean(openRuns);
      return workers.start(spec, startOptions);
    },
    adopt: async (handle, spec, adoptOptions) => {
      if (containerHandles([handle]).length === 0) return undefined;
      const workers = await open();
      if (openRuns) workers.keepClean(openRuns);
      return workers.adopt(spec, adoptOptions);
    },
    untilReachable: async (_image, signal) => (await open()).untilReachable(signal),
    keepClean: (given) => (openRuns = given),
    endOrphans: async (handles) => {
      const runIds = new Set(containerHandles(handles).map(({ runId }) => runId));
      return runIds.size === 0 ? 0 : (await open()).endRuns(runIds);
    },
    close: async () => {
      await (await opened)?.close();
    },
  };
}

async function load(options: ContainerRuntimeOptions): Promise<EngineWorkers> {
  const { engineWorkers } = await import('./engineWorkers.ts');
  return engineWorkers(options);
}

/** Returns services that load the code of the engine with their first use. */
function imagesOf(services: () => Promise<ImageServices>): ImageServices {
  return {
    runtime: 'container',
    describe: async (signal) => (await services()).describe(signal),
    list: async (signal) => (await services()).list(signal),
    pull: async (request) => (await services()).pull(request),
    remove: async (id, signal) => (await services()).remove(id, signal),
  };
}
