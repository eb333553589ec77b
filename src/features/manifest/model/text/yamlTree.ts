import { isAlias, isMap, isScalar, isSeq, type Alias, type Document, type Node, type Scalar, type YAMLMap } from 'yaml';
import { spanIn } from './locate.ts';
import type { Span } from '../../../../text/span.ts';
import type { ManifestNode, MapNode, Member, ScalarNode } from './node.ts';

/** Returns whether a key merges maps into the map that contains it. The parser converts a merge key to a symbol. */
export function isMergeKey({ value }: Scalar): boolean {
  return typeof value === 'symbol';
}

/** Returns the name of a property as it is written, such as `NULL` or `1.0`. The parser reads such keys as null and 1. */
export function nameOfKey({ value, source }: Scalar): string {
  return typeof value === 'string' ? value : (source ?? String(value));
}

/**
 * Converts the nodes of a YAML document, even of one with errors. An alias shares the content of its anchor, so that the tree has at most
 * as many nodes as the text. Returns undefined for a document without content.
 *
 * @throws RangeError for nesting that exhausts the stack
 */
export function yamlTree(document: Document, text: string): ManifestNode | undefined {
  const anchors = new Map<string, ManifestNode>();
  return document.contents ? convert(document.contents, 0) : undefined;

  function spanOf(node: Node | null): Span {
    const [start, end] = node?.range ?? [0, 0];
    return spanIn(text, { start, end });
  }

  /** @param end end of the text before the node, which is the position of a node without text */
  function convert(node: Node | null, end: number): ManifestNode {
    const converted = node ? convertContent(node) : emptyScalar(end);
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined) anchors.set(anchor, converted);
    return converted;
  }

  function convertContent(node: Node): ManifestNode {
    const span = spanOf(node);
    if (isAlias(node)) return aliasOf(node, span);
    if (isMap(node)) return mapOf(node as YAMLMap<Node, Node | null>, span);
    if (isSeq(node)) {
      const items = (node.items as (Node | null)[]).map((item) => convert(item, span.end));
      return { kind: 'list', ...span, items, flow: node.flow === true };
    }
    return isScalar(node) ? scalarNode(node, span) : emptyScalar(span.end);
  }

  function mapOf({ items, flow }: YAMLMap<Node, Node | null>, span: Span): MapNode {
    const members: Member[] = [];
    const merged: Member[] = [];
    for (const { key, value } of items) {
      const keySpan = spanOf(key);
      if (isScalar(key) && key.anchor !== undefined) anchors.set(key.anchor, scalarNode(key, keySpan));
      const node = convert(value, keySpan.end);
      if (!isScalar(key)) continue;
      const merge = isMergeKey(key);
      if (merge) merged.push(...mergedMembers(node));
      const member = { key: nameOfKey(key), keySpan, value: node, ...(merge ? { merge } : {}) };
      members.push({ ...member, start: keySpan.start, end: Math.max(keySpan.end, node.end) });
    }
    return { kind: 'map', ...span, members, merged, flow: flow === true };
  }

  function aliasOf({ source }: Alias, span: Span): ManifestNode {
    const target = anchors.get(source);
    return target ? { ...target, ...span, alias: true } : { ...emptyScalar(span.start), ...span };
  }
}

/** Returns the members of the merged maps. The first of several equal keys counts. */
function mergedMembers(node: ManifestNode): Member[] {
  if (node.kind === 'list') return node.items.flatMap((item) => (item.kind === 'map' ? mergedMembers(item) : []));
  return node.kind === 'map' ? [...node.members.filter(({ merge }) => !merge), ...node.merged] : [];
}

function emptyScalar(at: number): ScalarNode {
  return { kind: 'scalar', value: null, style: 'empty', start: at, end: at };
}

function scalarNode({ value, type, source }: Scalar, span: Span): ScalarNode {
  const isPlain = value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
  const content = isPlain ? (value as ScalarNode['value']) : (source ?? '');
  return { kind: 'scalar', value: content, style: styleOf(type, span), ...span };
}

function styleOf(type: string | undefined, { start, end }: Span): ScalarNode['style'] {
  if (start === end) return 'empty';
  if (type === 'QUOTE_SINGLE' || type === 'QUOTE_DOUBLE') return 'quoted';
  return type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED' ? 'block' : 'plain';
}
