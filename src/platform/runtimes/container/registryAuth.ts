import type { RegistryCredentials } from '../../domain/registry.ts';
import { credentialAddress, type ImageReference } from '../imageReference.ts';

/**
 * Returns the header with which an engine pulls an image. The encoding is base64url with padding: Docker ignores any other form, and then
 * pulls without credentials.
 */
export function registryAuth(
  reference: ImageReference,
  credentials: RegistryCredentials | undefined,
): Readonly<Record<string, string>> {
  if (!credentials) return {};
  const { username, password } = credentials;
  const auth = { username, password, serveraddress: credentialAddress(reference) };
  const text = Buffer.from(JSON.stringify(auth)).toString('base64');
  return { 'X-Registry-Auth': text.replaceAll('+', '-').replaceAll('/', '_') };
}
