import type { Pod } from 'kubernetes-types/core/v1.js';
import type { StartProgress } from '../../domain/startProgress.ts';
import type { ProcessExit } from '../../../contract/systemLines.ts';
import type { Clock } from '../../time/clock.ts';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import { UNKNOWN_EXIT } from '../exitStatus.ts';
import type { ImageDigest } from '../runSpec.ts';
import {
  ExecError,
  StartError,
  type Address,
  type ExecRequest,
  type ExecSession,
  type OutputPosition,
  type RunHandle,
  type RunningWorker,
  type StartOptions,
} from '../runtime.ts';
import type { KubernetesApi } from './kubernetesApi.ts';
import type { PodCleaner } from './podCleaner.ts';
import { execFailure, isRefused, requestFailure, type PullAttempt } from './podFailure.ts';
import { execInPod } from './podExec.ts';
import { PodLog } from './podLog.ts';
import { podState, pulledDigest, startProgress } from './podState.ts';
import type { PullState } from './podPulls.ts';
import type { PodObserver } from './podWatch.ts';

/** Time after the end of its grace in which a node has to confirm the end of a pod, in ms. Nodes report every 10 s. */
const CONFIRM_MS = 15_000;
const SECOND_MS = 1_000;

export interface PodRunOptions {
  readonly api: KubernetesApi;
  readonly clock: Clock;
  readonly cleaner: PodCleaner;
  /** Name of the pod. */
  readonly name: string;
  readonly handle: RunHandle;
  readonly attempt: PullAttempt;
  /** Digest that the pod was created with; omitted if the node resolves the tag of the image. */
  readonly pinned: ImageDigest | undefined;
  readonly start: Pick<StartOptions, 'onProgress' | 'onOutput' | 'onImage' | 'onReachable'>;
  /** Position in the log from which output is delivered; omitted for all of it. */
  readonly position?: OutputPosition;
  /** Whether the worker had ended before this platform followed it. Default: no. */
  readonly hadEnded?: boolean;
  /** Called if the worker is left for the next platform. */
  readonly onLeft: () => void;
}

/** The run of a worker in a pod, as the states of the pod report it. */
export class PodRun implements PodObserver, RunningWorker {
  readonly handle: RunHandle;
  readonly label: string;
  /** Resolves once the worker runs or has run. Rejects with a StartError. */
  readonly started: Promise<void>;
  readonly exited: Promise<ProcessExit>;
  readonly hadEnded: boolean;
  readonly #options: PodRunOptions;
  readonly #started = Promise.withResolvers<void>();
  readonly #exited = Promise.withResolvers<ProcessExit>();
  #phase: 'starting' | 'running' | 'ended' | 'failed' = 'starting';
  #pod: Pod | undefined;
  /** What its node reports about its image. Undefined until the cluster has told whether it reports it. */
  #pull: PullState | undefined;
  /** Progress that the pod itself shows. */
  #shown: StartProgress | undefined;
  /** The last reported progress, as JSON. */
  #told: string | undefined;
  #log: PodLog | undefined;
  /** Why the state of the worker is unknown. */
  readonly #unknown: { cluster?: string | undefined; node?: string | undefined } = {};
  #reported: string | undefined;
  /** Whether the tag meant another image when the first worker of the release started. */
  #isOtherImage = false;
  #cancelConfirm: (() => void) | undefined;
  #isAbandoned = false;
  /** Aborted once the worker has ended or is left. */
  readonly #over = new AbortController();

  constructor(options: PodRunOptions) {
    this.#options = options;
    this.hadEnded = options.hadEnded ?? false;
    this.handle = options.handle;
    this.label = `pod ${options.name}`;
    this.started = this.#started.promise;
    this.exited = this.#exited.promise;
    // The start may have been given up in the meantime.
    this.started.catch(() => undefined);
  }

  /** Whether the worker runs or has run. */
  get hasRun(): boolean {
    return this.#phase === 'running' || this.#phase === 'ended';
  }

