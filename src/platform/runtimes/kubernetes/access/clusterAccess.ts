import { readFile } from 'node:fs/promises';
import type { Clock } from '../../../time/clock.ts';
import type { ClientCertificate, EngineConnection } from '../../../../machine/engine/engineApi.ts';
import { StartError } from '../../runtime.ts';
import { ExecCredential } from './execCredential.ts';
import { contextIn, type ContextChoice, type KubeContext, type Pem, type User, type ConfigFile } from './kubeconfig.ts';
import os from 'node:os';
import path from 'node:path';

/** Access to the API of a cluster. */
export interface ClusterAccess {
  readonly connection: EngineConnection;
  /** Begins every path, as of a proxy for several clusters. Empty for most clusters. */
  readonly pathPrefix: string;
  readonly namespace: string;
  /** Discards credentials that the cluster did not accept, so that the next request gets new ones. */
  renew(): void;
}

export interface ClusterAccessOptions extends ContextChoice {
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

/**
 * Finds the cluster as kubectl does: in the kubeconfig, or for a pod without one, its own cluster.
 *
 * @throws StartError with the reason and the remedy
 */
export async function clusterAccess(options: ClusterAccessOptions): Promise<ClusterAccess> {
  return accessOf(await contextOf(options), options);
}

async function contextOf({ environment, context, namespace }: ClusterAccessOptions): Promise<KubeContext> {
  const choice = { context, namespace };
  const files = await configFiles(environment);
  if (files.length > 0) return contextIn(files, choice);
  const own = await inCluster(environment, choice);
  if (own) return own;
  throw new StartError(
    'no kubeconfig was found, and the platform does not run in a cluster. Set KUBECONFIG, or create ~/.kube/config.',
    { problem: 'engineMissing' },
  );
}

async function accessOf(context: KubeContext, options: ClusterAccessOptions): Promise<ClusterAccess> {
  const { server, cluster, user, name, namespace } = context;
  const url = addressOf(server, name);
  const plugin = user.exec && new ExecCredential(user.exec, { cluster: context, ...options });
  const own = user.certificate && (await certificateOf(user.certificate));
  return {
    connection: {
      name: server,
      tls: url.protocol === 'https:',
      options: {
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
        ...(cluster.ca && { ca: await pemText(cluster.ca) }),
        ...(cluster.serverName !== undefined && { servername: cluster.serverName }),
        rejectUnauthorized: !cluster.insecure,
      },
      headers: async () => authorization(user, plugin),
      certificate: async () => own ?? (await plugin?.get())?.certificate,
    },
    pathPrefix: url.pathname.replace(/\/$/, ''),
    namespace,
    renew: () => plugin?.discard(),
  };
}

function addressOf(server: string, context: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new StartError(
    `the server ${server} of the context ${context} is not an address like https://host:6443. Correct the kubeconfig.`,
  );
}

async function authorization(user: User, plugin: ExecCredential | undefined): Promise<Record<string, string>> {
  const token = user.tokenFile ? (await fileText(user.tokenFile)).trim() : (user.token ?? (await plugin?.get())?.token);
  if (token) return { Authorization: `Bearer ${token}` };
  if (!user.basic) return {};
  const { username, password } = user.basic;
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

async function certificateOf({ cert, key }: NonNullable<User['certificate']>): Promise<ClientCertificate> {
  return { cert: await pemText(cert), key: await pemText(key) };
}

async function pemText(pem: Pem): Promise<string> {
  return 'text' in pem ? pem.text : fileText(pem.file);
}

async function fileText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new StartError(
      `${file}, which the kubeconfig names, cannot be read: ${(error as Error).message}. Correct it.`,
    );
  }
}

/**
 * Reads the files of `KUBECONFIG`, or `~/.kube/config`. Missing files are omitted, as kubectl does.
 *
 * @throws StartError if a file cannot be read
 */
export async function configFiles(environment: NodeJS.ProcessEnv): Promise<ConfigFile[]> {
  const listed = (environment['KUBECONFIG'] ?? '').split(path.delimiter).filter((file) => file !== '');
  const home = environment['HOME'] ?? environment['USERPROFILE'] ?? os.homedir();
  const files = listed.length > 0 ? listed : [path.join(home, '.kube', 'config')];
  const found = await Promise.all(files.map(read));
  return found.flatMap((file) => file ?? []);
}

async function read(file: string): Promise<ConfigFile | undefined> {
  try {
    return { path: file, text: await readFile(file, 'utf8') };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new StartError(`the kubeconfig ${file} cannot be read: ${message}. Check its permissions.`);
  }
}

/** Directory with the files of the service account in every pod. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Returns the access of a pod to its own cluster, or undefined outside a pod. The token is read for each request, because the cluster renews
 * its file.
 *
 * @param directory of the service account
 */
export async function inCluster(
  environment: NodeJS.ProcessEnv,
  choice: ContextChoice,
  directory = SERVICE_ACCOUNT,
): Promise<KubeContext | undefined> {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'];
  const tokenFile = path.join(directory, 'token');
  if (!host || !port || (await textIn(tokenFile)) === undefined) return undefined;
  const own = (await textIn(path.join(directory, 'namespace')))?.trim();
  return {
    name: 'of this pod',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: choice.namespace ?? (own === undefined || own === '' ? 'default' : own),
    cluster: { ca: { file: path.join(directory, 'ca.crt') }, insecure: false, serverName: undefined },
    user: { tokenFile, token: undefined, certificate: undefined, basic: undefined, exec: undefined },
  };
}

async function textIn(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
