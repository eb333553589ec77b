import type { ContainerState } from '@docker/node-sdk';
import type { ProcessExit } from '../../../contract/systemLines.ts';
import { type Clock, pause } from '../../time/clock.ts';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import {
  ExecError,
  type Address,
  type ExecRequest,
  type ExecSession,
  type RunningWorker,
  type StartOptions,
} from '../runtime.ts';
import { execInContainer } from './containerExec.ts';
import { changeContainer, inspectContainer, removeContainer, type ContainerChange } from './engineRequests.ts';
import { UNKNOWN_EXIT } from '../exitStatus.ts';
import { exitOf, hasEnded, type ContainerHandle } from './containerState.ts';
import { LogPosition, readLog, timeOf } from './containerLog.ts';
import { OutputThrottle } from './outputThrottle.ts';
import { exceedsDisk } from './diskWatch.ts';
import type { Engine } from '../../../machine/engine/engine.ts';
import type { EngineWatch } from './engineWatch.ts';

export interface RunContext {
  readonly handle: ContainerHandle;
  readonly containerId: string;
  readonly engine: Engine;
  readonly watch: EngineWatch;
  readonly clock: Clock;
  /** Addresses by the worker's own port numbers. */
  readonly addresses: ReadonlyMap<number, Address>;
  /** Position in the log from which output is delivered; omitted for all of it. */
  readonly position?: unknown;
  /** Whether the container is paused. Default: no. */
  readonly frozen?: boolean;
  /** Whether the container had ended before this platform followed it. Default: no. */
  readonly hadEnded?: boolean;
  /** Watched limit of the disk, in bytes; omitted if the engine limits it, or there is no limit. */
  readonly diskBytes?: number | undefined;
  readonly onOutput: StartOptions['onOutput'];
  readonly onOutputLost?: StartOptions['onOutputLost'];
  readonly onReachable: StartOptions['onReachable'];
  /** Called if the container could not be removed. */
  readonly onLeftBehind: () => void;
  /** Called if the container is left for the next platform. */
  readonly onLeft: () => void;
}

/** Time in ms after which a request that failed is repeated. */
const RETRY_MS = 200;
/** Time in ms that the engine has to deliver the rest of a log that is followed. Afterwards, it is read once more. */
const LOG_GRACE_MS = 1_000;
/** Time in ms after the grace time of a stop after which the run stops waiting for an unreachable engine. */
const GIVE_UP_MS = 10_000;
/** Length of the ID in logs, as in Docker's command line. */
const SHORT_ID_LENGTH = 12;

type StopSignal = 'SIGTERM' | 'SIGKILL';

/** A started container, which is removed after its end. It survives restarts of the engine. */
export class ContainerRun implements RunningWorker {
  readonly handle: ContainerHandle;
  readonly label: string;
  readonly exited: Promise<ProcessExit>;
  readonly #context: RunContext;
  readonly hadEnded: boolean;
  readonly #log: LogPosition;
  /** Aborted once the container has ended, or the run has given up waiting for it. */
  readonly #over = new AbortController();
  readonly #throttle: OutputThrottle;
  #reading = new AbortController();
  /** Resolves when the engine is back; undefined while it can be reached. */
  #back: PromiseWithResolvers<void> | undefined;
  /** Changes in their order. */
  #changes: Promise<void> = Promise.resolve();
  #frozen: boolean;
  #left = false;
  #requested: StopSignal | undefined;
  #outOfDisk = false;

  constructor(context: RunContext) {
    this.#context = context;
    this.handle = context.handle;
    this.#throttle = new OutputThrottle({ ...context, onStall: () => this.#reading.abort() });
    this.label = `container ${context.containerId.slice(0, SHORT_ID_LENGTH)}`;
    this.hadEnded = context.hadEnded ?? false;
    this.#log = new LogPosition(context.position);
    this.#frozen = context.frozen ?? false;
    this.exited = this.#run();
  }

