import assert from 'node:assert/strict';
import type { ProcessExit } from '../../src/contract/systemLines.ts';
import type { RunningWorker, Runtime, StartOptions } from '../../src/platform/runtimes/runtime.ts';
import type { RunSpec } from '../../src/platform/runtimes/runSpec.ts';
import type { RunDependencies } from '../../src/platform/workers/runSpecOf.ts';

/** A worker that ends when the platform stops it or the test ends it. */
export interface StubWorker extends RunningWorker {
  readonly end: (exit: ProcessExit) => void;
}

export function stubWorker(changes: Partial<RunningWorker> = {}): StubWorker {
  const end = Promise.withResolvers<ProcessExit>();
  return {
    handle: null,
    label: 'process 1',
    exited: end.promise,
    end: end.resolve,
    address: (port) => Promise.resolve({ host: '127.0.0.1', port }),
    stop: async () => {
      end.resolve({ code: 0, signal: null });
      await end.promise;
    },
    freeze: () => Promise.resolve(),
    thaw: () => Promise.resolve(),
    ...changes,
  };
}

/** A runtime whose workers are controlled by the test. */
export function stubRuntime(start: (spec: RunSpec, options: StartOptions) => Promise<RunningWorker>): Runtime {
  return {
    ...{ canFreeze: () => false, placesGpus: () => false, handleOf: ({ runId }) => ({ runId }), start },
    ...{ canAdopt: () => false, adopt: () => Promise.resolve(undefined) },
    ...{ endOrphans: () => Promise.resolve(0), close: () => Promise.resolve() },
  };
}

/** Start options for workers without volumes and registries. */
export const stubDependencies: RunDependencies = {
  owner: 'owner',
  ignoreGpus: false,
  workerUrl: () => 'http://127.0.0.1:1',
  mountsOf: () => [],
  credentialsOf: () => assert.fail('no credentials are requested'),
};
