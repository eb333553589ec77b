import { LOCAL_ID } from './connectionDocument.ts';
import type { Profile } from './connectionStore.ts';

interface Connections {
  readonly hosted: readonly Pick<Profile, 'id'>[];
  readonly problem: Error | undefined;
  load(): Promise<void>;
  readonly onDidChange: (listener: () => unknown) => { dispose(): unknown };
}

/**
 * Calls the listener with the IDs of all connections, including the local platform's, once they have been read, and after each change.
 * Does not call it while the secret storage fails, because the list can then lack stored connections.
 */
export function onStoredConnections(
  connections: Connections,
  listener: (ids: readonly string[]) => void,
): { dispose(): void } {
  let disposed = false;
  let subscription: { dispose(): unknown } | undefined;
  const notify = () => {
    const { problem, hosted } = connections;
    if (!problem) listener([LOCAL_ID, ...hosted.map(({ id }) => id)]);
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

/**
 * Returns a key for the account behind a connection. The key changes with the team, because each team has its own endpoints. It does not
 * change when the connection is renamed, when its key is replaced, or when the local platform starts at another address.
 */
export function accountOf({ id, teamId }: Pick<Profile, 'id' | 'teamId'>): string {
  return JSON.stringify([id, teamId]);
}
