import { LOCAL_ID } from './connectionDocument.ts';
import type { Profile } from './connectionStore.ts';

/* A view of the stored connections for features that store state for each connection. */

type Hosted = Pick<Profile, 'id' | 'baseUrl'>;

/** All stored connections. The list is always complete. */
export interface StoredConnections {
  /** ID of the current connection. */
  readonly current: string | undefined;
  /** Connections to hosted platforms, in order of creation. */
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
 * Calls the listener once the stored connections have been read, and after each change. Does not call it while the secret storage fails,
 * because the list can then lack stored connections.
 */
export function onStoredConnections(
  connections: Connections,
  listener: (stored: StoredConnections) => void,
): { dispose(): void } {
  let disposed = false;
  let subscription: { dispose(): unknown } | undefined;
  const notify = () => {
    const { problem, profile, hosted } = connections;
    if (!problem) listener({ current: profile?.id, hosted });
  };
  void connections.load().then(() => {
    if (disposed) return;
    subscription = connections.onDidChange(notify);
    notify();
  });
  return {
    dispose: () => {
      disposed = true;
      subscription?.dispose();
    },
  };
}

/** Returns the IDs of all connections, including the local platform's. */
export function idsOf({ hosted }: StoredConnections): readonly string[] {
  return [LOCAL_ID, ...hosted.map(({ id }) => id)];
}

/** Returns the connection that inherits state stored under an address: the current one if it has the address, otherwise the first. */
export function connectionWith(baseUrl: string, { current, hosted }: StoredConnections): string | undefined {
  const candidates = hosted.filter((one) => one.baseUrl === baseUrl);
  return (candidates.find(({ id }) => id === current) ?? candidates[0])?.id;
}
