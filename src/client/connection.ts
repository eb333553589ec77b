import { TEAM_HEADER } from '../contract/headers.ts';

/** Addresses of a platform, without trailing slashes. */
export interface Addresses {
  /** v2 management API. */
  readonly baseUrl: string;
  /** v1 management API. */
  readonly restUrl: string;
  /** Queue-based invocation. */
  readonly queueUrl: string;
  /** Load-balanced invocation. Contains the literal text `{endpoint_id}`. */
  readonly endpointHost: string;
}

/** Platform and credentials. */
export interface Connection extends Addresses {
  /** An empty key is not sent, so the service responds with its own error. */
  readonly apiKey: string;
  /** ID of the team to act for. Services apply it only to console sessions. */
  readonly teamId?: string | undefined;
}

/** Returns the headers that identify the caller. */
export function authorizationHeaders({ apiKey, teamId }: Connection): Record<string, string> {
  return {
    ...(apiKey === '' ? {} : { Authorization: `Bearer ${apiKey}` }),
    ...(teamId === undefined ? {} : { [TEAM_HEADER]: teamId }),
  };
}

/** Removes trailing slashes from an address. A regular expression would take quadratic time on a long run of slashes. */
export function withoutEndSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end--;
  return address.slice(0, end);
}
