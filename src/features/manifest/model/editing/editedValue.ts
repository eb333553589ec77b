import type { Path } from '../../../../contract/violation.ts';
import { type ManifestNode, type ManifestLanguage, valueOfTree } from '../text/node.ts';
import { nodeAt } from '../text/locate.ts';
import { isDeepStrictEqual } from 'node:util';

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

/**
 * Divides an edit into edits of the smallest nodes that differ, so that comments inside a replaced map or list stay. The edits apply in
 * order.
 */
export function smallEdits(root: ManifestNode | undefined, edit: ManifestEdit): ManifestEdit[] {
  if (edit.kind !== 'set') return [edit];
  const node = nodeAt(root, edit.path);
  return node ? difference(node, edit.path, edit.value) : [edit];
}

function difference(node: ManifestNode, path: Path, value: unknown): ManifestEdit[] {
  const current = valueOfTree(node);
  if (isDeepStrictEqual(current, value)) return [];
  const isOwn = !node.alias;
  if (isOwn && node.kind === 'map' && node.merged.length === 0 && isFields(value) && Object.keys(value).length > 0)
    return fieldEdits(node, path, value);
  if (isOwn && node.kind === 'list' && Array.isArray(value) && value.length > 0) return itemEdits(node, path, value);
  return [{ kind: 'set', path, value }];
}

type NodeOf<Kind extends ManifestNode['kind']> = Extract<ManifestNode, { readonly kind: Kind }>;

function fieldEdits({ members }: NodeOf<'map'>, path: Path, value: Fields): ManifestEdit[] {
  const nodes = new Map(members.map((member) => [member.key, member.value]));
  const added = Object.entries(value).flatMap(([name, wanted]): ManifestEdit[] => {
    const node = nodes.get(name);
    return node ? difference(node, [...path, name], wanted) : [{ kind: 'set', path: [...path, name], value: wanted }];
  });
  const removed = [...nodes.keys()].filter((name) => !Object.hasOwn(value, name));
  // The map is never empty in between, because the additions come first.
  return [...added, ...removed.map((name): ManifestEdit => ({ kind: 'remove', path: [...path, name] }))];
}

function itemEdits({ items }: NodeOf<'list'>, path: Path, value: readonly unknown[]): ManifestEdit[] {
  const removed = surplusItems(items.map(valueOfTree), value);
  if (removed) return removed.reverse().map((index) => ({ kind: 'remove', path: [...path, index] }));
  const set = value.flatMap((wanted, index): ManifestEdit[] => {
    const item = items[index];
    const at = [...path, index];
    return item ? difference(item, at, wanted) : [{ kind: 'set', path: at, value: wanted }];
  });
  const extra = items.slice(value.length).map((): ManifestEdit => ({ kind: 'remove', path: [...path, value.length] }));
  return [...set, ...extra];
}

/** Returns the indexes of the items to remove if the wanted list lacks some items and is otherwise the same. */
function surplusItems(current: readonly unknown[], wanted: readonly unknown[]): number[] | undefined {
  if (wanted.length >= current.length) return undefined;
  const surplus: number[] = [];
  let next = 0;
  current.forEach((item, index) => {
    if (next < wanted.length && isDeepStrictEqual(item, wanted[next])) next++;
    else surplus.push(index);
  });
  return next === wanted.length ? surplus : undefined;
}