  address(port: number): Promise<Address> {
    const address = this.#context.addresses.get(port);
    return address
      ? Promise.resolve(address)
      : Promise.reject(new Error(`the container does not publish port ${port}`));
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#left) return;
    if (this.#over.signal.aborted) {
      await this.exited;
      return;
    }
    const { clock } = this.#context;
    if (graceMs > 0) this.#request('SIGTERM');
    const cancelKill = clock.after(graceMs, () => this.#request('SIGKILL'));
    let cancelGiveUp = (): void => undefined;
    const giveUp = (afterMs: number): void => {
      cancelGiveUp = clock.after(afterMs, () => {
        // The container is removed once the engine is back.
        if (this.#back) this.#over.abort();
        else giveUp(GIVE_UP_MS);
      });
    };
    giveUp(graceMs + GIVE_UP_MS);
    await this.exited;
    cancelKill();
    cancelGiveUp();
  }

  leave(): void {
    this.#left = true;
    this.#over.abort();
    this.#context.onLeft();
  }

  freeze(): Promise<void> {
    return this.#inOrder(() => this.#setFrozen(true));
  }

  thaw(): Promise<void> {
    return this.#inOrder(() => this.#setFrozen(false));
  }

  async exec(request: ExecRequest, signal: AbortSignal): Promise<ExecSession> {
    if (this.#over.signal.aborted) throw new ExecError('ended', `the ${this.label} has ended`);
    return execInContainer(this.#context, request, signal);
  }

  async #run(): Promise<ProcessExit> {
    const { watch, containerId, onReachable } = this.#context;
    const stopListening = watch.add({
      onConnected: () => {
        if (this.#back) onReachable(undefined);
        this.#back?.resolve();
        this.#back = undefined;
        void this.#check();
        if (this.#requested) void this.#kill(this.#requested);
      },
      onEnded: (id) => {
        if (id === containerId) void this.#check();
      },
      onLost: (reason) => {
        this.#back ??= Promise.withResolvers();
        this.#reading.abort();
        onReachable(reason);
      },
    });
    void this.#watchDisk();
    const exit = await this.#untilEnd();
    this.#over.abort();
    stopListening();
    // The worker runs on.
    if (this.#left) return new Promise(() => undefined);
    await this.#remove();
    return this.#outOfDisk ? { ...exit, reason: 'outOfDisk' } : exit;
  }

  /** Delivers the log until the container has ended. */
  async #untilEnd(): Promise<ProcessExit> {
    for (;;) {
      await this.#deliver({ follow: true });
      const state = await this.#state();
      if (!state) return UNKNOWN_EXIT;
      if (hasEnded(state)) {
        // The stream can end before the last lines, or because the connection broke.
        while (!(await this.#deliver({ follow: false }))) await this.#retry();
        return exitOf(state);
      }
      await this.#retry();
    }
  }

  /** Delivers new messages of the log. Resolves with false if it could not be read to the end. */
  async #deliver({ follow }: { follow: boolean }): Promise<boolean> {
    const { engine, containerId, clock, onOutput, onOutputLost: onGap } = this.#context;
    this.#reading = new AbortController();
    const ended = new AbortController();
    const signal = AbortSignal.any([this.#reading.signal, this.#over.signal]);
    const throttle = this.#throttle;
    // Podman does not answer a connection to a container that ends at the same time, and then blocks all other requests about it.
    if (follow && engine.name === 'Docker' && !this.#requested)
      void throttle.run(AbortSignal.any([signal, ended.signal]));
    try {
      for await (const message of readLog(engine, containerId, { position: this.#log, follow, onGap, signal })) {
        if (this.#left) return true;
        this.#log.pass(message);
        onOutput(message.stream, message.bytes, timeOf(message, clock.now()), () => this.#log.toJSON());
        throttle.delivered(message.bytes.length);
      }
      return true;
    } catch (error) {
      if (this.#over.signal.aborted) return true;
      if (signal.aborted) return false;
      if (!(error instanceof EngineError)) throw error;
      // A log that the engine has but cannot read does not come back.
      return !error.unreachable;
    } finally {
      ended.abort();
    }
  }

  /** Resolves with the state once the engine tells it; undefined if there is no such container, or the engine is not waited for. */
  async #state(): Promise<ContainerState | undefined> {
    const { engine, containerId } = this.#context;
    const { signal } = this.#over;
    for (;;) {
      if (signal.aborted) return undefined;
      try {
        return (await inspectContainer(engine, containerId, { signal }))?.State ?? undefined;
      } catch {
        await this.#retry();
      }
    }
  }

  /** Ends the reading of the log if the container has ended, because some engines do not end it. */
  async #check(): Promise<void> {
    const reading = this.#reading;
    const state = await this.#state();
    if (!state) reading.abort();
    else if (hasEnded(state)) {
      const cancel = this.#context.clock.after(LOG_GRACE_MS, () => reading.abort());
      this.#over.signal.addEventListener('abort', cancel, { once: true });
    }
  }

  /** Waits before a request is repeated: until the engine is back if it is lost, or for a moment. */
  async #retry(): Promise<void> {
    const { signal } = this.#over;
    const over = Promise.withResolvers<void>();
    const abort = (): void => over.resolve();
    signal.addEventListener('abort', abort, { once: true });
    await Promise.race([this.#back?.promise ?? pause(this.#context.clock, RETRY_MS, signal), over.promise]);
    signal.removeEventListener('abort', abort);
  }

  #request(signal: StopSignal): void {
    this.#requested = signal;
    if (signal === 'SIGTERM') void this.#inOrder(() => this.#kill(signal));
    else void this.#kill(signal);
  }

  /** Sends a signal, also to a frozen container. If the engine is lost, its return repeats it. */
  async #kill(signal: StopSignal): Promise<void> {
    const sent = await this.#change('kill', { signal });
    if (!this.#frozen) return;
    // A frozen process receives a signal only after it continues. Podman sends none before.
    await this.#change('unpause');
    if (!sent) await this.#change('kill', { signal });
  }

  async #setFrozen(frozen: boolean): Promise<void> {
    for (;;) {
      if (this.#over.signal.aborted) return;
      // A request whose answer was lost may have taken effect.
      this.#frozen ||= frozen;
      if (await this.#change(frozen ? 'pause' : 'unpause')) break;
      const state = await this.#state();
      if (!state || hasEnded(state) || state.Paused === frozen) break;
      if (!this.#back) {
        this.#request('SIGKILL');
        return;
      }
      await this.#retry();
    }
    this.#frozen = frozen;
  }

  /** Resolves with false if the engine refused the change or did not answer. */
  async #change(change: ContainerChange, query: { signal?: string } = {}): Promise<boolean> {
    const { engine, containerId } = this.#context;
    return changeContainer(engine, containerId, change, query).then(
      () => true,
      () => false,
    );
  }

  #inOrder(action: () => Promise<void>): Promise<void> {
    this.#changes = this.#changes.then(action);
    return this.#changes;
  }

  async #watchDisk(): Promise<void> {
    const { engine, containerId, clock, diskBytes: limitBytes } = this.#context;
    if (limitBytes === undefined) return;
    const { signal } = this.#over;
    if (!(await exceedsDisk({ engine, containerId, limitBytes, clock, signal }))) return;
    this.#outOfDisk = true;
    this.#request('SIGKILL');
  }

  async #remove(): Promise<void> {
    const { engine, containerId, onLeftBehind } = this.#context;
    if (this.#back) {
      onLeftBehind();
      return;
    }
    await removeContainer(engine, containerId).catch(() => onLeftBehind());
  }
}
