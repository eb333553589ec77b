import * as l10n from '@vscode/l10n';
import { withoutEndSlashes, type Addresses } from '../../../client/connection.ts';
import { DATA_CENTER_MARK } from '../../../client/s3/s3Connection.ts';
import { ENDPOINT_ID_PLACEHOLDER } from '../../../contract/route.ts';

/** Returns why a key must not be sent to an address, or undefined. An address must be encrypted or on this machine. */
export function addressProblem(text: string): string | undefined {
  const url = parse(text);
  if (!url) return l10n.t('The address must start with https://');
  if (url.username !== '' || url.password !== '')
    return l10n.t('The address must not contain a user name or password.');
  if (url.search !== '' || url.hash !== '') return l10n.t('The address must end with its path, without ? or #.');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return undefined;
  return l10n.t('The key would be sent unencrypted. Use https://');
}

/** Returns why an address of load-balanced endpoints is invalid, or undefined. It must contain a placeholder for the endpoint ID. */
export function endpointHostProblem(text: string): string | undefined {
  const problem = addressProblem(text);
  if (problem !== undefined) return problem;
  return text.includes(ENDPOINT_ID_PLACEHOLDER)
    ? undefined
    : l10n.t`The address must contain ${ENDPOINT_ID_PLACEHOLDER} in place of the endpoint ID.`;
}

/** Returns why an address of the files of volumes is invalid, or undefined. It can contain a placeholder for the data center. */
export function s3AddressProblem(text: string): string | undefined {
  return addressProblem(text.replaceAll(DATA_CENTER_MARK, 'data-center'));
}

/** Matches the start of an address with a scheme. Digits after the colon are a port. */
const SCHEME = /^[a-z][a-z\d+.-]*:(?!\d)/i;

/**
 * Returns the address in its stored form, without trailing slashes. A host without a scheme is an encrypted address, or an unencrypted one on
 * this machine.
 */
export function normalAddress(text: string): string {
  const trimmed = withoutEndSlashes(text.trim());
  if (trimmed === '' || SCHEME.test(trimmed)) return trimmed;
  const local = urlOf(`http://${trimmed}`);
  return `${local && isLoopback(local) ? 'http' : 'https'}://${trimmed}`;
}

/**
 * Matches the addresses of the queue and of endpoints of a platform that serves all APIs at one origin, as a local platform does, even behind
 * the proxy of a team.
 */
const ONE_ORIGIN = /\/queue\/v2(?=\/|\s*$)|\/endpoints\/\{endpoint_id\}/;

/**
 * Derives all addresses of a platform from one of them. The address can be that of the management API, one of its operations, the queue,
 * or load-balanced endpoints. Never derives an address in another domain, because a key is sent only to domains that the user enters.
 *
 * @param text an address for which `addressProblem` returns undefined
 */
export function addressesFrom(text: string): Addresses {
  const baseUrl = normalAddress(text)
    .replace(`${ENDPOINT_ID_PLACEHOLDER}.`, '')
    .replace(/\/endpoints\/.*$/s, '')
    .replace(/(\/queue)?\/v[12](\/.*)?$/s, '');
  const url = parse(baseUrl);
  const queueUrl = (url && isLoopback(url)) || ONE_ORIGIN.test(text) ? `${baseUrl}/queue/v2` : `${baseUrl}/v2`;
  return { baseUrl, restUrl: baseUrl, queueUrl, endpointHost: endpointHostFrom(queueUrl) };
}

/** Derives the address of load-balanced endpoints from the address of the queue. */
export function endpointHostFrom(queueUrl: string): string {
  const base = normalAddress(queueUrl).replace(/(\/queue)?\/v2$/, '');
  const url = parse(base);
  return (url && isLoopback(url)) || ONE_ORIGIN.test(queueUrl)
    ? `${base}/endpoints/${ENDPOINT_ID_PLACEHOLDER}`
    : base.replace('://', `://${ENDPOINT_ID_PLACEHOLDER}.`);
}

function parse(text: string): URL | null {
  return urlOf(normalAddress(text));
}

function urlOf(address: string): URL | null {
  // A URL is invalid while its host contains the placeholder.
  return URL.parse(address.replaceAll(ENDPOINT_ID_PLACEHOLDER, 'endpoint'));
}

function isLoopback({ hostname }: URL): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
