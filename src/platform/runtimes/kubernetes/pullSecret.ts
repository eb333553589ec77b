import type { Secret } from 'kubernetes-types/core/v1.js';
import type { RegistryCredentials } from '../../domain/registry.ts';
import { credentialAddress } from '../../../contract/imageReference.ts';
import { referenceOf } from '../imageReference.ts';

/** Returns the secret with which a node pulls an image. @throws StartError for an invalid reference of an image */
export function pullSecret(
  name: string,
  image: string,
  { labels, credentials: { username, password } }: { labels: Record<string, string>; credentials: RegistryCredentials },
): Secret {
  const auth = Buffer.from(`${username}:${password}`).toString('base64');
  const config = { auths: { [credentialAddress(referenceOf(image))]: { username, password, auth } } };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(JSON.stringify(config)).toString('base64') },
  };
}
