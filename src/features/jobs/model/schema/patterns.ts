/**
 * Returns whether a schema contains a regular expression. A browser cannot end the search of an expression that takes too long, so it does
 * not use such schemas.
 */
export function hasPattern(schema: unknown): boolean {
  const open = [schema];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const { pattern, patternProperties } = next as { pattern?: unknown; patternProperties?: unknown };
    if (typeof pattern === 'string' || patternProperties !== undefined) return true;
    for (const inner of Object.values(next)) open.push(inner);
  }
  return false;
}
