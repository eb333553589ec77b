import type { Profile } from './connectionStore.ts';

/**
 * Identifies the account behind a connection. The value changes with the team, because each team has its own endpoints. It does not
 * change when the connection is renamed, when its key is replaced, or when the local platform starts at another address.
 */
export function accountOf({ id, teamId }: Pick<Profile, 'id' | 'teamId'>): string {
  return JSON.stringify([id, teamId]);
}
