import { newToken } from '../../src/platform/ids.ts';
import type { RunSpec } from '../../src/platform/runtimes/runSpec.ts';
import type { RunningWorker, Runtime, StartOptions } from '../../src/platform/runtimes/runtime.ts';
import type { StartProgress } from '../../src/platform/domain/startProgress.ts';
import { NODE_IMAGE } from '../engines/images.ts';
import { afterwards } from '../platform/support.ts';

export const STAYS = 'setInterval(() => {}, 60_000);';

/** Everything that a runtime reported about a worker. */
export interface Observed {
  readonly progress: StartProgress[];
  readonly digests: string[];
  readonly unreachable: (string | undefined)[];
  readonly lines: { readonly text: string; readonly at: number }[];
}

export function specOf(script: string, changes: Partial<RunSpec> = {}): RunSpec {
  return {
    labels: { owner: 'conformance', endpointId: 'endpoint1', workerId: 'worker1', runId: newToken() },
    protocol: { url: 'http://127.0.0.1:1/worker/v2', token: 'secret' },
    ...{ image: NODE_IMAGE, entrypoint: ['/usr/bin/node'], cmd: ['-e', script], env: {}, mounts: [], ports: [] },
    resources: { gpus: 0 },
    ...changes,
  };
}

type ImageOfRelease = StartOptions['onImage'];
const sameImage: ImageOfRelease = (digest) => digest;

/** Begins to start a worker. `cleanUp` stops it. */
export function begin(runtime: Runtime, spec: RunSpec, imageOfRelease = sameImage) {
  const observed: Observed = { progress: [], digests: [], unreachable: [], lines: [] };
  const controller = new AbortController();
  const options: StartOptions = {
    onProgress: (progress) => observed.progress.push(progress),
    onOutput: (_, chunk, at = NaN) => observed.lines.push({ text: Buffer.from(chunk).toString(), at }),
    onImage: (digest) => {
      observed.digests.push(digest);
      return imageOfRelease(digest);
    },
    onReachable: (reason) => observed.unreachable.push(reason),
    signal: controller.signal,
  };
  const starting = runtime.start(spec, options);
  starting.catch(() => undefined);
  afterwards(async () => {
    controller.abort();
    const running = await starting.catch(() => undefined);
    await running?.stop(0);
    await runtime.close();
  });
  return { starting, observed, spec };
}

/** Starts a worker. */
export async function startWorker(runtime: Runtime, spec: RunSpec, imageOfRelease = sameImage) {
  const { starting, observed } = begin(runtime, spec, imageOfRelease);
  const running: RunningWorker = await starting;
  return { running, observed, spec };
}
