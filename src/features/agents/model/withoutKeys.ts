import { secretHider } from '../../withoutSecrets.ts';
import { keyPatterns } from '../../manifest/model/environment/keyPatterns.ts';

const MARK = '…';
/** Shortest secret that is removed, in UTF-16 code units. Shorter values occur in ordinary words. */
const SHORTEST = 6;

/**
 * Returns a function that removes known secrets, and values that look like keys, from texts of platforms and files. The function takes
 * linear time.
 */
export function keyRemover(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)].filter((value) => value.trim().length >= SHORTEST);
  const hide = secretHider(known);
  const patterns = keyPatterns.map(({ pattern }) => new RegExp(pattern, 'g'));
  return (text) => {
    const without = known.length > 0 && text !== '' ? hide(text) : text;
    return patterns.reduce((rest, pattern) => rest.replace(pattern, MARK), without);
  };
}
