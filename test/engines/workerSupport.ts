import { newToken } from '../../src/platform/ids.ts';
import { containerRuntime } from '../../src/platform/runtimes/container/containerRuntime.ts';
import type { RunSpec } from '../../src/platform/runtimes/runSpec.ts';
import type { Runtime, StartOptions } from '../../src/platform/runtimes/runtime.ts';
import { systemClock, type Clock } from '../../src/platform/time/clock.ts';
import { afterwards, eventually } from '../platform/support.ts';
import { NODE_IMAGE } from './images.ts';
import { testGate } from './testGate.ts';
import type { TestEngine } from './world.ts';

export const STAYS = 'setInterval(() => {}, 60_000);';

export interface Said {
  stdout: string;
  stderr: string;
  /** Times of the chunks, in ms since the epoch. */
  times: (number | undefined)[];
  /** Reports about the engine: the reason, or undefined when it is back. */
  reachable: (string | undefined)[];
}

/** Opens the runtime on a test engine. `cleanUp` closes it. */
export function openRuntime(
  { address }: Pick<TestEngine, 'address'>,
  owner: string,
  clock: Clock = systemClock,
): Runtime {
  const runtime = containerRuntime({ clock, owner, gate: testGate(), address, environment: process.env });
  afterwards(() => runtime.close());
  return runtime;
}

/** Starts a worker that runs a script with Node.js, and records what it prints. `cleanUp` stops it. */
export async function startWorker(
  runtime: Runtime,
  owner: string,
  script: string,
  changes: Partial<RunSpec> = {},
  options: Partial<StartOptions> = {},
) {
  const said: Said = { stdout: '', stderr: '', times: [], reachable: [] };
  const spec: RunSpec = {
    labels: { owner, endpointId: 'endpoint1', workerId: 'worker1', runId: newToken() },
    protocol: { url: 'http://127.0.0.1:1/worker/v2', token: 'secret' },
    ...{ image: NODE_IMAGE, entrypoint: [], cmd: ['-e', script], env: {} },
    ...{ mounts: [], ports: [], resources: { gpus: 0 }, ...changes },
  };
  const running = await runtime.start(spec, {
    onProgress: () => undefined,
    onImage: (digest) => digest,
    onReachable: (reason) => said.reachable.push(reason),
    onOutput: (stream, chunk, at) => {
      said[stream] += Buffer.from(chunk).toString();
      said.times.push(at);
    },
    signal: new AbortController().signal,
    ...options,
  });
  afterwards(() => running.stop(0));
  return { running, said, spec };
}

/** Resolves with the standard output of a script once it has ended. */
export async function outputOf(runtime: Runtime, owner: string, script: string, changes: Partial<RunSpec> = {}) {
  const { running, said } = await startWorker(runtime, owner, script, changes);
  const exit = await running.exited;
  return { stdout: said.stdout, exit };
}

export async function untilPrinted(said: Said, text: string): Promise<void> {
  await eventually(`the worker has printed ${text}`, () => said.stdout.includes(text));
}

/** Resolves with the IDs of the containers of an owner. */
export async function containersOf({ api }: TestEngine, owner: string): Promise<string[]> {
  const query = { all: true, filters: JSON.stringify({ label: [`cloud-compute.owner=${owner}`] }) };
  const found = await api.json<{ Id: string }[]>({ path: '/v1.41/containers/json', query });
  return found.map(({ Id: id }) => id);
}
