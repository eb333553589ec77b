import * as l10n from '@vscode/l10n';
import { checkCreateEndpoint } from '../../../contract/endpointRules.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import type { Path, Violation, ViolationCode } from '../../../contract/violation.ts';
import { ruleMessage } from '../../../account/contractText.ts';
import { fieldsOf, manifestSchema, type FieldSchema } from './fields/fieldSchema.ts';
import type { ManifestNode, MapNode } from './text/node.ts';

/* The valid parts of a manifest that is being written. The contract's rules apply to them. */

/** Every field is optional, at every level. */
type Partly<T> = T extends readonly (infer Item)[]
  ? readonly Partly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partly<T[Key]> | undefined }
    : T;

export type Draft = Partly<Manifest>;

/**
 * Returns the known fields of a tree whose values have the right type. Aliases and merge keys are resolved. Lists are cut to the length
 * that the contract allows, because some rules compare each item with all others.
 */
export function draftOf(root: ManifestNode | undefined): Draft {
  return (root && (valid(root, manifestSchema()) as Draft | undefined)) ?? {};
}

function valid(node: ManifestNode, schema: FieldSchema): unknown {
  if (schema.anyOf) return schema.anyOf.map((one) => valid(node, one)).find((value) => value !== undefined);
  switch (node.kind) {
    case 'map':
      return validMap(node, schema);
    case 'list': {
      const { items } = schema;
      if (!items) return undefined;
      const isObject = fieldsOf(items).length > 0;
      // An item without a valid value keeps its place in a list of objects.
      return node.items.slice(0, schema.maxItems).flatMap((item) => valid(item, items) ?? (isObject ? {} : []));
    }
    case 'scalar': {
      const { value } = node;
      if (schema.enum) return schema.enum.includes(value) ? value : undefined;
      const type = value === null ? 'null' : typeof value;
      const accepted = [schema.type ?? []].flat().map((name) => (name === 'integer' ? 'number' : name));
      return accepted.includes(type) ? value : undefined;
    }
  }
}

function validMap(node: MapNode, schema: FieldSchema): unknown {
  const { additionalProperties: others } = schema;
  const fields = new Map(fieldsOf(schema).map((field) => [field.name, field.schema]));
  if (fields.size === 0 && typeof others !== 'object') return undefined;
  return Object.fromEntries(
    [...node.merged, ...node.members].flatMap(({ key, value }) => {
      const inner = fields.get(key) ?? (typeof others === 'object' ? others : undefined);
      const member = inner && valid(value, inner);
      return member === undefined ? [] : [[key, member]];
    }),
  );
}

/** Codes of rules that no value of a field can keep because of another field. Their messages name both fields. */
const EXCLUDING_EACH_OTHER: readonly ViolationCode[] = [
  'gpuAndCpu',
  'cudaConstraintsConflict',
  'networkAndGlobalMounts',
  'networkVolumesWithGlobalMount',
];

/** Codes of rules that a field or a value breaks because of another field. Their messages are about the field of the violation. */
const EXCLUDING: readonly ViolationCode[] = [
  'scalerNeedsQueue',
  'idleTimeoutUnused',
  'argsConflict',
  'networkVolumesWithMounts',
  'globalVolumeWithoutGpu',
];

/** Codes of rules against repeated items. */
const REPEATING: readonly ViolationCode[] = ['repeatedCpu', 'repeatedVolume', 'secondGlobalVolume'];

/** The effect of a value on the rules of the contract. */
export interface Effect {
  /** Message of the rule that excludes the value. */
  readonly excludedBy?: string | undefined;
  /** Whether the value repeats another item. */
  readonly repeats: boolean;
}

/** Applies the rules of the contract to a draft, before and after it has a value. */
export class DraftRules {
  readonly draft: Draft;
  readonly #broken: ReadonlySet<string>;

  constructor(draft: Draft) {
    this.draft = draft;
    this.#broken = new Set(violationsOf(draft).map(identity));
  }

  effectOf(path: Path, value: unknown): Effect {
    const added = violationsOf(withValue(this.draft, path, value) as Draft).filter(
      (violation) => !this.#broken.has(identity(violation)),
    );
    // A rule about one field of a map does not exclude the map.
    const outside = added.filter((violation) => !isInside(violation.path, path));
    return {
      excludedBy: outside.map((violation) => exclusion(violation, path)).find((reason) => reason !== undefined),
      repeats: added.some(({ code }) => REPEATING.includes(code)),
    };
  }
}

/** Returns the reason why a violation excludes the value at a path, or undefined if another value can avoid it. */
function exclusion(violation: Violation, excluded: Path): string | undefined {
  const { code, path } = violation;
  const message = ruleMessage(violation);
  if (EXCLUDING_EACH_OTHER.includes(code)) return message;
  if (!EXCLUDING.includes(code)) return undefined;
  return path.join('.') === excluded.join('.') ? message : l10n.t`${path.join('.')}: ${message}`;
}

function isInside(path: Path, outer: Path): boolean {
  return path.length > outer.length && outer.every((segment, index) => path[index] === segment);
}

function violationsOf(draft: Draft): Violation[] {
  return checkCreateEndpoint(draft as Manifest);
}

function identity({ code, path }: Violation): string {
  return JSON.stringify([code, path]);
}

/** Returns a copy with the value at the path. Missing parents are added. */
function withValue(target: unknown, path: Path, value: unknown): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) return value;
  if (typeof segment === 'number') {
    const list: unknown[] = Array.isArray(target) ? [...(target as unknown[])] : [];
    const index = Math.min(segment, list.length);
    list[index] = withValue(list[index], rest, value);
    return list;
  }
  const map = (typeof target === 'object' ? target : undefined) as Readonly<Record<string, unknown>> | undefined;
  return { ...map, [segment]: withValue(map?.[segment], rest, value) };
}
