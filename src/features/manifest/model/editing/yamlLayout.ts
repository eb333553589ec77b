import { isMap, isScalar, isSeq, type CST, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Span } from '../../../../text/span.ts';
import { nameOfKey } from '../text/yamlTree.ts';
import { ImpossibleEdit } from './editedValue.ts';
import type { FlowItem } from './flowCollection.ts';
import { trimmedEnd, columnOf, eolOf } from './lines.ts';
import type { YamlStyle } from './yamlText.ts';

/* Exact places of the tokens of a YAML document. Ends exclude comments and line breaks after a value, unlike those of nodes. */

export type Layout = ScalarLayout | CollectionLayout;

export interface ScalarLayout extends Span {
  readonly kind: 'scalar';
  /** Quotation mark around the text. */
  readonly quote: '"' | "'" | undefined;
  /** Comment after the indicator of a block scalar. */
  readonly comment: string | undefined;
  readonly isNull: boolean;
}

export interface CollectionLayout extends Span {
  readonly kind: 'map' | 'list';
  readonly flow: boolean;
  readonly items: readonly ItemLayout[];
}

/** A member of a map, or an item of a list. */
export interface ItemLayout extends FlowItem {
  readonly key: { readonly name: string; readonly span: Span; readonly quote: '"' | "'" | undefined } | undefined;
  /** End of the colon or dash before the value. Undefined if there is none. */
  readonly indicatorEnd: number | undefined;
  /** Comment between the indicator and the value, on the line of the indicator. */
  readonly comment: string | undefined;
  /** Whether a tag defines the type of the value. */
  readonly tagged: boolean;
  /** Undefined if the value has no text. */
  readonly value: Layout | undefined;
}

type Tokens = readonly CST.SourceToken[];

/** @throws ImpossibleEdit for syntax that edits do not support */
export function layoutOf(node: Node | null | undefined): Layout | undefined {
  const token = node?.srcToken;
  if (!node || !token || (token.type === 'scalar' && token.source === '')) return undefined;
  const start = token.offset;
  switch (token.type) {
    case 'alias':
    case 'scalar':
    case 'single-quoted-scalar':
    case 'double-quoted-scalar':
      return { ...scalar(node, token.type), start, end: start + token.source.length, comment: undefined };
    case 'block-scalar': {
      const header = token.props as Tokens;
      const length = header.reduce((sum, { source }) => sum + source.length, token.source.length);
      // The chomping indicator + keeps the blank lines at the end.
      const isKept = header.some(({ type, source }) => type === 'block-scalar-header' && source.includes('+'));
      const written = header.map(({ source }) => source).join('') + token.source;
      const end = start + (isKept ? length : trimmedEnd(written, { start: 0, end: length }));
      return { ...scalar(node, token.type), start, end, comment: commentIn(header) };
    }
    case 'block-map':
    case 'block-seq': {
      const items = itemsOf(node, token);
      const last = items.at(-1) ?? impossible();
      return { kind: isMap(node) ? 'map' : 'list', flow: false, start: items[0]?.start ?? start, end: last.end, items };
    }
    case 'flow-collection': {
      const [bracket] = token.end;
      if (bracket?.type !== 'flow-map-end' && bracket?.type !== 'flow-seq-end') return impossible();
      const items = itemsOf(node, token);
      return { kind: isMap(node) ? 'map' : 'list', flow: true, start, end: bracket.offset + 1, items };
    }
    default:
      return impossible();
  }
}

function scalar(node: Node, type: string): Pick<ScalarLayout, 'kind' | 'quote' | 'isNull'> {
  const quotes = { 'single-quoted-scalar': "'", 'double-quoted-scalar': '"' } as const;
  const quote = quotes[type as keyof typeof quotes] as '"' | "'" | undefined;
  return { kind: 'scalar', quote, isNull: isScalar(node) && node.value === null };
}

type CollectionToken = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;
type ItemToken = CollectionToken['items'][number];

