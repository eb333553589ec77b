import { LOCAL_ID } from '../../../../account/connections/connectionDocument.ts';
import { LOCAL_PLATFORM, type Link } from './link.ts';

interface Candidate {
  readonly id: string;
  readonly baseUrl: string;
  readonly teamId?: string | undefined;
  /** Empty when the connection is signed out. */
  readonly apiKey: string;
}

/** The stored connections. */
export interface LinkConnections {
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
