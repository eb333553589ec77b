import { ApiError } from '../../client/apiError.ts';
import { createClient, type Client } from '../../client/client.ts';
import type { Addresses, Connection } from '../../client/connection.ts';
import type { Fetch } from '../../client/context.ts';
import { networkCauseOf } from '../../client/networkCause.ts';
import { operations } from '../../contract/operations.ts';
import { NO_TEXT, shown, type ShownText } from '../../vscode/text/shownText.ts';

/* What is asked of a service before a key is stored for it. */

/** Milliseconds until an answer is not waited for any more: somebody sits in front of it. */
const TIMEOUT_MS = 15_000;

export interface VerifyOptions {
  readonly fetch: Fetch;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks with the key for the endpoints, once.
 *
 * @returns what is wrong and what helps, in words for a person; undefined when the service accepts the key
 */
export async function verifyConnection(connection: Connection, options: VerifyOptions): Promise<ShownText | undefined> {
  const error = await errorOf(connection, options, (client, call) => client.listEndpoints({}, call));
  return error && explain(error, connection.baseUrl, connection.teamId);
}

/** Addresses that are asked, each with the operation that says whether it is the right one. */
const probes = {
  baseUrl: (client: Client, call: Call) => client.listEndpoints({}, call),
  restUrl: (client: Client, call: Call) => client.listContainerRegistryAuths({}, call),
  queueUrl: (client: Client, call: Call) => client.getEndpointHealth({ endpointId: 'none' }, call),
} as const;

/**
 * Asks an address without a key, so that none is sent to a service that is another one. A platform refuses to answer, in its way.
 *
 * @returns what is wrong and what helps; undefined when the platform may be there
 */
export async function probeAddress(
  member: keyof typeof probes,
  addresses: Addresses,
  options: VerifyOptions,
): Promise<ShownText | undefined> {
  const error = await errorOf({ ...addresses, apiKey: '' }, options, probes[member]);
  if (!error || error.kind === 'unauthorized' || error.kind === 'forbidden' || error.kind === 'rateLimited')
    return undefined;
  // The endpoint that was asked for need not exist, and v1 need not have this operation.
  if (member !== 'baseUrl' && isOwnRefusal(error)) return undefined;
  return explain(error, addresses[member], undefined);
}

type Call = Readonly<{ signal: AbortSignal; timeout: number; retries: number }>;

async function errorOf(
  connection: Connection,
  { fetch, signal }: VerifyOptions,
  ask: (client: Client, call: Call) => Promise<unknown>,
): Promise<ApiError | undefined> {
  // Nobody waits in front of an input for a rate limit: it is told instead.
  const limited = new AbortController();
  let refusal: ApiError | undefined;
  const client = createClient({
    connection,
    fetch,
    onWait: ({ operation, reason, ms }) => {
      refusal = new ApiError('rateLimited', reason, { operation, status: 429, retryAfterMs: ms });
      limited.abort();
    },
  });
  const signals = AbortSignal.any([limited.signal, ...(signal ? [signal] : [])]);
  try {
    await ask(client, { signal: signals, timeout: TIMEOUT_MS, retries: 0 });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return refusal ?? error;
    throw error;
  }
}

/** Whether the refusal is one that an API gives, rather than a web server. */
function isOwnRefusal({ kind, source }: ApiError): boolean {
  return (kind === 'notFound' || kind === 'validation') && source !== 'status';
}

function explain(error: ApiError, address: string, teamId: string | undefined): ShownText | undefined {
  const { host } = new URL(address);
  const said = error.message;
  switch (error.kind) {
    case 'canceled':
      return undefined;
    case 'unauthorized':
      return shown`The service does not accept this key (${said}). Copy it again, or make a new one.${otherService(error, host)}`;
    case 'forbidden':
      return teamId === undefined
        ? shown`The key is known, but may not list endpoints (${said}). Give it that permission, or use another.${otherService(error, host)}`
        : shown`The key may not list the endpoints of team ${teamId} (${said}). Check the team, or the permissions of the key.`;
    case 'rateLimited':
      return shown`Too many requests (${said}). Try again in ${Math.ceil((error.retryAfterMs ?? 1000) / 1000)} s.`;
    case 'network':
      return explainNetwork(error, host);
    case 'timeout':
      return shown`${host} did not answer in time. The cause may be a firewall, a VPN that is off, or a busy service.`;
    case 'notFound':
    case 'validation':
    case 'server':
      return explainAnswer(error, host);
  }
}

/** Another API refuses the key as well; only the form of the answer tells. */
function otherService({ source }: ApiError, host: string): ShownText {
  return source !== 'problem'
    ? shown` The answer is not in the form of this platform: is ${host} its management API?`
    : NO_TEXT;
}

function explainNetwork(error: ApiError, host: string): ShownText {
  switch (networkCauseOf(error)) {
    case 'dns':
      return shown`The host ${host} was not found. Check the spelling, the network, and the VPN if it needs one.`;
    case 'refused':
      return shown`Nothing answers at ${host}: the connection was refused. Is the port right, and the service running?`;
    case 'tls':
      return shown`The encrypted connection to ${host} failed (${error.message}). Its certificate, or that of a proxy in between, must be one this machine trusts; an address that is not encrypted starts with http://`;
    case 'proxy':
      return shown`The proxy does not let this through to ${host} (${error.message}). Check “Http: Proxy” in the settings.`;
    case 'timeout':
      return shown`${host} did not answer in time. The cause may be a firewall, a VPN that is off, or a busy service.`;
    case 'unreachable':
      return shown`${error.message}. Check the network, the VPN and the proxy.`;
  }
}

function explainAnswer({ status = 0, message }: ApiError, host: string): ShownText {
  if (status >= 500) return shown`The service at ${host} failed (${message}). Try again later.`;
  return shown`${host} answers, but not as this platform (${message}). Its management API answers in JSON at ${operations.listEndpoints.path}.`;
}
