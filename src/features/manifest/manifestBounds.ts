import { isAlias, isMap, isScalar, isSeq, type Document, type Node } from 'yaml';
import type { Span } from './sourceMap.ts';

/* What a manifest may be, so that reading one never stops the editor. A create body is far smaller. */

/** Longest text that is read, in UTF-16 units. */
export const LONGEST_MANIFEST = 64 * 1024;
/** Most problems that are told of one text. */
export const MOST_PROBLEMS = 100;
/** Deepest nesting, with what aliases stand for. The contract's own shapes are four levels deep. */
const DEEPEST = 32;
/** Most aliases: the parser looks for the anchor of each from the beginning. */
const MOST_ALIASES = 200;
/** Most values, with what aliases stand for. */
const MOST_VALUES = 50_000;

export interface BoundProblem extends Span {
  readonly message: string;
}

export const TOO_DEEP = `This is nested more than ${DEEPEST} levels deep, which no endpoint needs`;

/** What stands below a node, its aliases resolved. */
interface Extent {
  readonly values: number;
  readonly depth: number;
}

const VALUE: Extent = { values: 1, depth: 1 };

/**
 * What keeps a document that was parsed from being turned into a value: keys that are no text or are given twice, aliases without an
 * anchor or within it, and more values or levels than an endpoint needs. Visits each node once, whatever its aliases stand for.
 */
export function boundProblems(document: Document): readonly BoundProblem[] {
  const problems: BoundProblem[] = [];
  /** The latest anchor of each name; undefined while its node is being visited. */
  const anchors = new Map<string, Extent | undefined>();
  const tell = (node: Node | null | undefined, message: string) => {
    const [start, end] = node?.range ?? [0, 0];
    // Below what is too deep everything is.
    if (message === TOO_DEEP && problems.some((known) => known.message === TOO_DEEP)) return;
    if (problems.length < MOST_PROBLEMS) problems.push({ start, end, message });
  };
  let aliases = 0;
  const total = visit(document.contents, 1);
  if (total.values > MOST_VALUES && problems.length === 0)
    tell(document.contents, `Aliases make this larger than ${MOST_VALUES} values, which no endpoint needs`);
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
    if (++aliases === MOST_ALIASES + 1) tell(alias, `This is alias ${aliases}; no endpoint needs that many`);
    const extent = anchors.get(source);
    if (!anchors.has(source)) tell(alias, `There is no anchor &${source} before this`);
    else if (!extent) tell(alias, `This stands within its own anchor &${source}`);
    else if (level + extent.depth > DEEPEST + 1) tell(alias, TOO_DEEP);
    return extent ?? VALUE;
  }

  function membersOf(items: readonly { readonly key: unknown; readonly value: unknown }[], level: number): Extent[] {
    const names = new Set<string>();
    return items.map(({ key, value }) => {
      if (isScalar(key)) {
        const name = String(key.value);
        if (names.has(name)) tell(key, 'This property is given twice');
        names.add(name);
        anchored(key, VALUE);
      } else tell(key as Node | undefined, 'The name of a property is a text');
      return visit(value as Node | null, level + 1);
    });
  }
}
