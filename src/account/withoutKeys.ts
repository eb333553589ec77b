import { secretHider } from './withoutSecrets.ts';
import { keyPatterns, SHORTEST_SECRET } from '../text/keyPatterns.ts';

const MARK = '…';

/**
 * Returns a function that removes known secrets, and values that look like keys, from texts of platforms and files. The function takes
 * linear time.
 */
export function keyRemover(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)].filter((value) => value.trim().length >= SHORTEST_SECRET);
  const hide = secretHider(known);
  const patterns = keyPatterns.map(({ pattern }) => new RegExp(pattern, 'g'));
  return (text) => {
    return patterns.reduce((rest, pattern) => rest.replace(pattern, MARK), hide(text));
  };
}
