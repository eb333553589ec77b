import { LOCAL_ID } from './connectionDocument.ts';
import type { Profile } from './connectionStore.ts';

/* The connections as they are stored, for what is kept beside them. */

type Hosted = Pick<Profile, 'id' | 'baseUrl'>;

/** All connections, at a time when none is missing. */
export interface StoredConnections {
  /** Id of the current connection. */
  readonly current: string | undefined;
  /** Connections to hosted platforms, in the order they were made. */
  readonly hosted: readonly Hosted[];
}

interface Connections {
  readonly profile: Pick<Profile, 'id'> | undefined;
  readonly hosted: readonly Hosted[];
  readonly problem: Error | undefined;
  load(): Promise<void>;
  readonly onDidChange: (listener: () => unknown) => { dispose(): unknown };
}

/**
 * Calls the listener when the stored connections have been read, and after each change. It is not called while the secret storage
 * fails, because a connection that is missing then may still be stored.
 */
export function onStoredConnections(
  connections: Connections,
  listener: (stored: StoredConnections) => void,
): { dispose(): void } {
  let disposed = false;
  let subscription: { dispose(): unknown } | undefined;
  const tell = () => {
    const { problem, profile, hosted } = connections;
    if (!problem) listener({ current: profile?.id, hosted });
  };
  void connections.load().then(() => {
    if (disposed) return;
    subscription = connections.onDidChange(tell);
    tell();
  });
  return {
    dispose: () => {
      disposed = true;
      subscription?.dispose();
    },
  };
}

/** Ids of all connections. The local platform's is always one of them. */
export function idsOf({ hosted }: StoredConnections): readonly string[] {
  return [LOCAL_ID, ...hosted.map(({ id }) => id)];
}

/** The connection that takes over what was stored for an address: the current one if it has the address, else the first that has it. */
export function connectionWith(baseUrl: string, { current, hosted }: StoredConnections): string | undefined {
  const candidates = hosted.filter((one) => one.baseUrl === baseUrl);
  return (candidates.find(({ id }) => id === current) ?? candidates[0])?.id;
}
