import type { Secret } from 'kubernetes-types/core/v1.js';
import type { RegistryCredentials } from '../../domain/registry.ts';
import { imageReference } from './imageReference.ts';

/** Key of Docker Hub in configurations, by its history. */
const DOCKER_HUB = 'https://index.docker.io/v1/';

/** Returns the secret with which a node pulls an image. */
export function pullSecret(
  name: string,
  image: string,
  { labels, credentials: { username, password } }: { labels: Record<string, string>; credentials: RegistryCredentials },
): Secret {
  const { registry } = imageReference(image);
  const auth = Buffer.from(`${username}:${password}`).toString('base64');
  const config = { auths: { [registry === 'docker.io' ? DOCKER_HUB : registry]: { username, password, auth } } };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(JSON.stringify(config)).toString('base64') },
  };
}
