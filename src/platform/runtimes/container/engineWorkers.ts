import os from 'node:os';
import process from 'node:process';
import type { Clock } from '../../time/clock.ts';
import { EngineError } from '../engineApi.ts';
import type { ImageServices } from '../imageServices.ts';
import { LeftoverSchedule, type OpenRuns } from '../leftoverSchedule.ts';
import { Reachability } from '../reachability.ts';
import type { RunSpec } from '../runSpec.ts';
import { StartError, type Address, type RunningWorker, type Runtime, type StartOptions } from '../runtime.ts';
import type { WorkerGate } from '../workerGate.ts';
import { changeContainer, createContainer, inspectContainer, removeContainer, removeRuns } from './containerApi.ts';
import { handleOf } from './containerHandle.ts';
import { containerName } from './containerLabels.ts';
import { ContainerRun } from './containerRun.ts';
import { createBody, type ContainerPlan } from './containerSpec.ts';
import type { Engine } from './engine.ts';
import { engineMissing, isDiskLimitRefused, startFailure } from './engineFailure.ts';
import { engineImages, type EngineImages } from './engineImages.ts';
import { engineImageServices } from './engineImageServices.ts';
import { EngineLink, type LinkedEngine } from './engineLink.ts';
import { findEngine } from './engineRoute.ts';
import { EngineWatch, ping } from './engineWatch.ts';
import { Leftovers } from './leftovers.ts';
import { checkMounts } from './mountCheck.ts';
import { ProgramCheck } from './programCheck.ts';
import { WorkerAddress } from './workerAddress.ts';
import { WorkerNetworks } from './workerNetworks.ts';