  onPod(pod: Pod): void {
    if (this.#isOver) return;
    this.#pod = pod;
    const state = podState(pod, this.#options.attempt, this.#phase === 'running');
    switch (state.kind) {
      case 'pending':
        this.#shown = state.progress;
        this.#tellProgress();
        break;
      case 'failed':
        this.#fail(state.error);
        break;
      case 'running':
        this.#run(pod);
        // The cluster gives up a pod whose node does not report. Its tolerations define when.
        if (state.silent !== undefined && pod.metadata?.deletionTimestamp) this.#lose();
        else this.#setUnknown({ node: state.silent });
        break;
      case 'ended':
        this.#run(pod);
        this.#end(state.exit);
        break;
      case 'lost':
        this.#run(pod);
        this.#lose();
        break;
    }
    if (pod.metadata?.deletionTimestamp) this.#awaitEnd(pod.metadata.deletionGracePeriodSeconds ?? 0);
  }

  /** Called with what the node of the pod reports about its image. */
  onPull(state: PullState): void {
    this.#pull = state;
    this.#tellProgress();
  }

  onGone(): void {
    if (this.#phase === 'running') {
      this.#log?.abandon();
      this.#end(UNKNOWN_EXIT);
    } else this.#fail(new StartError('the pod was deleted before its node reported that the worker runs.'));
  }

  onReachable(error: Error | undefined): void {
    if (this.#phase === 'starting' && error && isRefused(error)) {
      const { name: server, namespace } = this.#options.api;
      this.#fail(error instanceof EngineError ? requestFailure(error, { server, namespace }) : error);
    } else this.#setUnknown({ cluster: error?.message });
  }

  address(port: number): Promise<Address> {
    const host = this.#pod?.status?.podIP;
    if (host === undefined) return Promise.reject(new Error(`the ${this.label} has no address`));
    return Promise.resolve({ host, port });
  }

  async exec(request: ExecRequest, signal: AbortSignal): Promise<ExecSession> {
    const { api, name, clock } = this.#options;
    if (this.#isOver) throw new ExecError('ended', `the ${this.label} has ended`);
    try {
      return await execInPod({ api, pod: name, clock, ended: this.#over.signal }, request, signal);
    } catch (error) {
      throw error instanceof EngineError ? execFailure(error, this.#isOver) : error;
    }
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#isAbandoned) return;
    if (!this.#isOver) {
      const { cleaner, name } = this.#options;
      const ended = new AbortController();
      void this.#exited.promise.then(() => ended.abort());
      // Kubernetes counts in seconds, and 0 would not wait for the end of the worker.
      const graceSeconds = Math.max(1, Math.ceil(graceMs / SECOND_MS));
      await Promise.race([cleaner.deletePod(name, graceSeconds, ended.signal).catch(() => undefined), this.exited]);
    }
    await this.exited;
  }

  leave(): void {
    this.abandon();
    this.#options.onLeft();
  }

  freeze(): Promise<void> {
    return this.stop(0);
  }

  thaw(): Promise<void> {
    return Promise.resolve();
  }

  /** Stops following the worker, because the platform stops. From then on, neither output nor the exit is reported. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#over.abort();
    this.#log?.abandon();
    this.#cancelConfirm?.();
  }

  #tellProgress(): void {
    if (this.#phase !== 'starting') return;
    const progress = startProgress(this.#shown, this.#pull);
    const text = progress && JSON.stringify(progress);
    if (!progress || text === this.#told) return;
    this.#told = text;
    this.#options.start.onProgress(progress);
  }

  get #isOver(): boolean {
    return this.#phase === 'ended' || this.#phase === 'failed';
  }

  /** Called with each state of a container that runs or has run. */
  #run(pod: Pod): void {
    if (this.#phase !== 'starting') return;
    const { api, clock, name, start, cleaner, position } = this.#options;
    try {
      this.#isOtherImage = this.#differsFromRelease(pod);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#phase = 'running';
    const onOutput: StartOptions['onOutput'] = (...output) => {
      if (!this.#isAbandoned) start.onOutput(...output);
    };
    this.#log = new PodLog({ api, clock, name, position, onOutput });
    this.#started.resolve();
    // The worker may have taken a job, so its run ends like any other. The next run gets the pinned image.
    if (this.#isOtherImage) cleaner.remove(name, 1);
  }

  /**
   * Reports the image of the pod. A node resolves the tag of an image itself, so workers that start at the same time can differ if the tag
   * moves. A pinned image is not compared, because a node may know it by the digest of another repository, too.
   *
   * @throws the store's error
   */
  #differsFromRelease({ status }: Pod): boolean {
    const { pinned, start } = this.#options;
    const digest = pinned ?? pulledDigest(status?.containerStatuses?.[0]?.imageID);
    return digest !== undefined && start.onImage(digest) !== digest;
  }

  #fail(error: Error): void {
    this.#phase = 'failed';
    this.#cancelConfirm?.();
    this.#started.reject(error);
  }

  /** The worker may still run on its node, so its log cannot be read to the end. */
  #lose(): void {
    this.#log?.abandon();
    this.#end({ ...UNKNOWN_EXIT, reason: 'nodeLost' });
  }

  #end(exit: ProcessExit): void {
    if (this.#isOver) return;
    this.#phase = 'ended';
    this.#over.abort();
    this.#cancelConfirm?.();
    this.#log?.end();
    void this.#finish(exit);
  }

  async #finish(exit: ProcessExit): Promise<void> {
    const { cleaner, name } = this.#options;
    await this.#log?.done;
    if (this.#isAbandoned) return;
    // A lost node removes the worker when it is back, so the pod must remain until then.
    const isConfirmed = exit.reason !== 'nodeLost';
    cleaner.remove(name, isConfirmed ? 0 : 1);
    this.#exited.resolve(this.#isOtherImage ? { ...exit, reason: 'otherImage' } : exit);
  }

  /** Gives up a pod whose end is not confirmed in time. */
  #awaitEnd(graceSeconds: number): void {
    if (this.#cancelConfirm || this.#isOver) return;
    const ms = graceSeconds * SECOND_MS + CONFIRM_MS;
    this.#cancelConfirm = this.#options.clock.after(ms, () => {
      if (this.#phase === 'running') this.#lose();
      else if (this.#phase === 'starting')
        this.#fail(new StartError('the pod was deleted before its node reported that the worker runs.'));
    });
  }

  #setUnknown(change: { cluster?: string | undefined; node?: string | undefined }): void {
    Object.assign(this.#unknown, change);
    const reason = this.#unknown.cluster ?? this.#unknown.node;
    if (reason === this.#reported || this.#isOver) return;
    this.#reported = reason;
    this.#options.start.onReachable(reason);
  }
}
