import type * as Verbs from '../verbs.ts';
import type { Deed, Surroundings } from './surroundings.ts';

/** Returns a command whose code is loaded when it runs. */
export function verb(act: (verbs: typeof Verbs, surroundings: Surroundings) => Promise<number>): Deed {
  return async (surroundings) => act(await import('../verbs.ts'), surroundings);
}
