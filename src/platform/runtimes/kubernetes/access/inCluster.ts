import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ContextChoice, KubeContext } from './kubeconfig.ts';

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
