import os from 'node:os';
import process from 'node:process';
import type { ContainerInspectResponse } from '@docker/node-sdk';
import { type Clock, pause } from '../../time/clock.ts';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import type { ImageServices } from '../imageServices.ts';
import { LeftoverSchedule, type OpenRuns } from '../leftoverSchedule.ts';
import { Reachability } from '../reachability.ts';
import type { RunSpec } from '../runSpec.ts';
import {
  StartError,
  type Address,
  type AdoptOptions,
  type RunningWorker,
  type Runtime,
  type StartOptions,
  type WorkerGate,
} from '../runtime.ts';
import { changeContainer, createContainer, inspectContainer, removeContainer, removeRuns } from './engineRequests.ts';
import { handleOf, hasEnded, hasStarted } from './containerState.ts';
import { containerName } from './containerLabels.ts';
import { Leftovers } from './leftovers.ts';
import { ContainerRun, type RunContext } from './containerRun.ts';
import { createBody, environmentOf, type ContainerPlan, checkMounts } from './containerSpec.ts';
import type { Engine } from '../../../machine/engine/engine.ts';
import { engineMissing, isDiskLimitRefused, startFailure } from './engineFailure.ts';
import { engineImages, type EngineImages } from './engineImages.ts';
import { engineImageServices } from './engineImageServices.ts';
import { EngineLink, type LinkedEngine } from './engineLink.ts';
import { findEngine } from '../../../machine/engine/engineRoute.ts';
import { EngineWatch, ping } from './engineWatch.ts';
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
const SWEEP_TIMEOUT_MS = 5_000;
/** Time in ms after which an adoption is repeated while the engine cannot be reached. */
const ADOPT_RETRY_MS = 500;
const GB = 1e9;
const LOOPBACK = '127.0.0.1';

