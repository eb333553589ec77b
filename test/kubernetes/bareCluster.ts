import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type ListenOptions, type Server, type Socket } from 'node:net';
import { EngineApi } from '../../src/machine/engine/engineApi.ts';
import { clusterAccess } from '../../src/platform/runtimes/kubernetes/access/clusterAccess.ts';
import { localAddress } from '../../src/platform/runtimes/kubernetes/localAddress.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { apply, kubectl } from './kubectl.ts';

/* Does the work of the controllers that a small test cluster lacks, so that the deployment runs there unchanged. */

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const CONFIG_MAP = 'cluster';
const CAPACITY = { storage: '20Gi' };
const ACCESS_MODES = ['ReadWriteOnce'];

/** The part of a pod that changes. */
export interface PodSpec {
  readonly containers: readonly [{ readonly args: string[]; readonly env: object[]; readonly volumeMounts: object[] }];
  readonly volumes: object[];
}

/** Whether the cluster gives pods no token of their service account. */
export async function lacksTokens(): Promise<boolean> {
  const accounts = await kubectl(['--namespace', 'kube-system', 'get', 'serviceaccounts', '--output=name']);
  return accounts.trim() === '';
}

/** Mounts a token of the service account in a pod, and names the address of the cluster, as Kubernetes does. */
export async function giveToken(namespace: string, { containers: [container], volumes }: PodSpec): Promise<void> {
  const { connection } = await clusterAccess({ environment: process.env, clock: systemClock });
  const { host, port, ca } = connection.options;
  await apply(namespace, [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: CONFIG_MAP }, data: { 'ca.crt': ca } },
  ]);
  const sources = [
    { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
    { configMap: { name: CONFIG_MAP } },
    { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
  ];
  volumes.push({ name: 'service-account', projected: { sources } });
  container.volumeMounts.push({ name: 'service-account', mountPath: SERVICE_ACCOUNT, readOnly: true });
  const variables = { KUBERNETES_SERVICE_HOST: host ?? '', KUBERNETES_SERVICE_PORT: String(port) };
  container.env.push(...Object.entries(variables).map(([name, value]) => ({ name, value })));
}

/** Whether the cluster has no DNS, so that pods do not find Services. */
export async function lacksServices(): Promise<boolean> {
  return (await kubectl(['--namespace', 'kube-system', 'get', 'services', '--output=name'])).trim() === '';
}

/** Stands in for a Service: listens on this machine, and passes connections on to a pod. Without one, it refuses connections. */
export class ServiceProxy {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #address: ListenOptions = { port: 0 };
  #server: Server | undefined;
  #pod: string | undefined;

  /** @param port port of the pod */
  constructor(port: number) {
    this.#port = port;
  }

  /** Resolves with its URL. */
  async open(): Promise<string> {
    const { connection } = await clusterAccess({ environment: process.env, clock: systemClock });
    const host = await localAddress(connection, AbortSignal.timeout(10_000));
    this.#address = { ...this.#address, host };
    await this.#listen();
    const { port } = this.#server?.address() as AddressInfo;
    this.#address = { host, port };
    return `http://${host}:${port}`;
  }

  /** Passes new connections on to this pod. Earlier ones stay. @param pod its address */
  async leadTo(pod: string | undefined): Promise<void> {
    if (this.#pod === pod) return;
    this.#pod = pod;
    if (pod === undefined) this.#stop();
    else if (!this.#server) await this.#listen();
  }

  close(): void {
    this.#stop();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #listen(): Promise<void> {
    this.#server = createServer((incoming) => this.#passOn(incoming)).listen(this.#address);
    await once(this.#server, 'listening');
  }

  #stop(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  #passOn(incoming: Socket): void {
    const outgoing = connect({ host: this.#pod, port: this.#port });
    for (const socket of [incoming, outgoing]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        incoming.destroy();
        outgoing.destroy();
      });
    }
    incoming.pipe(outgoing).pipe(incoming);
  }
}

/** Whether the cluster creates no volumes. */
export async function lacksStorage(): Promise<boolean> {
  return (await kubectl(['get', 'storageclasses', '--output=name'])).trim() === '';
}

/** Binds a claim to a directory of this machine, which the nodes share. @param volume name of the new volume */
export async function bindVolume(
  namespace: string,
  { claim, volume, directory }: { claim: string; volume: string; directory: string },
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${claim}`;
  // A missing controller would remove the finalizers once the claim is unused.
  const found = await patch<{ metadata: { uid: string } }>(path, {
    metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' }, finalizers: null },
    spec: { volumeName: volume },
  });
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: claim, namespace, uid: found.metadata.uid };
  const spec = { capacity: CAPACITY, accessModes: ACCESS_MODES, hostPath: { path: directory }, claimRef };
  await apply(namespace, [{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: volume }, spec }]);
  await patch(`/api/v1/persistentvolumes/${volume}`, { metadata: { finalizers: null } });
  await patch(`${path}/status`, { status: { phase: 'Bound', accessModes: ACCESS_MODES, capacity: CAPACITY } });
}

async function patch<T>(path: string, body: object): Promise<T> {
  const { connection } = await clusterAccess({ environment: process.env, clock: systemClock });
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  return new EngineApi(connection).json<T>({ method: 'PATCH', path, body, headers });
}
