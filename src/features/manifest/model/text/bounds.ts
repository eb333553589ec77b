import * as l10n from '@vscode/l10n';
import { isAlias, isMap, isScalar, isSeq, type Document, type Node } from 'yaml';
import type { Span } from '../../../../text/span.ts';
import type { ManifestNode } from './node.ts';
import { isMergeKey, nameOfKey } from './yamlTree.ts';

/* Limits for manifests, so that parsing never blocks the editor. Real manifests stay far below them. */

/** Maximum length of a manifest, in UTF-16 code units. */
export const LONGEST_MANIFEST = 64 * 1024;
/** Maximum number of endpoints in one file. */
export const MAX_PARTS = 100;
/** Maximum number of problems that one manifest reports. */
export const MAX_PROBLEMS = 100;
/** Maximum number of nested levels, with aliases expanded. The contract's own shapes have four levels. */
const DEEPEST = 32;
/** Maximum number of aliases. The parser searches for the anchor of each alias from the start of the document. */
const MAX_ALIASES = 200;
/** Maximum number of values, with aliases expanded. */
const MAX_VALUES = 50_000;

/** Reasons why a text has no value although its syntax is valid. */
export type BoundCode =
  | 'tooLong'
  | 'tooManyParts'
  | 'tooDeep'
  | 'tooManyAliases'
  | 'tooManyValues'
  | 'invalidAlias'
  | 'invalidMerge'
  | 'duplicateProperty'
  | 'invalidPropertyName';

export interface BoundProblem extends Span {
  readonly code: BoundCode;
  readonly message: string;
}

/** Returns whether the content is so large that its tree must not be built. */
export function isExcess({ code }: Pick<BoundProblem, 'code'>): boolean {
  return code === 'tooDeep' || code === 'tooManyAliases' || code === 'tooManyValues';
}

export const TOO_DEEP = { code: 'tooDeep', message: l10n.t`Nesting is limited to ${DEEPEST} levels` } as const;

const INVALID_MERGE = { code: 'invalidMerge', message: l10n.t('A merge key takes a map, or a list of maps') } as const;

const DUPLICATE = { code: 'duplicateProperty', message: l10n.t('Duplicate property') } as const;

/** The size of a node and its descendants, with aliases expanded. */
interface Extent {
  readonly values: number;
  readonly depth: number;
  readonly content: 'map' | 'listOfMaps' | 'other';
}

const VALUE: Extent = { values: 1, depth: 1, content: 'other' };
/** Stands for a node that is not known. */
const UNKNOWN: Extent = { ...VALUE, content: 'map' };

/**
 * Finds the reasons why a YAML document cannot become a value. They are keys that are not strings, duplicate keys, invalid aliases
 * and merge keys, and too many aliases, values, or levels. Visits each node once and does not expand aliases.
 */
export function yamlBoundProblems(document: Document): readonly BoundProblem[] {
  const problems: BoundProblem[] = [];
  /** The size of the latest node with each anchor; undefined while that node is being visited. */
  const anchors = new Map<string, Extent | undefined>();
  const report = (node: Node | null | undefined, problem: Pick<BoundProblem, 'code' | 'message'>) => {
    const [start, end] = node?.range ?? [0, 0];
    // Reports excessive depth once, because all descendants of such a node are too deep as well.
    if (problem.code === 'tooDeep' && problems.some(({ code }) => code === 'tooDeep')) return;
    if (problems.length < MAX_PROBLEMS || isExcess(problem)) problems.push({ start, end, ...problem });
  };
  let aliases = 0;
  const total = visit(document.contents, 1);
  if (total.values > MAX_VALUES && !problems.some(isExcess))
    report(document.contents, {
      code: 'tooManyValues',
      message: l10n.t`Aliases expand this manifest to more than ${MAX_VALUES} values`,
    });
  return problems;

  function visit(node: Node | null | undefined, level: number): Extent {
    if (isAlias(node)) return extentOfAlias(node, level);
    if (!isMap(node) && !isSeq(node)) return anchored(node, VALUE);
    if (level > DEEPEST) {
      report(node, TOO_DEEP);
      return UNKNOWN;
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, undefined);
    const parts = isMap(node) ? membersOf(node.items, level) : node.items.map((item) => visit(item as Node, level + 1));
    return anchored(node, {
      values: parts.reduce((sum, { values }) => Math.min(sum + values, MAX_VALUES + 1), 1),
      depth: 1 + parts.reduce((most, { depth }) => Math.max(most, depth), 0),
      content: isMap(node) ? 'map' : parts.every(({ content }) => content === 'map') ? 'listOfMaps' : 'other',
    });
  }

  function anchored(node: Node | null | undefined, extent: Extent): Extent {
    const anchor = (node as { anchor?: string } | null | undefined)?.anchor;
    if (anchor !== undefined) anchors.set(anchor, extent);
    return extent;
  }

  function extentOfAlias(alias: Node & { readonly source: string }, level: number): Extent {
    const { source } = alias;
    if (++aliases === MAX_ALIASES + 1)
      report(alias, { code: 'tooManyAliases', message: l10n.t`A manifest can have at most ${MAX_ALIASES} aliases` });
    const extent = anchors.get(source);
    const invalid = (message: string) => report(alias, { code: 'invalidAlias', message });
    if (!anchors.has(source)) invalid(l10n.t`No anchor &${source} is defined before this alias`);
    else if (!extent) invalid(l10n.t`This alias is inside its own anchor &${source}`);
    else if (level + extent.depth > DEEPEST + 1) report(alias, TOO_DEEP);
    return extent ?? UNKNOWN;
  }

  function membersOf(items: readonly { readonly key: unknown; readonly value: unknown }[], level: number): Extent[] {
    const names = new Set<string>();
    return items.map(({ key, value }) => {
      if (isScalar(key)) {
        const name = nameOfKey(key);
        if (names.has(name)) report(key, DUPLICATE);
        names.add(name);
        anchored(key, VALUE);
      } else
        report(key as Node | undefined, {
          code: 'invalidPropertyName',
          message: l10n.t('A property name must be a string'),
        });
      const extent = visit(value as Node | null, level + 1);
      if (isScalar(key) && isMergeKey(key) && extent.content === 'other') report(key, INVALID_MERGE);
      return extent;
    });
  }
}

/** Finds duplicate properties and excessive nesting in a JSON tree. */
export function jsonBoundProblems(root: ManifestNode): readonly BoundProblem[] {
  const problems: BoundProblem[] = [];
  visit(root, 1);
  return problems.slice(0, MAX_PROBLEMS);

  function visit(node: ManifestNode, level: number): void {
    if (node.kind === 'scalar') return;
    if (level > DEEPEST) {
      if (!problems.some(({ code }) => code === 'tooDeep'))
        problems.push({ start: node.start, end: node.end, ...TOO_DEEP });
      return;
    }
    if (node.kind === 'list') {
      node.items.forEach((item) => visit(item, level + 1));
      return;
    }
    const names = new Set<string>();
    for (const { key, keySpan, value } of node.members) {
      if (names.has(key)) problems.push({ ...keySpan, ...DUPLICATE });
      names.add(key);
      visit(value, level + 1);
    }
  }
}
