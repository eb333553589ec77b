import { isAlias, isMap, isScalar, isSeq, type Alias, type Document, type Node, type YAMLMap } from 'yaml';
import type { ManifestNode, MapNode, Member, ScalarNode, Span } from './node.ts';

const MERGE_KEY = '<<';

/**
 * Converts the nodes of a YAML document, even of one with errors. An alias shares the content of its anchor, so that the tree has at most
 * as many nodes as the text. Returns undefined for a document without content.
 *
 * @throws RangeError for nesting that exhausts the stack
 */
export function yamlTree(document: Document): ManifestNode | undefined {
  const anchors = new Map<string, ManifestNode>();
  return document.contents ? convert(document.contents, 0) : undefined;

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
    return isScalar(node)
      ? { ...scalarOf(node.value), style: styleOf(node.type, span), ...span }
      : emptyScalar(span.end);
  }

  function mapOf({ items, flow }: YAMLMap<Node, Node | null>, span: Span): MapNode {
    const members: Member[] = [];
    const merged: Member[] = [];
    for (const { key, value } of items) {
      const keySpan = spanOf(key);
      const node = convert(value, keySpan.end);
      if (!isScalar(key)) continue;
      // The parser represents the merge key as a symbol.
      const name = typeof key.value === 'symbol' ? (key.value.description ?? MERGE_KEY) : String(key.value);
      if (name === MERGE_KEY) merged.push(...mergedMembers(node));
      members.push({ key: name, keySpan, value: node, start: keySpan.start, end: Math.max(keySpan.end, node.end) });
    }
    return { kind: 'map', ...span, members, merged, flow: flow === true };
  }

  function aliasOf({ source }: Alias, span: Span): ManifestNode {
    const target = anchors.get(source);
    return target ? { ...target, ...span, alias: true } : { ...emptyScalar(span.start), ...span };
  }
}

function mergedMembers(node: ManifestNode): Member[] {
  if (node.kind === 'list') return node.items.flatMap((item) => (item.kind === 'map' ? [...item.members] : []));
  return node.kind === 'map' ? [...node.members, ...node.merged] : [];
}

function emptyScalar(at: number): ScalarNode {
  return { kind: 'scalar', value: null, style: 'empty', start: at, end: at };
}

function scalarOf(value: unknown): Pick<ScalarNode, 'kind' | 'value'> {
  const isPlain = value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
  return { kind: 'scalar', value: isPlain ? (value as ScalarNode['value']) : JSON.stringify(value) };
}

function styleOf(type: string | undefined, { start, end }: Span): ScalarNode['style'] {
  if (start === end) return 'empty';
  if (type === 'QUOTE_SINGLE' || type === 'QUOTE_DOUBLE') return 'quoted';
  return type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED' ? 'block' : 'plain';
}

function spanOf(node: Node | null): Span {
  const [start, end] = node?.range ?? [0, 0];
  return { start, end };
}
