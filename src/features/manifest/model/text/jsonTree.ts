import type { Node } from 'jsonc-parser';
import { spanIn } from './locate.ts';
import type { ManifestNode, Member, ScalarNode } from './node.ts';

/**
 * Converts the nodes of a JSON text, even of one with errors.
 *
 * @throws RangeError for nesting that exhausts the stack
 */
export function jsonTree({ type, offset, length, children = [], value }: Node, text: string): ManifestNode {
  const span = spanIn(text, { start: offset, end: offset + length });
  switch (type) {
    case 'object':
      return { kind: 'map', ...span, members: children.map((child) => memberOf(child, text)), merged: [], flow: true };
    case 'array':
      return { kind: 'list', ...span, items: children.map((child) => jsonTree(child, text)), flow: true };
    default:
      return {
        kind: 'scalar',
        ...span,
        value: value as ScalarNode['value'],
        style: type === 'string' ? 'quoted' : 'plain',
      };
  }
}

function memberOf({ offset, length, children: [key, value] = [] }: Node, text: string): Member {
  const { start, end } = spanIn(text, { start: offset, end: offset + length });
  const keySpan = key ? spanIn(text, { start: key.offset, end: key.offset + key.length }) : { start, end };
  return {
    key: String(key?.value),
    keySpan,
    value: value ? jsonTree(value, text) : { kind: 'scalar', value: null, style: 'empty', start: end, end },
    start,
    end,
  };
}

/** Returns the value of a tree. A key such as `__proto__` becomes an own property. The last of several equal members counts. */
export function valueOfTree(node: ManifestNode): unknown {
  switch (node.kind) {
    case 'map':
      return Object.fromEntries(
        [...node.merged.toReversed(), ...node.members.filter(({ merge }) => !merge)].map(({ key, value }) => [
          key,
          valueOfTree(value),
        ]),
      );
    case 'list':
      return node.items.map(valueOfTree);
    case 'scalar':
      return node.value;
  }
}
