import type { Logger } from 'pino';
import type { Pod } from 'kubernetes-types/core/v1.js';
import type { Clock } from '../../time/clock.ts';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import type { OpenRuns } from '../leftoverSchedule.ts';
import { Backoff } from '../backoff.ts';
import type { ImageDigest, RunSpec } from '../runSpec.ts';
import { StartError, type AdoptOptions, type RunningWorker, type StartOptions, type WorkerGate } from '../runtime.ts';
import type { ClusterAccess } from './access/clusterAccess.ts';
import type { ContextChoice } from './access/kubeconfig.ts';
import { KubernetesApi } from './kubernetesApi.ts';
import { localAddress } from './localAddress.ts';
import { PodCleaner } from './podCleaner.ts';
import { isRefused, requestFailure, type PullAttempt } from './podFailure.ts';
import {
  handleOf,
  podName,
  type KubernetesHandle,
  isOfRun,
  labelValue,
  ownerSelector,
  podLabels,
  runSelector,
  runValue,
} from './podIdentity.ts';
import { PodRun, type PodRunOptions } from './podRun.ts';
import { hasVariablesOf, imageOf, podOf, pullSecret, type VolumeClaim } from './podSpec.ts';
import { podState } from './podState.ts';
import { PodPulls } from './podPulls.ts';
import { PodWatch } from './podWatch.ts';
import { untilAborted } from '../../time/clock.ts';

export interface KubernetesOptions extends ContextChoice {
  /** Waits in real time. */
  readonly clock: Clock;
  readonly log: Logger;
  /** Identifies the data of the platform, and labels its pods. */
  readonly owner: string;
  readonly gate: WorkerGate;
  /** Address at which pods reach this machine. Default: the address of this machine on its way to the cluster. */
  readonly workerHost?: string | undefined;
  /** Address of a Service that leads to the gate. Without it, pods connect to `workerHost`, so those of another address are not adopted. */
  readonly workerUrl?: URL | undefined;
  /** Capabilities of workers that the owner of the platform allows in addition. */
  readonly capabilities?: readonly string[] | undefined;
  /** Claim with the volumes of the platform. Without it, endpoints with volumes cannot start. */
  readonly volumeClaim?: VolumeClaim | undefined;
  /** `ifNotPresent` runs images that only the nodes have. Default: `always`, because a node with an image would run it for any account. */
  readonly imagePull?: 'always' | 'ifNotPresent' | undefined;
  /** Time after which the workers of an unreachable node are replaced, in seconds. Default: 30. */
  readonly nodeLossSeconds?: number | undefined;
  /** Contains `KUBECONFIG`. */
  readonly environment: NodeJS.ProcessEnv;
}

/** The fields of pods and secrets that matter. */
type Listed = Pick<Pod, 'metadata'>;

const FORBIDDEN = 403;
const NODE_LOSS_SECONDS = 30;
/** Time in which the end of a pod whose start was aborted is expected, in ms. The deletion continues after it. */
const ABORT_MS = 10_000;

/** The workers of a platform on a cluster. */
export class KubernetesCluster {
  readonly #options: KubernetesOptions;
  readonly #api: KubernetesApi;
  readonly #watch: PodWatch;
  readonly #pulls: PodPulls;
  readonly #cleaner: PodCleaner;
  /** Names of pods by their runs. */
  readonly #runs = new Map<PodRun, string>();
  /** Runs with secrets that failed to start. A request that was given up can still create the secret. */
  readonly #failed = new Set<string>();

  constructor(access: ClusterAccess, options: KubernetesOptions) {
    const { clock, log, owner } = options;
    this.#options = options;
    this.#api = new KubernetesApi(access, clock);
    this.#pulls = new PodPulls(this.#api, clock);
    this.#watch = new PodWatch(this.#api, { selector: ownerSelector(owner), clock });
    this.#cleaner = new PodCleaner(this.#api, { clock, log });
  }

