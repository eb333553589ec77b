import type { Path } from '../../../../contract/violation.ts';
import type { ManifestEdit } from '../edit.ts';
import { isFields } from './effectiveValue.ts';

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

function childOf(value: unknown, segment: string | number): unknown {
  if (Array.isArray(value) && typeof segment === 'number') return value[segment];
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
