import type { Profile } from './connectionStore.ts';

/**
 * Names the account that a connection works with. It changes when the connection acts for another team, whose endpoints are others. It
 * stays the same when the connection is renamed, gets another key, or, for the local platform, another address.
 */
export function accountOf({ id, teamId }: Pick<Profile, 'id' | 'teamId'>): string {
  return JSON.stringify([id, teamId]);
}