function itemsOf(node: Node, { items }: CollectionToken): ItemLayout[] {
  const commas = items.map(({ start }) => start.find(({ type }) => type === 'comma')?.offset);
  const at = (token: ItemToken, item: Pick<ItemLayout, 'key' | 'value'>) =>
    itemOf(token, item, commas[(items as readonly ItemToken[]).indexOf(token) + 1]);
  if (isMap(node))
    return (node as YAMLMap<Node, Node | null>).items.map((pair) => {
      const token = (pair as Pair).srcToken;
      return token ? at(token, { key: keyOf(pair.key, token), value: layoutOf(pair.value) }) : impossible();
    });
  if (!isSeq(node)) return impossible();
  const tokens = items.filter((item) => item.value ?? item.start.some(({ type }) => type === 'seq-item-ind'));
  const nodes = (node as YAMLSeq<Node | null>).items;
  if (tokens.length !== nodes.length) return impossible();
  return tokens.map((token, index) => at(token, { key: undefined, value: layoutOf(nodes[index]) }));
}

function keyOf(key: Node, token: ItemToken): NonNullable<ItemLayout['key']> {
  const layout = layoutOf(key);
  const isExplicit = token.start.some(({ type }) => type === 'explicit-key-ind');
  if (!isScalar(key) || layout?.kind !== 'scalar' || isExplicit) return impossible();
  return { name: nameOfKey(key), span: { start: layout.start, end: layout.end }, quote: layout.quote };
}

function itemOf(
  { start: before, sep = [] }: ItemToken,
  { key, value }: Pick<ItemLayout, 'key' | 'value'>,
  comma: number | undefined,
): ItemLayout {
  const isIndicator = ({ type }: CST.SourceToken) => type === 'map-value-ind' || type === 'seq-item-ind';
  const isProperty = ({ type }: CST.SourceToken) => type === 'anchor' || type === 'tag';
  const tokens = key ? sep : before;
  const at = tokens.findIndex(isIndicator);
  const indicator = tokens[at];
  const properties = (key ? sep : before.slice(at + 1)).filter(isProperty);
  const between = tokens.slice(at + 1);
  const lineBreak = between.findIndex(({ type }) => type === 'newline');
  const ownStart = before.find((token) => isProperty(token) || token.type === 'seq-item-ind')?.offset;
  const start = ownStart ?? key?.span.start ?? value?.start ?? impossible();
  const ends = [key?.span.end, indicator && endOf(indicator), ...properties.map(endOf), value?.end];
  return {
    key,
    start,
    end: Math.max(start, ...ends.map((end) => end ?? 0)),
    comma,
    indicatorEnd: indicator && endOf(indicator),
    comment: commentIn(lineBreak < 0 ? between : between.slice(0, lineBreak)),
    tagged: properties.some(({ type }) => type === 'tag'),
    value,
  };
}

function commentIn(tokens: Tokens): string | undefined {
  return tokens.find(({ type }) => type === 'comment')?.source;
}

function endOf({ offset, source }: CST.SourceToken): number {
  return offset + source.length;
}

function impossible(): never {
  throw new ImpossibleEdit('The text has syntax that edits do not support');
}

/** Returns the style of a document, from the first map, list, and quoted string inside its maps. */
export function styleOf(text: string, root: Layout | undefined): YamlStyle {
  const items = root ? [...itemsIn(root)] : [];
  const indentOf = (kind: 'map' | 'list') => {
    const indents = items.flatMap(({ key, start, value }) => {
      const isBlock = key !== undefined && value?.kind === kind && !value.flow;
      return isBlock ? [columnOf(text, value.start) - columnOf(text, start)] : [];
    });
    return indents[0];
  };
  const mapIndent = Math.max(1, indentOf('map') ?? 2);
  const quotes = items.map(({ value }) => (value?.kind === 'scalar' ? value.quote : undefined));
  return {
    eol: eolOf(text),
    mapIndent,
    listIndent: indentOf('list') ?? mapIndent,
    singleQuote: quotes.find((quote) => quote !== undefined) === "'",
  };
}

function* itemsIn(layout: Layout): Generator<ItemLayout> {
  if (layout.kind === 'scalar') return;
  for (const item of layout.items) {
    yield item;
    if (item.value) yield* itemsIn(item.value);
  }
}
