import type { Path } from './violation.ts';

/* Rules that involve several fields also apply to a value with broken fields. A rule that reads a broken field reports nothing. */

class BrokenFieldRead extends Error {}

/** Returns a copy of a value in which reading a broken field ends the rule that reads it. */
export function withBrokenFields<Value>(value: Value, broken: readonly Path[]): Value {
  if (broken.length === 0 || typeof value !== 'object' || value === null) return value;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Value & object;
  for (const [segment = '', paths] of Map.groupBy(broken, ([first]) => first)) {
    const rest = paths.map(([, ...inner]) => inner);
    const member = (value as Readonly<Record<string | number, unknown>>)[segment];
    const isBroken = rest.some(({ length }) => length === 0);
    Object.defineProperty(copy, segment, {
      enumerable: true,
      configurable: true,
      ...(isBroken ? { get: endRule } : { value: withBrokenFields(member, rest) }),
    });
  }
  return copy;
}

function endRule(): never {
  throw new BrokenFieldRead();
}

/** Returns the violations that a rule finds, or none if it reads a broken field. */
export function whereReadable<Found>(rule: () => readonly Found[]): readonly Found[] {
  try {
    return rule();
  } catch (error) {
    if (error instanceof BrokenFieldRead) return [];
    throw error;
  }
}
