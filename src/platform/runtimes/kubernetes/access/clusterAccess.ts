import { readFile } from 'node:fs/promises';
import type { Clock } from '../../../time/clock.ts';
import type { ClientCertificate, EngineConnection } from '../../engineApi.ts';
import { StartError } from '../../runtime.ts';
import { configFiles } from './configFiles.ts';
import { ExecCredential } from './execCredential.ts';
import { inCluster } from './inCluster.ts';
import { contextIn, type ContextChoice, type KubeContext, type Pem, type User } from './kubeconfig.ts';

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
