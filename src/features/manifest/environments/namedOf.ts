import type { Profile } from '../../../account/connections/connectionStore.ts';
import type { NamedConnection } from '../model/patched/connectionMatch.ts';

/** Returns a connection as environments name it. */
export function namedOf({ kind, name, baseUrl }: Pick<Profile, 'kind' | 'name' | 'baseUrl'>): NamedConnection {
  return { isLocal: kind === 'local', name, host: URL.parse(baseUrl)?.host ?? '' };
}
