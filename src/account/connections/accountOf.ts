import type { Profile } from './connectionStore.ts';

/**
 * Returns a key for the account behind a connection. The key changes with the team, because each team has its own endpoints. It does not
 * change when the connection is renamed, when its key is replaced, or when the local platform starts at another address.
 */
export function accountOf({ id, teamId }: Pick<Profile, 'id' | 'teamId'>): string {
  return JSON.stringify([id, teamId]);
}
