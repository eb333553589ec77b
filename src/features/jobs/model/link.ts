import { LOCAL_ID } from '../../../account/connections/connectionDocument.ts';

/** A link to an endpoint, or to a job of an endpoint. It contains no key, and opening it only shows something. */
export interface Link {
  readonly endpointId: string;
  readonly jobId?: string | undefined;
  /** Address of the platform's management API, or `local`. Undefined: the current connection. */
  readonly platform?: string | undefined;
  /** Team of the connection. */
  readonly team?: string | undefined;
}

/** Authority of the links, which is the ID of the extension. */
const AUTHORITY = 'cloud-compute.cloud-compute';
/** Platform of links to the local platform. */
const LOCAL_PLATFORM = 'local';

const ID = /^(?!\.+$)[^/\s\p{C}]{1,200}$/u;
const MAX_VALUE = 2_000;

/** A connection, as links name it. */
interface Linked {
  readonly id: string;
  readonly baseUrl: string;
  readonly teamId?: string | undefined;
}

/** Returns the members of a link that name a connection. */
export function platformOf({ id, baseUrl, teamId }: Linked): Pick<Link, 'platform' | 'team'> {
  return id === LOCAL_ID ? { platform: LOCAL_PLATFORM } : { platform: baseUrl, team: teamId };
}

/** Returns the text of a link. @param scheme scheme of the editor's links, such as `vscode` */
export function linkText(scheme: string, { endpointId, jobId, platform, team }: Link): string {
  const parts = jobId === undefined ? ['endpoint', endpointId] : ['job', endpointId, jobId];
  const query = Object.entries({ platform, team })
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const path = parts.map(encodeURIComponent).join('/');
  return `${scheme}://${AUTHORITY}/${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

/** Parses a link. Returns undefined for one that this version does not know. @param uri path and query, which the editor has decoded */
export function parseLink({ path, query }: { readonly path: string; readonly query: string }): Link | undefined {
  const [empty, kind, endpointId = '', jobId, ...rest] = path.split('/');
  const isKnown = kind === 'endpoint' ? jobId === undefined : kind === 'job' && jobId !== undefined;
  if (empty !== '' || !isKnown || rest.length > 0) return undefined;
  if (!ID.test(endpointId) || (jobId !== undefined && !ID.test(jobId))) return undefined;
  const values = new Map(query.split('&').map((part) => [part.split('=', 1)[0], part.slice(part.indexOf('=') + 1)]));
  const [platform, team] = [values.get('platform'), values.get('team')];
  if ([platform, team].some((value) => value !== undefined && value.length > MAX_VALUE)) return undefined;
  return { endpointId, jobId, platform, team };
}

interface Candidate {
  readonly id: string;
  readonly baseUrl: string;
  readonly teamId?: string | undefined;
  /** Empty when the connection is signed out. */
  readonly apiKey: string;
}

/** The stored connections. */
interface LinkConnections {
  /** ID of the current connection. */
  readonly current: string | undefined;
  /** Connections to hosted platforms, in order of creation. */
  readonly hosted: readonly Candidate[];
}

/**
 * Returns the ID of the connection that a link leads to. Prefers the current connection, then one that is signed in. Undefined if no connection
 * has the address and the team of the link. The address of a link is only compared, and never called.
 */
export function linkedConnection(
  { platform, team }: Pick<Link, 'platform' | 'team'>,
  { current, hosted }: LinkConnections,
): string | undefined {
  if (platform === undefined) return current;
  if (platform === LOCAL_PLATFORM) return LOCAL_ID;
  const fitting = hosted.filter(({ baseUrl, teamId }) => baseUrl === platform && teamId === team);
  const found = fitting.find(({ id }) => id === current) ?? fitting.find(({ apiKey }) => apiKey !== '') ?? fitting[0];
  return found?.id;
}
