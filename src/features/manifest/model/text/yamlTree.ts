import * as l10n from '@vscode/l10n';
import { isAlias, isMap, isScalar, isSeq, type Alias, type Document, type Node, type Scalar, type YAMLMap } from 'yaml';
import type { Span } from '../../../../text/span.ts';
import {
  DEEPEST,
  DUPLICATE,
  isExcess,
  MAX_ALIASES,
  MAX_PROBLEMS,
  MAX_VALUES,
  TOO_DEEP,
  type BoundProblem,
} from './bounds.ts';
import { spanIn } from './locate.ts';
import type { ManifestNode, Member, ScalarNode } from './node.ts';

/** Returns the name of a property as it is written, such as `NULL` or `1.0`. The parser reads such keys as null and 1. */
export function nameOfKey({ value, source }: Scalar): string {
  return typeof value === 'string' ? value : (source ?? String(value));
}

/** A converted node, and the size of its content with aliases expanded. */
interface Converted {
  readonly node: ManifestNode;
  readonly values: number;
  readonly depth: number;
  readonly content: 'map' | 'listOfMaps' | 'other';
}

const VALUE = { values: 1, depth: 1, content: 'other' } as const;
/** The size of a node that is not known. */
const UNKNOWN = { ...VALUE, content: 'map' } as const;

/**
 * Converts the nodes of a YAML document, even of one with errors. Visits each node once: an alias shares the content of its anchor, so that
 * the tree has at most as many nodes as the text.
 *
 * Returns the reasons why the document cannot become a value, too. They are keys that are not strings, duplicate keys, invalid aliases and
 * merge keys, and too many aliases, values, or levels. The tree is undefined for a document without content or with excessive content.
 */
export function yamlTree(
  { contents }: Document,
  text: string,
): { readonly root: ManifestNode | undefined; readonly problems: readonly BoundProblem[] } {
  const problems: BoundProblem[] = [];
  /** The latest node with each anchor; undefined while that node is being converted. */
  const anchors = new Map<string, Converted | undefined>();
  let aliases = 0;
  let merges = 0;
  const root = contents ? convert(contents, 0, 1) : undefined;
  if (root && root.values > MAX_VALUES && !problems.some(isExcess))
    report(contents, {
      code: 'tooManyValues',
      message: l10n.t`Aliases expand this manifest to more than ${MAX_VALUES} values`,
    });
  return { root: problems.some(isExcess) ? undefined : root?.node, problems };

  function report(node: unknown, problem: Pick<BoundProblem, 'code' | 'message'>): void {
    // Reports excessive depth once, because all descendants of such a node are too deep as well.
    if (problem.code === 'tooDeep' && problems.some(({ code }) => code === 'tooDeep')) return;
    if (problems.length < MAX_PROBLEMS || isExcess(problem)) problems.push({ ...spanOf(node as Node), ...problem });
  }

  function spanOf(node: Node | null | undefined): Span {
    const [start, end] = node?.range ?? [0, 0];
    return spanIn(text, { start, end });
  }

  /** @param end end of the text before the node, which is the position of a node without text */
  function convert(node: Node | null, end: number, level: number): Converted {
    if (isAlias(node)) return aliasOf(node, level);
    const span = node ? spanOf(node) : { start: end, end };
    const isCollection = isMap(node) || isSeq(node);
    if (isCollection && level > DEEPEST) {
      report(node, TOO_DEEP);
      return { node: emptyScalar(span.end), ...UNKNOWN };
    }
    const { anchor } = (node ?? {}) as { readonly anchor?: string };
    if (anchor !== undefined) anchors.set(anchor, undefined);
    const converted = isMap(node)
      ? mapOf(node as YAMLMap<Node, Node | null>, span, level)
      : isSeq(node)
        ? listOf(node.items as (Node | null)[], node.flow === true, span, level)
        : { node: isScalar(node) ? scalarNode(node, span) : emptyScalar(span.end), ...VALUE };
    if (anchor !== undefined) anchors.set(anchor, converted);
    return converted;
  }

  function listOf(nodes: readonly (Node | null)[], flow: boolean, span: Span, level: number): Converted {
    const items = nodes.map((item) => convert(item, span.end, level + 1));
    const isOfMaps = items.every(({ content }) => content === 'map');
    const node: ManifestNode = { kind: 'list', ...span, items: items.map((item) => item.node), flow };
    return { node, ...sizeOf(items), content: isOfMaps ? 'listOfMaps' : 'other' };
  }

  function mapOf({ items, flow }: YAMLMap<Node, Node | null>, span: Span, level: number): Converted {
    const members: Member[] = [];
    const merged: Member[] = [];
    const names = new Set<string>();
    const values = items.map(({ key, value }) => {
      const keySpan = spanOf(key);
      if (!isScalar(key)) {
        report(key, { code: 'invalidPropertyName', message: l10n.t('A property name must be a string') });
        return convert(value, keySpan.end, level + 1);
      }
      const name = nameOfKey(key);
      if (names.has(name)) report(key, DUPLICATE);
      names.add(name);
      if (key.anchor !== undefined) anchors.set(key.anchor, { node: scalarNode(key, keySpan), ...VALUE });
      const converted = convert(value, keySpan.end, level + 1);
      const { node } = converted;
      // The parser converts a merge key, which merges maps into the map that contains it, to a symbol.
      const merge = typeof key.value === 'symbol';
      if (merge && converted.content === 'other')
        report(key, { code: 'invalidMerge', message: l10n.t('A merge key takes a map, or a list of maps') });
      // The document has at least as many values as merged members.
      if (merge && (merges += converted.values) <= MAX_VALUES) merged.push(...mergedMembers(node));
      const end = Math.max(keySpan.end, node.end);
      members.push({ key: name, keySpan, value: node, ...(merge ? { merge } : {}), start: keySpan.start, end });
      return converted;
    });
    const node: ManifestNode = { kind: 'map', ...span, members, merged, flow: flow === true };
    return { node, ...sizeOf(values), content: 'map' };
  }

  function aliasOf(alias: Alias, level: number): Converted {
    const { source } = alias;
    const span = spanOf(alias);
    if (++aliases === MAX_ALIASES + 1)
      report(alias, { code: 'tooManyAliases', message: l10n.t`A manifest can have at most ${MAX_ALIASES} aliases` });
    const target = anchors.get(source);
    const invalid = (message: string) => report(alias, { code: 'invalidAlias', message });
    if (!anchors.has(source)) invalid(l10n.t`No anchor &${source} is defined before this alias`);
    else if (!target) invalid(l10n.t`This alias is inside its own anchor &${source}`);
    else if (level + target.depth > DEEPEST + 1) report(alias, TOO_DEEP);
    if (!target) return { node: { ...emptyScalar(span.start), ...span }, ...UNKNOWN };
    return { ...target, node: { ...target.node, ...span, alias: true } };
  }
}

function sizeOf(parts: readonly Converted[]): Pick<Converted, 'values' | 'depth'> {
  return {
    values: parts.reduce((sum, { values }) => Math.min(sum + values, MAX_VALUES + 1), 1),
    depth: 1 + parts.reduce((most, { depth }) => Math.max(most, depth), 0),
  };
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