export interface ContainerRuntimeOptions {
  /** Waits in real time. */
  readonly clock: Clock;
  /** Identifies the data of the platform, as in the labels of a run. */
  readonly owner: string;
  readonly gate: WorkerGate;
  /** Address of the engine as in `DOCKER_HOST`, or the name of a Docker context. Default: as Docker's command line finds it. */
  readonly address?: string | undefined;
  /** Capabilities of containers that the owner of the platform allows in addition. */
  readonly capabilities?: readonly string[] | undefined;
  /** Address of this machine that containers can reach. Default: its address on the network of the engine. */
  readonly workerHost?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Time in ms that the platform waits at its start and its end for an engine with containers to remove. */
const REMOVAL_TIMEOUT_MS = 5_000;
const GB = 1e9;
const LOOPBACK = '127.0.0.1';

/** The workers of a platform in containers, and the images of their engine. */
export interface EngineWorkers extends Pick<Runtime, 'start' | 'close'> {
  /** Resolves once the engine answers, or the signal is aborted. */
  untilReachable(signal: AbortSignal): Promise<void>;
  /** See `Runtime.keepClean`. Begins with the first worker. */
  keepClean(openRuns: OpenRuns): void;
  readonly images: ImageServices;
  /** Removes the containers of these runs. Resolves with their number. Without the engine, they are removed once it is back. */
  endRuns(runIds: ReadonlySet<string>): Promise<number>;
}

/** Runs workers on the container engine, which is found and connected with the first use. */
export function engineWorkers(options: ContainerRuntimeOptions): EngineWorkers {
  const { clock, owner, environment } = options;
  const machine = { environment, home: environment['HOME'] ?? os.homedir(), platform: process.platform };
  const link = new EngineLink(() => findEngine(options.address, machine));
  const watch = new EngineWatch(link, owner, clock);
  const perEngine = new WeakMap<Engine, EngineState>();

  const stateOf = (engine: Engine): EngineState => {
    const state = perEngine.get(engine) ?? {
      ...{ images: engineImages(engine), programs: new ProgramCheck(engine), limitsDisk: true },
      networks: new WorkerNetworks(engine, owner),
    };
    perEngine.set(engine, state);
    return state;
  };

  /** Removes containers of this platform, all of them without `runIds`, and networks without containers. Resolves with their number. */
  const removeFrom = async (engine: Engine, runIds?: ReadonlySet<string>): Promise<number> => {
    const removed = await removeRuns(engine, owner, (runId) => !runIds || runIds.has(runId));
    await stateOf(engine).networks.sweep();
    return removed;
  };
  const leftovers = new Leftovers(watch, removeFrom);

  let openRuns: OpenRuns | undefined;
  const cleaning = new LeftoverSchedule(
    async (openOnes) => {
      const linked = await openInTime();
      if (!linked) return;
      let open: ReadonlySet<string> | undefined;
      await removeRuns(linked.engine, owner, (runId) => !(open ??= new Set(openOnes())).has(runId));
      await stateOf(linked.engine).networks.removeUnknown();
    },
    { clock },
  );

  const openFor = async (spec: RunSpec, signal: AbortSignal): Promise<LinkedEngine> => {
    try {
      const linked = await link.open(signal);
      if (linked) return linked;
    } catch (error) {
      // Another engine may be found with the next start.
      if (!watch.inUse) link.forget();
      throw error;
    }
    throw engineMissing(spec.image);
  };

  const start = async (spec: RunSpec, { signal, ...reports }: StartOptions): Promise<RunningWorker> => {
    const { engine, features } = await openFor(spec, signal);
    if (openRuns) cleaning.start(openRuns);
    await checkMounts(spec.mounts, features);
    const { labels } = spec;
    const { runId } = labels;
    const state = stateOf(engine);
    const { networks } = state;
    const image = await state.images.ensure(spec, { ...reports, signal });
    signal.throwIfAborted();
    reports.onProgress({ kind: 'placed', otherMachine: otherMachine(image.architecture, engine.architecture) });
    try {
      const network = await networks.join(labels);
      const url = await new WorkerAddress({ engine, features }, options.gate, options.workerHost).url(
        spec,
        image.id,
        network,
      );
      const plan = { image: image.id, protocolUrl: url, features, network, capabilities: options.capabilities };
      const { id, limitsDisk } = await create(engine, spec, plan, state);
      await state.programs.check({ id, image: image.id, mounts: spec.mounts });
      signal.throwIfAborted();
      await changeContainer(engine, id, 'start');
      // From here on, the worker may take work, so it is returned even if the start is aborted.
      const { diskGb } = spec.resources;
      const run = new ContainerRun({
        ...{ handle: handleOf(runId), containerId: id, engine, watch, clock },
        addresses: await addressesOf(engine, id, spec),
        diskBytes: diskGb === undefined || limitsDisk ? undefined : diskGb * GB,
        ...{ onOutput: reports.onOutput, onReachable: reports.onReachable },
        onLeftBehind: () => leftovers.add([runId]),
      });
      void run.exited.then(() => networks.leave(labels));
      return run;
    } catch (error) {
      // Also after a request whose outcome is unknown.
      await removeContainer(engine, containerName(runId)).catch(() => leftovers.add([runId]));
      networks.leave(labels);
      cleaning.soon();
      if (error instanceof EngineError && error.unreachable && !watch.inUse) link.forget();
      throw startFailure(engine, error);
    }
  };

  const onFailure = (): void => {
    if (!watch.inUse) link.forget();
  };

  /** Rejects if the engine cannot be reached in time. */
  const openInTime = async (): Promise<LinkedEngine | undefined> => {
    const timeout = new AbortController();
    const cancel = clock.after(REMOVAL_TIMEOUT_MS, () => timeout.abort());
    try {
      return await link.open(timeout.signal);
    } finally {
      cancel();
    }
  };

  const reachability = new Reachability(async (signal) => {
    try {
      const linked = await openInTime();
      if (!linked) throw new Error('no container engine was found');
      await ping(linked.engine, signal);
    } catch (error) {
      onFailure();
      throw error;
    }
  }, clock);

  /** Removes containers of this platform; all of them without `runIds`. Rejects if the engine cannot be reached in time. */
  const remove = async (runIds?: ReadonlySet<string>): Promise<number | undefined> => {
    const linked = await openInTime();
    return linked && (await removeFrom(linked.engine, runIds));
  };

  return {
    images: engineImageServices({ link, imagesOf: ({ engine }) => stateOf(engine).images, onFailure }),
    start,
    untilReachable: (signal) => reachability.until(signal),
    keepClean: (given) => (openRuns = given),
    endRuns: async (runIds) => {
      const ended = await remove(runIds).catch(() => undefined);
      if (ended === undefined) leftovers.add(runIds);
      return ended ?? 0;
    },
    close: async () => {
      watch.close();
      cleaning.close();
      // The request of a platform that was killed can create a container after the next platform has removed its containers.
      if (link.route) await remove().catch(() => undefined);
    },
  };
}

/** Architectures whose programs other ones run, too. */
const COMPATIBLE: Readonly<Record<string, string>> = { amd64: '386', arm64: 'arm' };

/**
 * Returns the architectures of an image and the engine if the image runs only by emulation. The init process of the container hides the
 * error of the system.
 */
function otherMachine(image: string, engine: string): { image: string; engine: string } | undefined {
  const isKnown = image !== '' && engine !== '';
  return isKnown && image !== engine && COMPATIBLE[engine] !== image ? { image, engine } : undefined;
}

interface EngineState {
  readonly images: EngineImages;
  readonly programs: ProgramCheck;
  readonly networks: WorkerNetworks;
  /** False once the engine has refused to limit the disk of a container. */
  limitsDisk: boolean;
}

/** Creates the container, with a limited disk if the engine can limit it. */
async function create(
  engine: Engine,
  spec: RunSpec,
  plan: Omit<ContainerPlan, 'limitsDisk'>,
  state: EngineState,
): Promise<{ readonly id: string; readonly limitsDisk: boolean }> {
  const name = containerName(spec.labels.runId);
  const { limitsDisk } = state;
  try {
    return { id: await createContainer(engine, name, createBody(spec, { ...plan, limitsDisk })), limitsDisk };
  } catch (error) {
    if (!limitsDisk || spec.resources.diskGb === undefined || !isDiskLimitRefused(error)) throw error;
    state.limitsDisk = false;
    return create(engine, spec, plan, state);
  }
}

/** Resolves with the addresses of the worker's ports, which the engine has chosen. @throws StartError if the container vanished */
async function addressesOf(engine: Engine, id: string, { ports }: RunSpec): Promise<Map<number, Address>> {
  if (ports.length === 0) return new Map();
  const found = await inspectContainer(engine, id);
  if (!found) throw new StartError('the container was removed while it started');
  const published = found.NetworkSettings?.Ports ?? {};
  const host = engine.route.remoteHost ?? LOOPBACK;
  return new Map(
    ports.flatMap((port) => {
      const chosen = published[`${port}/tcp`]?.[0]?.HostPort;
      return chosen === undefined ? [] : [[port, { host, port: Number(chosen) }] as const];
    }),
  );
}
