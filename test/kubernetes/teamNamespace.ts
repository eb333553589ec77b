import { createReadStream, readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { build, repository } from '../../scripts/editor/build.ts';
import { buildImage } from '../../scripts/image/buildImage.ts';
import { USER_ID } from '../../scripts/image/imageConfig.ts';
import { newToken } from '../../src/platform/ids.ts';
import {
  bindVolume,
  giveToken,
  lacksServices,
  lacksStorage,
  lacksTokens,
  ServiceProxy,
  type PodSpec,
} from './bareCluster.ts';
import { cluster, needsCluster, nodeEngines } from './cluster.ts';
import { apply, hasKubectl, kubectl } from './kubectl.ts';

/** Name of the Deployment, and of the objects that belong to it. */
export const NAME = 'cloud-compute-platform';
const SELECTOR = `--selector=app.kubernetes.io/name=${NAME}`;
const TIMEOUT = '--timeout=180s';

/** Tags of the image on the nodes: that of the files, and the one of an upgrade. */
const { version: VERSION } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8')) as {
  version: string;
};
const UPGRADED = 'upgraded';

let loaded: Promise<void> | undefined;

/** Skips the tests without a cluster on which the deployment can run, and gives the image of the platform to its nodes. */
export function needsDeployment(): void {
  needsCluster();
  before(async function () {
    this.timeout(5 * 60_000);
    if (nodeEngines().length === 0 || !(await hasKubectl())) this.skip();
    loaded ??= loadPlatform();
    await loaded;
  });
}

async function loadPlatform(): Promise<void> {
  await build();
  const directory = await mkdtemp(path.join(tmpdir(), 'cloud-compute-image-'));
  const output = path.join(directory, 'image.tar');
  const name = `docker.io/library/${NAME}:${VERSION}`;
  await buildImage({ dist: path.join(repository, 'dist'), node: process.execPath, name, output });
  await loadOnNodes(output);
  await rm(directory, { recursive: true });
  const query = { repo: NAME, tag: UPGRADED };
  const request = { method: 'POST', path: `/v1.41/images/${NAME}:${VERSION}/tag`, query } as const;
  await Promise.all(nodeEngines().map((engine) => engine.json(request)));
}

/** Adds the image of an archive to the nodes. */
async function loadOnNodes(archive: string): Promise<void> {
  const headers = { 'Content-Type': 'application/x-tar' };
  const request = { method: 'POST', path: '/v1.41/images/load', query: { quiet: true }, headers } as const;
  for (const engine of nodeEngines()) {
    for await (const line of engine.lines<{ error?: string }>({ ...request, body: createReadStream(archive) })) {
      if (line.error !== undefined) throw new Error(line.error);
    }
  }
}

/** Members of the objects in deploy/kubernetes that the tests change. */
interface Deployed {
  readonly kind: string;
  readonly metadata: { namespace?: string };
  readonly data?: { PUBLIC_URL: string };
  readonly subjects?: readonly { namespace?: string }[];
  readonly spec: { readonly template: { readonly spec: PodSpec } };
}

interface PlatformPod {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly status: { readonly podIP?: string; readonly containerStatuses?: readonly { readonly ready: boolean }[] };
}

/** Pause between two looks at the pods of the platform, in ms. */
const FOLLOW_MS = 100;

/** A namespace with the deployment of deploy/kubernetes. */
export class TeamNamespace {
  readonly name = `team-${newToken()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, 12)}`;
  #isCreated = false;
  #volume: string | undefined;
  readonly #callers = new ServiceProxy(8787);
  readonly #workers = new ServiceProxy(8788);
  #url = '';
  #following: Promise<void> | undefined;
  readonly #removed = new AbortController();

  /** Runs kubectl in the namespace. */
  kubectl(args: readonly string[]): Promise<string> {
    return kubectl(['--namespace', this.name, ...args]);
  }

