import { manifestJsonSchema } from '../../../../contract/manifest.ts';
import type { Path } from '../../../../contract/violation.ts';
import { isFields, type Fields } from '../editing/effectiveValue.ts';
import { valueAt, removals } from './fields.ts';
import type { ManifestEdit } from '../edit.ts';
import { set } from './fix.ts';

/* Values that the schema of manifests names for a field. */

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

let root: Schema | undefined;

function schemaAt(path: Path, manifest: Fields): Schema | undefined {
  root ??= manifestJsonSchema() as Schema;
  return path.reduce<Schema | undefined>((schema, segment, index) => {
    const shape = schema && shapeOf(schema, valueAt(manifest, path.slice(0, index)), segment);
    if (typeof segment === 'number') return shape?.items;
    const { properties = {}, additionalProperties } = shape ?? {};
    if (Object.hasOwn(properties, segment)) return properties[segment];
    return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  }, root);
}

/** Returns the alternative of a union that the value selects, or the first one with the segment. */
function shapeOf(schema: Schema, value: unknown, segment: string | number): Schema | undefined {
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (!alternatives) return schema;
  const type = isFields(value) ? value['type'] : undefined;
  return (
    alternatives.find(({ properties }) => type !== undefined && properties?.['type']?.const === type) ??
    alternatives.find(({ properties, items }) =>
      typeof segment === 'number' ? items !== undefined : Object.hasOwn(properties ?? {}, segment),
    )
  );
}

/** Returns whether the field must exist. Items of lists count as optional. */
export function isRequired(path: Path, manifest: Fields): boolean {
  const name = path.at(-1);
  const parent = path.slice(0, -1);
  if (parent.join() === 'x-local' && isHalfOfProgram(name, valueAt(manifest, parent))) return true;
  const schema = schemaAt(parent, manifest);
  if (!schema || typeof name !== 'string') return false;
  return shapeOf(schema, valueAt(manifest, parent), name)?.required?.includes(name) ?? false;
}

const PROGRAM: readonly (string | number | undefined)[] = ['directory', 'command'];

/** Returns whether a member of `x-local` is half of a program whose other half is set. */
function isHalfOfProgram(name: string | number | undefined, local: unknown): boolean {
  return (
    PROGRAM.includes(name) &&
    isFields(local) &&
    PROGRAM.every((one) => one === name || local[String(one)] !== undefined)
  );
}

/** Returns the default or the first example of a field. */
export function exampleOf(path: Path, manifest: Fields): unknown {
  const [first] = path;
  if (path.length === 1 && first === 'scaling' && manifest['type'] === 'LOAD_BALANCER')
    return { type: 'REQUEST_COUNT', requestCount: exampleOf(['scaling', 'requestCount'], {}) };
  const schema = schemaAt(path, manifest);
  return schema && exampleIn(schema);
}

function exampleIn(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.examples && schema.examples.length > 0) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  const { properties, required = [] } = schema;
  if (!properties) return undefined;
  return Object.fromEntries(required.map((name) => [name, properties[name] && exampleIn(properties[name])]));
}

/** Field of each kind of scaling. */
const FIELDS: Readonly<Record<string, string>> = { QUEUE_DELAY: 'queueDelay', REQUEST_COUNT: 'requestCount' };

/** Returns the edits that change the kind of scaling, with the field that it needs. */
export function scalerEdits(manifest: Fields, type: string): ManifestEdit[] {
  const own = FIELDS[type];
  const others = Object.values(FIELDS).filter((field) => field !== own);
  const selected = { scaling: { type } };
  const isMissing = own !== undefined && valueAt(manifest, ['scaling', own]) === undefined;
  return [
    set(['scaling', 'type'], type),
    ...(isMissing ? [set(['scaling', own], exampleOf(['scaling', own], selected))] : []),
    ...removals(manifest, ...others.map((field) => ['scaling', field])),
  ];
}
