import { createReadStream } from 'node:fs';
import { chown } from 'node:fs/promises';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repository } from '../../scripts/editor/build.ts';
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
import { nodeEngines } from './cluster.ts';
import { apply, kubectl } from './kubectl.ts';

/** Name of the Deployment, and of the objects that belong to it. */
export const NAME = 'cloud-compute-platform';
const SELECTOR = `--selector=app.kubernetes.io/name=${NAME}`;
const TIMEOUT = '--timeout=180s';

/** Adds the image of an archive to the nodes. */
export async function loadOnNodes(archive: string): Promise<void> {
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
  readonly subjects?: readonly { namespace?: string }[];
  readonly spec: { readonly template: { readonly spec: PodSpec } };
}

/** A namespace with the deployment of deploy/kubernetes. */
export class TeamNamespace {
  readonly name = `team-${newToken()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, 12)}`;
  #isCreated = false;
  #volume: string | undefined;
  #service: ServiceProxy | undefined;

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
    for (const { kind, metadata, subjects = [], spec } of objects) {
      for (const place of [metadata, ...subjects]) place.namespace = this.name;
      if (kind !== 'Deployment') continue;
      const pod = spec.template.spec;
      // Only the nodes have the image of the worker.
      pod.containers[0].args.push('--kube-node-images');
      if (await lacksTokens()) await giveToken(this.name, pod);
      if (await lacksServices()) {
        this.#service = new ServiceProxy();
        // The last value of a flag counts.
        pod.containers[0].args.push(`--kube-worker-url=${await this.#service.open()}`);
      }
    }
    await apply(this.name, objects);
    if (!(await lacksStorage())) return;
    this.#volume = this.name;
    await chown(directory, USER_ID, USER_ID);
    await bindVolume(this.name, { claim: NAME, volume: this.#volume, directory });
  }

  /** Waits for the platform. Resolves with its address, which this machine must be able to reach. */
  async ready(): Promise<string> {
    await this.kubectl(['rollout', 'status', `deployment/${NAME}`, TIMEOUT]);
    const ready = 'jsonpath={.items[?(@.status.containerStatuses[0].ready==true)].status.podIP}';
    const host = await this.kubectl(['get', 'pods', SELECTOR, `--output=${ready}`]);
    if (this.#service) this.#service.target = { host, port: 8788 };
    return `http://${host}:8787`;
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
    this.#service?.close();
    if (!this.#isCreated) return;
    await kubectl(['delete', 'namespace', this.name, TIMEOUT]);
    if (this.#volume !== undefined) {
      await kubectl(['delete', 'persistentvolume', this.#volume, TIMEOUT]);
    }
  }
}
