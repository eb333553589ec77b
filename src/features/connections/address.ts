import { withoutEndSlashes, type Addresses } from '../../client/connection.ts';
import { ENDPOINT_ID_PLACEHOLDER } from '../../contract/route.ts';

/** What is wrong with an address that a key is to be sent to: encrypted, or on this machine. */
export function addressProblem(text: string): string | undefined {
  const url = parse(text);
  if (!url) return 'An address starts with https://';
  if (url.username !== '' || url.password !== '') return 'An address has no user name or password in it';
  if (url.search !== '' || url.hash !== '') return 'An address ends with its path: without ? and #';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return undefined;
  return 'The key would travel unencrypted: use https://';
}

/** What is wrong with the address of load-balanced endpoints: each has one of its own, told by its id. */
export function endpointHostProblem(text: string): string | undefined {
  const problem = addressProblem(text);
  if (problem !== undefined) return problem;
  return text.includes(ENDPOINT_ID_PLACEHOLDER)
    ? undefined
    : `Needs ${ENDPOINT_ID_PLACEHOLDER} where an endpoint’s id is`;
}

/** The form addresses are kept in: without slashes at the end. */
export function normalAddress(text: string): string {
  return withoutEndSlashes(text.trim());
}

/**
 * All addresses of a platform, from any of them: of the management API, of one of its operations, of the queue or of load-balanced
 * endpoints. Nobody is guessed at another host: the key goes there only when a person says so.
 *
 * @param text an address without problem
 */
export function addressesFrom(text: string): Addresses {
  const baseUrl = normalAddress(text)
    .replace(`${ENDPOINT_ID_PLACEHOLDER}.`, '')
    .replace(/\/endpoints\/.*$/s, '')
    .replace(/(\/queue)?\/v[12](\/.*)?$/s, '');
  // A local platform that was started in a terminal has everything on one port.
  const url = parse(baseUrl);
  const queueUrl = url && isLoopback(url) ? `${baseUrl}/queue/v2` : `${baseUrl}/v2`;
  return { baseUrl, restUrl: baseUrl, queueUrl, endpointHost: endpointHostFrom(queueUrl) };
}

/** Where load-balanced endpoints are, when the queue is there. */
export function endpointHostFrom(queueUrl: string): string {
  const base = normalAddress(queueUrl).replace(/(\/queue)?\/v2$/, '');
  const url = parse(base);
  return url && isLoopback(url)
    ? `${base}/endpoints/${ENDPOINT_ID_PLACEHOLDER}`
    : base.replace('://', `://${ENDPOINT_ID_PLACEHOLDER}.`);
}

function parse(text: string): URL | null {
  // A placeholder in the host would not parse as one.
  return URL.parse(text.trim().replaceAll(ENDPOINT_ID_PLACEHOLDER, 'endpoint'));
}

function isLoopback({ hostname }: URL): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
