import type { Path } from '../../../../contract/violation.ts';
import { type ManifestEdit, isFields, type Fields } from './editedValue.ts';
import { nodeAt } from '../text/locate.ts';
import { type ManifestNode, valueOfTree } from '../text/node.ts';
import { isDeepStrictEqual } from 'node:util';

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
