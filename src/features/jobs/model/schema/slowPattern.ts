import { TimeLimitExceeded, withTimeLimit } from '../../../../machine/timeLimit.ts';
import { isObject } from '../jobInput.ts';
import type { JsonSchema } from './schemaFiles.ts';

/** Maximum time for one pattern, and for all patterns of a schema together, in ms. Most patterns take less than one. */
const PATTERN_LIMIT_MS = 250;
const ALL_LIMIT_MS = 500;
/** Maximum number of parts of a schema that are read. */
const MAX_PARTS = 10_000;
/** Number of repetitions. A pattern whose time doubles with each one takes far longer than its limit. */
const REPETITIONS = 40;
const MAX_SAMPLES = 12;
/** Members of a schema that contain values. */
const DATA: readonly string[] = ['const', 'default', 'enum', 'examples'];

/**
 * Returns the first pattern of a schema that takes exponential time on a text that repeats one of the pattern's own characters and then does
 * not match. Other slow patterns are not found here. The check of an input has a limit in any case.
 */
export function slowPattern(schema: JsonSchema): string | undefined {
  const started = performance.now();
  for (const pattern of patternsIn(schema)) {
    if (performance.now() - started > ALL_LIMIT_MS) return undefined;
    if (isSlow(pattern)) return pattern;
  }
  return undefined;
}

function isSlow(pattern: string): boolean {
  const expression = expressionOf(pattern);
  // A pattern with one quantifier takes polynomial time.
  if (!expression || (pattern.match(/[*+{]/g) ?? []).length < 2) return false;
  try {
    withTimeLimit(PATTERN_LIMIT_MS, () => samplesFor(pattern).some((text) => expression.test(text)));
    return false;
  } catch (error) {
    if (error instanceof TimeLimitExceeded) return true;
    throw error;
  }
}

function expressionOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    // The check of an input reports an invalid pattern.
    return undefined;
  }
}

function samplesFor(pattern: string): string[] {
  const characters = new Set([...(pattern.match(/[A-Za-z0-9]/g) ?? []), 'a', '0', ' ', '-']);
  return [...characters].slice(-MAX_SAMPLES).map((character) => `${character.repeat(REPETITIONS)}\u0000`);
}

/** Returns the values of `pattern` and the keys of `patternProperties` in a schema. */
function patternsIn(schema: JsonSchema): Set<string> {
  const patterns = new Set<string>();
  const parts: unknown[] = [schema];
  for (let read = 0; read < MAX_PARTS && parts.length > 0; read++) {
    const part = parts.pop();
    if (Array.isArray(part)) parts.push(...(part as readonly unknown[]).slice(0, MAX_PARTS));
    if (!isObject(part)) continue;
    const { pattern, patternProperties } = part;
    if (typeof pattern === 'string') patterns.add(pattern);
    if (isObject(patternProperties)) for (const name of Object.keys(patternProperties)) patterns.add(name);
    parts.push(...Object.entries(part).flatMap(([name, value]) => (DATA.includes(name) ? [] : [value])));
  }
  return patterns;
}
