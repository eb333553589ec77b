import { isAlias, isMap, isScalar, isSeq, type Document, type Node } from 'yaml';
import type { Span } from './sourceMap.ts';

/* Limits for manifests, so that parsing never blocks the editor. Real manifests stay far below them. */

/** Maximum length of a manifest, in UTF-16 code units. */
export const LONGEST_MANIFEST = 64 * 1024;
/** Maximum number of problems that one manifest reports. */
export const MOST_PROBLEMS = 100;
/** Maximum number of nested levels, with aliases expanded. The contract's own shapes have four levels. */
const DEEPEST = 32;
/** Maximum number of aliases. The parser searches for the anchor of each alias from the start of the document. */
const MOST_ALIASES = 200;
/** Maximum number of values, with aliases expanded. */
const MOST_VALUES = 50_000;

export interface BoundProblem extends Span {
  readonly message: string;
}

export const TOO_DEEP = `Nesting is limited to ${DEEPEST} levels`;

/** The size of a node and its descendants, with aliases expanded. */
interface Extent {
  readonly values: number;
  readonly depth: number;
}

const VALUE: Extent = { values: 1, depth: 1 };

/**
 * Finds the reasons why a parsed document cannot become a value. They are keys that are not strings, duplicate keys, invalid aliases, and
 * too many aliases, values, or levels. Visits each node once and does not expand aliases.
 */
export function boundProblems(document: Document): readonly BoundProblem[] {
  const problems: BoundProblem[] = [];
  /** The size of the latest node with each anchor; undefined while that node is being visited. */
  const anchors = new Map<string, Extent | undefined>();
  const tell = (node: Node | null | undefined, message: string) => {
    const [start, end] = node?.range ?? [0, 0];
    // Reports excessive depth once, because all descendants of such a node are too deep as well.
    if (message === TOO_DEEP && problems.some((known) => known.message === TOO_DEEP)) return;
    if (problems.length < MOST_PROBLEMS) problems.push({ start, end, message });
  };
  let aliases = 0;
  const total = visit(document.contents, 1);
  if (total.values > MOST_VALUES && problems.length === 0)
    tell(document.contents, `Aliases expand this manifest to more than ${MOST_VALUES} values`);
  return problems;

  function visit(node: Node | null | undefined, level: number): Extent {
    if (isAlias(node)) return extentOfAlias(node, level);
    if (!isMap(node) && !isSeq(node)) return anchored(node, VALUE);
    if (level > DEEPEST) {
      tell(node, TOO_DEEP);
      return VALUE;
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, undefined);
    const parts = isMap(node) ? membersOf(node.items, level) : node.items.map((item) => visit(item as Node, level + 1));
    return anchored(node, {
      values: parts.reduce((sum, { values }) => Math.min(sum + values, MOST_VALUES + 1), 1),
      depth: 1 + parts.reduce((most, { depth }) => Math.max(most, depth), 0),
    });
  }

  function anchored(node: Node | null | undefined, extent: Extent): Extent {
    const anchor = (node as { anchor?: string } | null | undefined)?.anchor;
    if (anchor !== undefined) anchors.set(anchor, extent);
    return extent;
  }

  function extentOfAlias(alias: Node & { readonly source: string }, level: number): Extent {
    const { source } = alias;
    if (++aliases === MOST_ALIASES + 1) tell(alias, `A manifest can have at most ${MOST_ALIASES} aliases`);
    const extent = anchors.get(source);
    if (!anchors.has(source)) tell(alias, `No anchor &${source} is defined before this alias`);
    else if (!extent) tell(alias, `This alias is inside its own anchor &${source}`);
    else if (level + extent.depth > DEEPEST + 1) tell(alias, TOO_DEEP);
    return extent ?? VALUE;
  }

  function membersOf(items: readonly { readonly key: unknown; readonly value: unknown }[], level: number): Extent[] {
    const names = new Set<string>();
    return items.map(({ key, value }) => {
      if (isScalar(key)) {
        const name = String(key.value);
        if (names.has(name)) tell(key, 'Duplicate property');
        names.add(name);
        anchored(key, VALUE);
      } else tell(key as Node | undefined, 'A property name must be a string');
      return visit(value as Node | null, level + 1);
    });
  }
}
