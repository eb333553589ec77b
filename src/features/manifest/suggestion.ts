import type { Violation } from '../../contract/violation.ts';
import { manifestJsonSchema } from '../../contract/manifest.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

let manifestSchema: Schema | undefined;

/** `; did you mean 'queueDelay'?` for the path of an unknown property that resembles a known one, or an empty text. */
export function suggestion(path: Violation['path']): string {
  const written = String(path.at(-1) ?? '');
  // Generating the schema takes longer than the rest of this function, so it is cached.
  let schemas: readonly Schema[] = [(manifestSchema ??= manifestJsonSchema())];
  for (const segment of path.slice(0, -1))
    schemas = schemas.flatMap(options).flatMap((schema) => member(schema, segment));
  const known = schemas.flatMap(options).flatMap(({ properties = {} }) => Object.keys(properties));
  const most = Math.max(1, Math.floor(written.length / 3));
  const nearest = known
    // The edit distance is at least the difference of the lengths.
    .filter((name) => Math.abs(name.length - written.length) <= most)
    .map((name) => ({ name, distance: editDistance(name.toLowerCase(), written.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return nearest && nearest.distance <= most ? `; did you mean '${nearest.name}'?` : '';
}

function options(schema: Schema): readonly Schema[] {
  return [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
}

function member({ properties, items }: Schema, segment: string | number): readonly Schema[] {
  const found = typeof segment === 'number' ? items : properties?.[segment];
  return found ? [found] : [];
}

/** How many characters have to be inserted, removed or replaced (Levenshtein). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [row, left] of a.split('').entries()) {
    const current = [row + 1];
    for (const [column, right] of b.split('').entries()) {
      const replaced = (previous[column] ?? 0) + (left === right ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
