import { ApiError } from '../../../client/apiError.ts';
import { createClient, type Client } from '../../../client/client.ts';
import { listAll } from '../../../client/listAll.ts';
import type { Addresses, Connection } from '../../../client/connection.ts';
import type { Fetch } from '../../../client/context.ts';
import { networkCauseOf } from '../../../client/networkCause.ts';
import { operations } from '../../../contract/operations.ts';
import { NO_TEXT, shown, type ShownText } from '../../../text/shownText.ts';

/* Checks of a service before a key is stored for it. */

/** Timeout of a check, in ms. It is short because the user waits for the result. */
const TIMEOUT_MS = 15_000;

export interface VerifyOptions {
  readonly fetch: Fetch;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Checks a key with one request that lists the endpoints.
 *
 * @returns the problem and its remedy, as text for the user; undefined when the service accepts the key
 */
export async function verifyConnection(connection: Connection, options: VerifyOptions): Promise<ShownText | undefined> {
  const error = await errorOf(connection, options, (client, call) => client.listEndpoints({}, call));
  return error && explain(error, connection.baseUrl, connection.teamId);
}

/** Accounts that can answer the requests of a connection with a team. */
export interface TeamAnswer {
  /** Number of endpoints that the platform lists with the team. */
  readonly endpoints: number;
  /**
   * Whether the platform lists the same endpoints without the team. It does if the key belongs to the team, and also if it ignores a team
   * that the key does not belong to.
   */
  readonly isOwnAccount: boolean;
}

/**
 * Compares the endpoints that the platform lists with the team of a connection and without it, because no operation names the account that
 * answers.
 *
 * @throws ApiError if the endpoints of the team cannot be listed
 */
export async function readTeamAnswer(
  { teamId, ...own }: Connection,
  { fetch, signal }: VerifyOptions,
): Promise<TeamAnswer> {
  const options = { ...(signal && { signal }), timeout: TIMEOUT_MS, retries: 0 };
  const idsOf = async (connection: Connection) => {
    const list = await listAll(createClient({ connection, fetch }), 'listEndpoints', {}, 'endpoints', options);
    return list.map(({ id }) => id).sort();
  };
  const [team, account] = await Promise.all([
    idsOf({ ...own, teamId }),
    // A key of a team may not list the endpoints of its account.
    idsOf(own).catch((error: unknown) => {
      if (error instanceof ApiError && error.kind === 'forbidden') return undefined;
      throw error;
    }),
  ]);
  return { endpoints: team.length, isOwnAccount: JSON.stringify(team) === JSON.stringify(account) };
}

/** The operation that checks each address. */
const probes = {
  baseUrl: (client: Client, call: Call) => client.listEndpoints({}, call),
  restUrl: (client: Client, call: Call) => client.listContainerRegistryAuths({}, call),
  queueUrl: (client: Client, call: Call) => client.getEndpointHealth({ endpointId: 'none' }, call),
} as const;

/**
 * Checks an address without sending a key, because the address can belong to an unrelated service. A platform rejects the request with
 * its own form of error.
 *
 * @returns the problem and its remedy; undefined when the address can be that of a platform
 */
export async function probeAddress(
  member: keyof typeof probes,
  addresses: Addresses,
  options: VerifyOptions,
): Promise<ShownText | undefined> {
  const error = await errorOf({ ...addresses, apiKey: '' }, options, probes[member]);
  if (!error || error.kind === 'unauthorized' || error.kind === 'forbidden' || error.kind === 'rateLimited')
    return undefined;
  // The endpoint `none` does not exist, and v1 may lack the operation.
  if (member !== 'baseUrl' && isApiResponse(error)) return undefined;
  return explain(error, addresses[member], undefined);
}

type Call = Readonly<{ signal: AbortSignal; timeout: number; retries: number }>;

async function errorOf(
  connection: Connection,
  { fetch, signal }: VerifyOptions,
  ask: (client: Client, call: Call) => Promise<unknown>,
): Promise<ApiError | undefined> {
  // An input box reports a rate limit instead of waiting for it.
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

/** Returns whether the error comes from an API and not from a web server. */
function isApiResponse({ kind, source }: ApiError): boolean {
  return (kind === 'notFound' || kind === 'validation') && source !== 'status';
}

function explain(error: ApiError, address: string, teamId: string | undefined): ShownText | undefined {
  const { host } = new URL(address);
  const reason = error.message;
  switch (error.kind) {
    case 'canceled':
      return undefined;
    case 'unauthorized':
      return shown`The service did not accept the API key (${reason}). Copy it again, or create another one.${otherService(error, host)}`;
    case 'forbidden':
      return teamId === undefined
        ? shown`The API key has no permission to list endpoints (${reason}). Grant the permission, or use another key.${otherService(error, host)}`
        : shown`The API key has no permission to list the endpoints of team ${teamId} (${reason}). Check the team ID and the permissions of the key.`;
    case 'rateLimited':
      return shown`Too many requests (${reason}). Try again in ${Math.ceil((error.retryAfterMs ?? 1000) / 1000)} s.`;
    case 'network':
      return explainNetwork(error, host);
    case 'timeout':
      return shown`${host} did not respond in time. Check the firewall and the VPN, or try again later.`;
    case 'notFound':
    case 'validation':
    case 'server':
      return explainAnswer(error, host);
  }
}

/** Returns a hint when the form of the response suggests that another API rejected the key. */
function otherService({ source }: ApiError, host: string): ShownText {
  return source !== 'problem'
    ? shown` The response does not have a platform’s format. Check that ${host} is the address of its management API.`
    : NO_TEXT;
}

function explainNetwork(error: ApiError, host: string): ShownText {
  switch (networkCauseOf(error)) {
    case 'dns':
      return shown`The host ${host} was not found. Check the spelling, the network, and the VPN.`;
    case 'refused':
      return shown`${host} refused the connection. Check the port, and check that the service is running.`;
    case 'tls':
      return shown`The encrypted connection to ${host} failed (${error.message}). Check that this machine trusts the certificate of the service or proxy. An unencrypted address starts with http://`;
    case 'proxy':
      return shown`The proxy did not connect to ${host} (${error.message}). Check “Http: Proxy” in the settings.`;
    case 'timeout':
      return shown`${host} did not respond in time. Check the firewall and the VPN, or try again later.`;
    case 'unreachable':
      return shown`${error.message}. Check the network, the VPN, and the proxy.`;
  }
}

function explainAnswer({ status = 0, message }: ApiError, host: string): ShownText {
  if (status >= 500) return shown`The service at ${host} failed (${message}). Try again later.`;
  return shown`${host} does not respond like a platform (${message}). A management API returns JSON at ${operations.listEndpoints.path}.`;
}
