import { LOCAL_CONNECTION } from '../../../../contract/environmentNames.ts';

/** A connection, as environments name it. */
export interface NamedConnection {
  readonly isLocal: boolean;
  readonly name: string;
  /** Host of its base URL, with the port. */
  readonly host: string;
}

/** Returns whether an environment names this connection: by `local`, by its name, or by its host. */
export function isNamed(written: string, { isLocal, name, host }: NamedConnection): boolean {
  if (isLocal || written === LOCAL_CONNECTION) return isLocal && written === LOCAL_CONNECTION;
  return written === name || written.toLowerCase() === host.toLowerCase();
}

interface Profile {
  readonly kind: 'local' | 'hosted';
  readonly name: string;
  readonly baseUrl: string;
}

/** Returns a connection as environments name it. */
export function namedOf({ kind, name, baseUrl }: Profile): NamedConnection {
  return { isLocal: kind === 'local', name, host: URL.parse(baseUrl)?.host ?? '' };
}
