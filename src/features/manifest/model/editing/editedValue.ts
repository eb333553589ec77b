import type { Path } from '../../../../contract/violation.ts';
import type { ManifestNode, ManifestLanguage } from '../text/node.ts';

/* Edits of a manifest. They change as little text as possible, so that comments and formatting stay. */

/** The endpoint of a file that an edit applies to. */
export interface EditSource {
  readonly text: string;
  readonly language: ManifestLanguage;
  readonly root: ManifestNode | undefined;
}

/** An edit of the value at a path. Index `length` of a list appends an item. */
export type ManifestEdit =
  /** Replaces the value, or adds the field and its missing parents. Equal members of a replaced map or list stay as they are. */
  | { readonly kind: 'set'; readonly path: Path; readonly value: unknown }
  /** Removes the field, or the item of a list. The last one leaves an empty map or list. */
  | { readonly kind: 'remove'; readonly path: Path }
  /** Renames the field and keeps its value. */
  | { readonly kind: 'rename'; readonly path: Path; readonly name: string };

/** Thrown for an edit that a value or its text does not allow. */
export class ImpossibleEdit extends Error {}

/**
 * Returns the value after an edit. The value itself does not change.
 *
 * @throws ImpossibleEdit
 */
export function editedValue(value: unknown, edit: ManifestEdit): unknown {
  const [segment, ...rest] = edit.path;
  if (segment === undefined) {
    if (edit.kind === 'set') return edit.value;
    throw new ImpossibleEdit('The root cannot be removed');
  }
  const child = childOf(value, segment);
  const isMissing = child === undefined;
  if (edit.kind !== 'set' && isMissing) throw new ImpossibleEdit('The path does not exist');
  if (rest.length === 0 && edit.kind !== 'set') return withoutChild(value, segment, edit);
  return withChild(value, segment, editedValue(child, { ...edit, path: rest }));
}

/** Wraps a value in the containers of a path. */
export function nested(path: Path, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, segment) => withChild(undefined, segment, inner), value);
}

/** Returns the value at a path, or undefined. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce(childOf, value);
}

/** Returns a member of a value, or undefined. */
export function childOf(value: unknown, segment: string | number): unknown {
  if (Array.isArray(value)) return value[Number(segment)];
  return isFields(value) && Object.hasOwn(value, segment) ? value[String(segment)] : undefined;
}

function withChild(value: unknown, segment: string | number, child: unknown): unknown {
  if (typeof segment === 'number' && (Array.isArray(value) || isNothing(value))) {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    if (segment > list.length) throw new ImpossibleEdit('The list is too short');
    return Object.assign([...list], { [segment]: child });
  }
  if (!isFields(value) && !isNothing(value)) throw new ImpossibleEdit('A value is in the way');
  const others = Object.entries(value ?? {}).map(([name, own]) => [name, name === String(segment) ? child : own]);
  return Object.fromEntries([...others, [String(segment), child]]);
}

function withoutChild(
  value: unknown,
  segment: string | number,
  edit: Exclude<ManifestEdit, { readonly kind: 'set' }>,
): unknown {
  if (Array.isArray(value)) {
    if (edit.kind === 'rename') throw new ImpossibleEdit('Items of lists have no names');
    return value.filter((_, index) => index !== segment);
  }
  const fields = Object.entries(value as object);
  if (edit.kind === 'remove') return Object.fromEntries(fields.filter(([name]) => name !== String(segment)));
  if (fields.some(([name]) => name === edit.name)) throw new ImpossibleEdit('The name is taken');
  return Object.fromEntries(fields.map(([name, own]) => [name === String(segment) ? edit.name : name, own]));
}

function isNothing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
