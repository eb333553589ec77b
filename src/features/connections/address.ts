import { ENDPOINT_ID_PLACEHOLDER } from '../../contract/route.ts';

/** What is wrong with an address that a key is to be sent to: encrypted, or on this machine. */
export function addressProblem(text: string): string | undefined {
  // A placeholder in the host would not parse as one.
  const url = URL.parse(text.trim().replaceAll(ENDPOINT_ID_PLACEHOLDER, 'endpoint'));
  if (!url) return 'An address starts with https://';
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) return undefined;
  return 'The key would travel unencrypted: use https://';
}