/** The workers of a platform in containers, and the images of their engine. */
export interface EngineWorkers extends Pick<Runtime, 'start' | 'close'> {
  /** Resolves once the engine answers, or the signal is aborted. */
  untilReachable(signal: AbortSignal): Promise<void>;
  /** See `Runtime.keepClean`. Begins with the first worker. */
  keepClean(openRuns: OpenRuns): void;
  readonly images: ImageServices;
  /** See `Runtime.adopt`. */
  adopt(spec: RunSpec, options: AdoptOptions): Promise<RunningWorker | undefined>;
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
      ...{ images: engineImages(engine, clock), programs: new ProgramCheck(engine), limitsDisk: true },
      networks: new WorkerNetworks(engine, owner),
    };
    perEngine.set(engine, state);
    return state;
  };

  const leftovers = new Leftovers(watch, (engine, runIds) => removeRuns(engine, owner, (runId) => runIds.has(runId)));
  /** Runs that are left for the next platform, or not adopted yet. */
  const left = new Set<string>();

  let openRuns: OpenRuns | undefined;
  const cleaning = new LeftoverSchedule(
    async (openOnes) => {
      const linked = await openInTime();
      if (!linked) return;
      let open: ReadonlySet<string> | undefined;
      await removeRuns(linked.engine, owner, (runId) => !(open ??= new Set(openOnes())).has(runId));
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

  /** Follows a container on the network of its endpoint. */
  const follow = (
    engine: Engine,
    { labels, resources: { diskGb } }: RunSpec,
    found: FollowedContainer,
  ): ContainerRun => {
    const { limitsDisk, ...rest } = found;
    const { runId } = labels;
    const run = new ContainerRun({
      ...{ handle: handleOf(runId), engine, watch, clock, ...rest },
      diskBytes: diskGb === undefined || limitsDisk ? undefined : diskGb * GB,
      onLeftBehind: () => leftovers.add([runId]),
      onLeft: () => left.add(runId),
    });
    void run.exited.then(() => stateOf(engine).networks.leave(labels));
    return run;
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
      return follow(engine, spec, {
        ...{ containerId: id, limitsDisk, onOutput: reports.onOutput, onReachable: reports.onReachable },
        onOutputLost: reports.onOutputLost,
        addresses: await addressesOf(engine, id, spec),
      });
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
    const cancel = clock.after(SWEEP_TIMEOUT_MS, () => timeout.abort());
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

  const adoptOn = async (
    linked: LinkedEngine,
    spec: RunSpec,
    { position, frozen, signal, ...reports }: AdoptOptions,
  ): Promise<RunningWorker | undefined> => {
    const { engine } = linked;
    const { labels } = spec;
    const found = await inspectContainer(engine, containerName(labels.runId), { signal });
    const containerId = found?.Id;
    if (!found?.State || containerId === undefined || !hasStarted(found.State)) return undefined;
    const { networks } = stateOf(engine);
    try {
      const network = await networks.join(labels);
      const address = new WorkerAddress(linked, options.gate, options.workerHost);
      const url = await address.url(spec, found.Image ?? '', network);
      signal.throwIfAborted();
      if (!hasEnvironment(found, spec, url)) throw new StartError('the container has another specification');
    } catch (error) {
      networks.leave(labels);
      if (error instanceof StartError) return undefined;
      throw error;
    }
    const isPaused = found.State.Paused ?? false;
    const run = follow(engine, spec, {
      ...{ containerId, position, frozen: isPaused, hadEnded: hasEnded(found.State), ...reports },
      limitsDisk: found.HostConfig?.StorageOpt?.['size'] !== undefined,
      addresses: publishedAddresses(engine, found, spec),
    });
    if (isPaused && !frozen) void run.thaw();
    return run;
  };

  const adopt = async (spec: RunSpec, adoptOptions: AdoptOptions): Promise<RunningWorker | undefined> => {
    const { signal, onReachable } = adoptOptions;
    const { runId } = spec.labels;
    left.add(runId);
    for (let isLost = false; ;) {
      try {
        const linked = await link.open(signal);
        if (!linked) throw engineMissing(spec.image);
        if (openRuns) cleaning.start(openRuns);
        const run = await adoptOn(linked, spec, adoptOptions);
        left.delete(runId);
        if (isLost) onReachable(undefined);
        return run;
      } catch (error) {
        signal.throwIfAborted();
        if (!isUnreachable(error)) {
          left.delete(runId);
          if (error instanceof EngineError) return undefined;
          throw error;
        }
        isLost = true;
        onReachable(error.message);
        await pause(clock, ADOPT_RETRY_MS, signal);
      }
    }
  };

  /** Removes the selected containers of this platform. Rejects if the engine cannot be reached in time. */
  const remove = async (isSelected: (runId: string) => boolean): Promise<number | undefined> => {
    const linked = await openInTime();
    return linked && removeRuns(linked.engine, owner, isSelected);
  };

  /** Removes everything of this platform that no left worker needs. Rejects if the engine cannot be reached in time. */
  const sweep = async (): Promise<void> => {
    await remove((runId) => !left.has(runId));
    const linked = await openInTime();
    if (linked) await stateOf(linked.engine).networks.sweep();
  };

  return {
    images: engineImageServices({ link, imagesOf: ({ engine }) => stateOf(engine).images, onFailure }),
    start,
    adopt,
    untilReachable: (signal) => reachability.until(signal),
    keepClean: (given) => (openRuns = given),
    endRuns: async (runIds) => {
      const ended = await remove((runId) => runIds.has(runId)).catch(() => undefined);
      if (ended === undefined) leftovers.add(runIds);
      return ended ?? 0;
    },
    close: async () => {
      watch.close();
      cleaning.close();
      // The request of a platform that was killed can create a container after the next platform has removed its containers.
      if (link.route) await sweep().catch(() => undefined);
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

/** A container of a run, and the way to follow it. */
interface FollowedContainer extends Pick<
  RunContext,
  'containerId' | 'addresses' | 'onOutput' | 'onOutputLost' | 'onReachable' | 'position' | 'frozen' | 'hadEnded'
> {
  /** Whether the engine limits its disk. */
  readonly limitsDisk: boolean;
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
  return publishedAddresses(engine, found, { ports });
}

/** Whether an engine does not answer, or is not there yet. The containers can run in the meantime. */
function isUnreachable(error: unknown): error is EngineError | StartError {
  if (error instanceof EngineError) return error.unreachable;
  return error instanceof StartError && ['engineUnreachable', 'engineMissing'].includes(error.problem ?? '');
}

function publishedAddresses(
  { route }: Engine,
  { NetworkSettings: settings }: ContainerInspectResponse,
  { ports }: Pick<RunSpec, 'ports'>,
): Map<number, Address> {
  const host = route.remoteHost ?? LOOPBACK;
  return new Map(
    ports.flatMap((port) => {
      const chosen = settings?.Ports?.[`${port}/tcp`]?.[0]?.HostPort;
      return chosen === undefined ? [] : [[port, { host, port: Number(chosen) }] as const];
    }),
  );
}

/** Returns whether the container has the environment of the specification, with this URL of the worker protocol. */
function hasEnvironment({ Config: config }: ContainerInspectResponse, spec: RunSpec, url: string): boolean {
  const environment = new Set(config?.Env);
  return environmentOf(spec, url).every((variable) => environment.has(variable));
}
