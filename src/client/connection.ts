import { TEAM_HEADER } from '../contract/accounts.ts';

/** Where a platform is reached. Addresses have no slash at the end (interface document, introduction). */
export interface Addresses {
  /** v2 management API. */
  readonly baseUrl: string;
  /** v1 management API. */
  readonly restUrl: string;
  /** Queue-based invocation. */
  readonly queueUrl: string;
  /** Load-balanced invocation; holds the literal text `{endpoint_id}`. */
  readonly endpointHost: string;
}

/** A platform and who we are there. */
export interface Connection extends Addresses {
  /** Empty: nobody. The service is asked without a key, which it refuses, but says in its way. */
  readonly apiKey: string;
  /** Acts for this team where the key is a console session (interface document, Authentication 4). */
  readonly teamId?: string | undefined;
}

/** Headers that say who calls. */
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