  async start(spec: RunSpec, start: StartOptions): Promise<RunningWorker> {
    const { signal } = start;
    const protocolUrl = await this.#openGate(signal);
    signal.throwIfAborted();
    const name = podName(spec.labels.runId);
    const pod = this.#podOf(spec, protocolUrl);
    const { run, release } = this.#follow(spec, { start });
    const stopPull = this.#pulls.observe(name, (state) => run.onPull(state));
    void run.started.catch(() => undefined).finally(stopPull);
    try {
      await this.#create(spec, { name, pod, signal });
      this.#watch.created(name);
      await untilAborted(run.started, signal);
    } catch (error) {
      if (signal.aborted && (await this.#hasRunDespite(name, run))) {
        void run.exited.finally(release);
        return run;
      }
      release();
      stopPull();
      this.#cleaner.remove(name, 1);
      if (spec.registry) this.#failed.add(spec.labels.runId);
      throw signal.aborted ? signal.reason : this.#failure(error);
    }
    if (spec.registry) this.#cleaner.removeSecret(name);
    void run.exited.finally(release);
    return run;
  }

  /** See `Runtime.adopt`. */
  async adopt(
    { namespace }: KubernetesHandle,
    spec: RunSpec,
    options: AdoptOptions,
  ): Promise<RunningWorker | undefined> {
    if (namespace !== null && namespace !== this.#api.namespace) return undefined;
    const { signal, onReachable } = options;
    const backoff = new Backoff(this.#options.clock);
    for (let isLost = false; ;) {
      try {
        const run = await this.#adopt(spec, options);
        if (isLost) onReachable(undefined);
        return run;
      } catch (error) {
        signal.throwIfAborted();
        if (!isUnreachable(error)) return undefined;
        isLost = true;
        onReachable(error.message);
        await backoff.pause(signal);
      }
    }
  }

  /** Ends the pods of these runs. @throws EngineError */
  async endOrphans(handles: readonly KubernetesHandle[]): Promise<number> {
    const namespaces = Map.groupBy(handles, ({ namespace }) => namespace ?? this.#api.namespace);
    let ended = 0;
    for (const [namespace, inNamespace] of namespaces) {
      ended += await this.#endIn(namespace, inNamespace);
    }
    return ended;
  }

  /** Resolves once the cluster answers. Rejects if it does not. */
  probe(signal: AbortSignal): Promise<void> {
    return this.#api.probe(signal);
  }

  /** Removes the pods and secrets of this platform that belong to no open run. @throws EngineError */
  async sweep(openRuns: OpenRuns): Promise<void> {
    const selector = ownerSelector(this.#options.owner);
    const { items: pods } = await this.#api.listPods(selector);
    const { items: secrets } = await this.#api.listSecrets(selector).catch((error: unknown) => {
      // The permission is optional, because it lets the platform read all secrets of the namespace.
      if (error instanceof EngineError && error.status === FORBIDDEN) return { items: [] };
      throw error;
    });
    const open = new Set([...openRuns()].map(labelValue));
    const leftIn = (items: readonly Listed[]): string[] =>
      items.flatMap(({ metadata: { name, labels, deletionTimestamp } = {} }) =>
        name !== undefined && deletionTimestamp === undefined && !open.has(runValue(labels)) ? name : [],
      );
    for (const name of leftIn(pods)) await this.#api.deletePod(name, 1);
    const unlisted = [...this.#failed].filter((runId) => !open.has(labelValue(runId)));
    for (const name of new Set([...leftIn(secrets), ...unlisted.map(podName)])) await this.#api.deleteSecret(name);
    for (const runId of unlisted) this.#failed.delete(runId);
  }

  async close(): Promise<void> {
    this.#watch.close();
    this.#pulls.close();
    for (const [run, name] of this.#runs) {
      run.abandon();
      this.#cleaner.remove(name, 1);
    }
    await this.#cleaner.close();
  }

  #podOf(spec: RunSpec, protocolUrl: string): Pod {
    const name = podName(spec.labels.runId);
    return podOf(spec, {
      ...{ name, protocolUrl, image: imageOf(spec), pullPolicy: this.#pullPolicy(spec) },
      ...(spec.registry && { pullSecret: name }),
      ...{ volumeClaim: this.#options.volumeClaim, capabilities: this.#options.capabilities },
      nodeLossSeconds: this.#options.nodeLossSeconds ?? NODE_LOSS_SECONDS,
    });
  }

  /** Follows the pod of a run until `release`. */
  #follow(
    spec: RunSpec,
    rest: Pick<PodRunOptions, 'start' | 'position' | 'hadEnded'>,
  ): { run: PodRun; release: () => void } {
    const { runId } = spec.labels;
    const name = podName(runId);
    const run = new PodRun({
      ...{ api: this.#api, clock: this.#options.clock, cleaner: this.#cleaner, name, ...rest },
      handle: handleOf(runId, this.#api.namespace),
      attempt: attemptOf(spec),
      pinned: spec.pinned,
      onLeft: () => release(),
    });
    const stopObserving = this.#watch.observe(name, run);
    this.#runs.set(run, name);
    const release = (): void => {
      stopObserving();
      this.#runs.delete(run);
    };
    return { run, release };
  }

  async #adopt(
    spec: RunSpec,
    { position, signal, onOutput, onReachable }: AdoptOptions,
  ): Promise<RunningWorker | undefined> {
    const expected = this.#podOf(spec, await this.#openGate(signal));
    const { items } = await this.#api.listPods(runSelector(spec.labels), { signal });
    const [pod] = items;
    if (!pod || pod.metadata?.deletionTimestamp !== undefined || !hasVariablesOf(pod, expected)) return undefined;
    const { kind } = podState(pod, attemptOf(spec), false);
    if (kind !== 'running' && kind !== 'ended') return undefined;
    signal.throwIfAborted();
    const start = { onOutput, onReachable, onProgress: () => undefined, onImage: (digest: ImageDigest) => digest };
    const { run, release } = this.#follow(spec, { start, position, hadEnded: kind === 'ended' });
    void run.exited.finally(release);
    this.#watch.created(podName(spec.labels.runId));
    run.onPod(pod);
    return run;
  }

  async #endIn(namespace: string, handles: readonly KubernetesHandle[]): Promise<number> {
    const { owner } = this.#options;
    const { items } = await this.#api.listPods(ownerSelector(owner), { namespace });
    const found = items.filter(
      ({ metadata }) =>
        metadata?.deletionTimestamp === undefined &&
        handles.some(({ runId }) => isOfRun(metadata?.labels, owner, runId)),
    );
    for (const { metadata: { name = '' } = {} } of found) {
      await this.#api.deletePod(name, 1, { namespace });
    }
    // A secret is created before its pod, so there may be no pod.
    for (const { runId } of handles) await this.#api.deleteSecret(podName(runId), { namespace });
    return found.length;
  }

  async #openGate(signal: AbortSignal): Promise<string> {
    const { gate, workerHost, workerUrl } = this.#options;
    const url = await gate.open(workerHost ?? (await localAddress(this.#api.connection, signal)));
    return workerUrl ? new URL(new URL(url).pathname, workerUrl).href : url;
  }

  /** A node that has an image runs it even without the credentials for it, unless it asks the registry. */
  #pullPolicy({ registry }: RunSpec): 'Always' | 'IfNotPresent' {
    return this.#options.imagePull === 'ifNotPresent' && !registry ? 'IfNotPresent' : 'Always';
  }

  async #create(spec: RunSpec, { name, pod, signal }: { name: string; pod: Pod; signal: AbortSignal }): Promise<void> {
    const { registry, labels } = spec;
    if (registry) {
      const secret = pullSecret(name, imageOf(spec), {
        labels: podLabels(labels),
        credentials: registry.credentials(),
      });
      await this.#api.createSecret(secret, signal);
    }
    const { metadata } = await this.#api.createPod(pod, signal);
    if (registry) await this.#api.giveSecret(name, { name, uid: metadata?.uid ?? '' });
  }

  /** Ends a pod whose start was aborted. Resolves with true if its worker has run, because it may have taken work then. */
  async #hasRunDespite(name: string, run: PodRun): Promise<boolean> {
    this.#cleaner.remove(name, 1);
    const over = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(ABORT_MS, over.resolve);
    await Promise.race([run.started.catch(() => undefined), over.promise]);
    cancel();
    return run.hasRun;
  }

  #failure(error: unknown): unknown {
    const { name: server, namespace } = this.#api;
    return error instanceof EngineError ? requestFailure(error, { server, namespace }) : error;
  }
}

function attemptOf(spec: RunSpec): PullAttempt {
  return { image: imageOf(spec), hasCredentials: spec.registry !== undefined };
}

/** Whether a cluster does not answer. The pods can run in the meantime. */
function isUnreachable(error: unknown): error is EngineError | StartError {
  if (error instanceof StartError) return error.problem === 'engineUnreachable';
  return error instanceof EngineError && !isRefused(error);
}
