import type { Logger } from 'pino';
import type { Pod } from 'kubernetes-types/core/v1.js';
import type { Clock } from '../../time/clock.ts';
import { EngineError } from '../engineApi.ts';
import type { OpenRuns } from '../leftoverSchedule.ts';
import type { RunSpec } from '../runSpec.ts';
import type { RunningWorker, StartOptions } from '../runtime.ts';
import type { WorkerGate } from '../workerGate.ts';
import type { ClusterAccess } from './access/clusterAccess.ts';
import type { ContextChoice } from './access/kubeconfig.ts';
import { KubernetesApi } from './kubernetesApi.ts';
import { handleOf, podName, type KubernetesHandle } from './kubernetesHandle.ts';
import { localAddress } from './localAddress.ts';
import { PodCleaner } from './podCleaner.ts';
import { requestFailure } from './podFailure.ts';
import { isOfRun, labelValue, ownerSelector, podLabels, runValue } from './podLabels.ts';
import { PodRun } from './podRun.ts';
import { imageOf, podOf } from './podSpec.ts';
import { PodWatch } from './podWatch.ts';
import { pullSecret } from './pullSecret.ts';
import type { VolumeClaim } from './volumeClaim.ts';

export interface KubernetesOptions extends ContextChoice {
  /** Waits in real time. */
  readonly clock: Clock;
  readonly log: Logger;
  /** Identifies the data of the platform, and labels its pods. */
  readonly owner: string;
  readonly gate: WorkerGate;
  /** Address at which pods reach this machine. Default: the address of this machine on its way to the cluster. */
  readonly workerHost?: string | undefined;
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
  readonly #cleaner: PodCleaner;
  readonly #runs = new Set<PodRun>();
  /** Runs with secrets that failed to start. A request that was given up can still create the secret. */
  readonly #failed = new Set<string>();

  constructor(access: ClusterAccess, options: KubernetesOptions) {
    const { clock, log, owner } = options;
    this.#options = options;
    this.#api = new KubernetesApi(access, clock);
    this.#watch = new PodWatch(this.#api, { selector: ownerSelector(owner), clock });
    this.#cleaner = new PodCleaner(this.#api, { clock, log });
  }

  async start(spec: RunSpec, start: StartOptions): Promise<RunningWorker> {
    const { signal } = start;
    const protocolUrl = await this.#openGate(signal);
    signal.throwIfAborted();
    const name = podName(spec.labels.runId);
    const image = imageOf(spec);
    const pod = podOf(spec, {
      ...{ name, protocolUrl, image, pullPolicy: this.#pullPolicy(spec) },
      ...(spec.registry && { pullSecret: name }),
      ...{ volumeClaim: this.#options.volumeClaim, capabilities: this.#options.capabilities },
      nodeLossSeconds: this.#options.nodeLossSeconds ?? NODE_LOSS_SECONDS,
    });
    const run = new PodRun({
      ...{ api: this.#api, clock: this.#options.clock, cleaner: this.#cleaner, name, start },
      handle: handleOf(spec.labels.runId, this.#api.namespace),
      attempt: { image, hasCredentials: spec.registry !== undefined },
      pinned: spec.pinned,
    });
    const stopObserving = this.#watch.observe(name, run);
    this.#runs.add(run);
    const release = (): void => {
      stopObserving();
      this.#runs.delete(run);
    };
    try {
      await this.#create(spec, { name, image, pod, signal });
      this.#watch.created(name);
      await startedOrAborted(run, signal);
    } catch (error) {
      if (signal.aborted && (await this.#hasRunDespite(name, run))) {
        void run.exited.finally(release);
        return run;
      }
      release();
      this.#cleaner.remove(name, 1);
      if (spec.registry) this.#failed.add(spec.labels.runId);
      throw signal.aborted ? signal.reason : this.#failure(error);
    }
    if (spec.registry) this.#cleaner.removeSecret(name);
    void run.exited.finally(release);
    return run;
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
    for (const run of this.#runs) run.abandon();
    await this.#cleaner.close();
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
    const { gate, workerHost } = this.#options;
    return gate.open(workerHost ?? (await localAddress(this.#api.connection, signal)));
  }

  /** A node that has an image runs it even without the credentials for it, unless it asks the registry. */
  #pullPolicy({ registry }: RunSpec): 'Always' | 'IfNotPresent' {
    return this.#options.imagePull === 'ifNotPresent' && !registry ? 'IfNotPresent' : 'Always';
  }

  async #create(
    { registry, labels }: RunSpec,
    {
      name,
      image,
      pod,
      signal,
    }: { name: string; image: string; pod: Parameters<KubernetesApi['createPod']>[0]; signal: AbortSignal },
  ): Promise<void> {
    if (registry) {
      const secret = pullSecret(name, image, { labels: podLabels(labels), credentials: registry.credentials() });
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

async function startedOrAborted(run: PodRun, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await Promise.race([run.started, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
