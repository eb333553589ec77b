import { valueOfTree } from '../text/jsonTree.ts';
import type { ManifestNode } from '../text/node.ts';

/** Returns the value of a tree, with the members that YAML merges into its maps. Undefined if there is no tree. */
export function effectiveValue(node: ManifestNode | undefined): unknown {
  return node && valueOfTree(node);
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether two values are the same JSON value. The order of fields is irrelevant. */
export function sameValue(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => sameValue(item, right[index]));
  if (isFields(left) && isFields(right)) {
    const names = Object.keys(left);
    return (
      names.length === Object.keys(right).length &&
      names.every((name) => Object.hasOwn(right, name) && sameValue(left[name], right[name]))
    );
  }
  return left === right || Object.is(left, right);
}