  /** Deploys the platform. The nodes must have its image. @param directory for the data, on a cluster that creates no volumes */
  async deploy(directory: string): Promise<void> {
    await kubectl(['create', 'namespace', this.name]);
    this.#isCreated = true;
    const text = await kubectl(['kustomize', path.join(repository, 'deploy', 'kubernetes')]);
    const objects = parseAllDocuments(text).map((document) => document.toJS() as Deployed);
    this.#url = await this.#callers.open();
    for (const { kind, metadata, data, subjects = [], spec } of objects) {
      for (const place of [metadata, ...subjects]) place.namespace = this.name;
      if (data) data.PUBLIC_URL = this.#url;
      if (kind !== 'Deployment') continue;
      const pod = spec.template.spec;
      // Only the nodes have the image of the worker.
      pod.containers[0].args.push('--kube-node-images');
      if (await lacksTokens()) await giveToken(this.name, pod);
      if (await lacksServices()) {
        // The last value of a flag counts.
        pod.containers[0].args.push(`--kube-worker-url=${await this.#workers.open()}`);
      }
    }
    await apply(this.name, objects);
    this.#following = this.#follow();
    if (!(await lacksStorage())) return;
    this.#volume = this.name;
    await chown(directory, USER_ID, USER_ID);
    await bindVolume(this.name, { claim: NAME, volume: this.#volume, directory });
  }

  /** Waits for the platform. Resolves with its address, which stays the same. */
  async ready(): Promise<string> {
    await this.kubectl(['rollout', 'status', `deployment/${NAME}`, TIMEOUT]);
    await this.#lead();
    return this.#url;
  }

  /** Replaces the platform by one with another image. */
  async upgrade(): Promise<void> {
    await this.kubectl(['set', 'image', `deployment/${NAME}`, `platform=${NAME}:${UPGRADED}`]);
    await this.ready();
  }

  /** Stops the platform. */
  async stop(): Promise<void> {
    await this.kubectl(['scale', `deployment/${NAME}`, '--replicas=0']);
    await this.kubectl(['wait', 'pods', SELECTOR, '--for=delete', TIMEOUT]);
  }

  /** Leads the Services to the pod that is ready, as a cluster does. */
  async #lead(): Promise<void> {
    const query = { labelSelector: `app.kubernetes.io/name=${NAME}` };
    const { items } = await cluster<{ items: PlatformPod[] }>(`/api/v1/namespaces/${this.name}/pods`, { query });
    const pod = items.find(
      ({ metadata, status }) => !metadata.deletionTimestamp && status.containerStatuses?.every(({ ready }) => ready),
    );
    await Promise.all([this.#callers, this.#workers].map((service) => service.leadTo(pod?.status.podIP)));
  }

  async #follow(): Promise<void> {
    while (!this.#removed.signal.aborted) {
      // An API that does not answer leaves the Services as they are.
      await this.#lead().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
    }
  }

  /** Kills the platform without a warning, and returns once its pod is gone. */
  async kill(): Promise<void> {
    await this.kubectl(['delete', 'pods', SELECTOR, '--force', '--grace-period=0', '--wait=true']);
  }

  /** Names of the pods of workers that were not deleted. A node can take minutes to confirm the end of a deleted pod. */
  async workerPods(): Promise<string[]> {
    const text = await this.kubectl(['get', 'pods', '--selector=cloud-compute/endpoint', '--output=json']);
    const { items } = JSON.parse(text) as { items: { metadata: { name: string; deletionTimestamp?: string } }[] };
    return items.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
  }

  async remove(): Promise<void> {
    this.#removed.abort();
    await this.#following;
    for (const service of [this.#callers, this.#workers]) service.close();
    if (!this.#isCreated) return;
    await kubectl(['delete', 'namespace', this.name, TIMEOUT]);
    if (this.#volume !== undefined) {
      await kubectl(['delete', 'persistentvolume', this.#volume, TIMEOUT]);
    }
  }
}
