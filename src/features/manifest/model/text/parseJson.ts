import * as l10n from '@vscode/l10n';
import { parseTree, printParseErrorCode, type ParseError, type Node } from 'jsonc-parser';
import { isExcess, MAX_PROBLEMS, TOO_DEEP, DEEPEST, DUPLICATE, type BoundProblem } from './bounds.ts';
import { lineAt, spanIn } from './locate.ts';
import { type ManifestNode, type ParsedPart, type Member, type ScalarNode, valueOfTree } from './node.ts';
import { firstLine, visible, withCount, type ManifestProblem } from '../problem.ts';
import type { Span } from '../../../../text/span.ts';

/** Parses JSON with comments and trailing commas. */
export function parseJson(text: string): ParsedPart {
  const part = { index: 0, start: 0, end: text.length };
  const error = (problem: Pick<ManifestProblem, 'code' | 'message' | 'start' | 'end'>): ManifestProblem => ({
    ...problem,
    ...visible(firstLine(spanIn(text, problem), text), text),
    severity: 'error',
    part: 0,
  });
  const errors: ParseError[] = [];
  const outOfBounds: BoundProblem[] = [];
  let root: ManifestNode | undefined;
  try {
    // The scanner does not know the byte order mark.
    const parsed = parseTree(text.replace(/^\uFEFF/, ' '), errors, {
      allowTrailingComma: true,
      allowEmptyContent: true,
    });
    root = parsed && jsonTree(parsed, text, outOfBounds);
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    return { ...part, root: undefined, problems: [error({ ...TOO_DEEP, ...lineAt(text, 0) })] };
  }
  // Other services visit the tree by recursion.
  const tree = outOfBounds.some(isExcess) ? undefined : root;
  if (errors.length > 0) {
    const problems = errors.slice(0, MAX_PROBLEMS).map(({ error: code, offset, length }) =>
      error({
        code: 'syntax',
        message: syntaxWords[printParseErrorCode(code)],
        start: offset,
        end: offset + length,
      }),
    );
    return { ...part, root: tree, problems: withCount(errors.length, problems) };
  }
  if (!root) return { ...part, root, value: null, problems: [] };
  if (outOfBounds.length > 0) return { ...part, root: tree, problems: outOfBounds.slice(0, MAX_PROBLEMS).map(error) };
  return { ...part, start: root.start, root, value: valueOfTree(root), problems: [] };
}

const syntaxWords: Readonly<Record<ReturnType<typeof printParseErrorCode>, string>> = {
  InvalidSymbol: l10n.t('Unknown word: write a string in double quotes'),
  InvalidNumberFormat: l10n.t('Invalid number'),
  PropertyNameExpected: l10n.t('A property name in double quotes is expected'),
  ValueExpected: l10n.t('A value is expected'),
  ColonExpected: l10n.t('A colon is expected'),
  CommaExpected: l10n.t('A comma is expected'),
  CloseBraceExpected: l10n.t('A closing brace is expected'),
  CloseBracketExpected: l10n.t('A closing bracket is expected'),
  EndOfFileExpected: l10n.t('The end of the file is expected'),
  InvalidCommentToken: l10n.t('Invalid comment'),
  UnexpectedEndOfComment: l10n.t('The comment has no end'),
  UnexpectedEndOfString: l10n.t('The string has no closing quotation mark'),
  UnexpectedEndOfNumber: l10n.t('The number is incomplete'),
  InvalidUnicode: l10n.t('A Unicode escape has four hexadecimal digits, as in \\u00e9'),
  InvalidEscapeCharacter: l10n.t('Invalid escape character'),
  InvalidCharacter: l10n.t('Invalid character: write control characters as escapes, as in \\t'),
  '<unknown ParseErrorCode>': l10n.t('Invalid JSON'),
};

/**
 * Converts the nodes of a JSON text, even of one with errors. Adds duplicate properties and excessive nesting to the problems.
 *
 * @throws RangeError for nesting that exhausts the stack
 */
function jsonTree(root: Node, text: string, problems: BoundProblem[]): ManifestNode {
  return convert(root, 1);

  function spanOf({ offset, length }: Node): Span {
    return spanIn(text, { start: offset, end: offset + length });
  }

  function convert(node: Node, level: number): ManifestNode {
    const { type, children = [], value } = node;
    const span = spanOf(node);
    if (type !== 'object' && type !== 'array') {
      const style = type === 'string' ? 'quoted' : 'plain';
      return { kind: 'scalar', ...span, value: value as ScalarNode['value'], style };
    }
    if (level > DEEPEST) {
      if (!problems.some(isExcess)) problems.push({ ...span, ...TOO_DEEP });
      return { kind: 'scalar', ...span, value: null, style: 'plain' };
    }
    if (type === 'array')
      return { kind: 'list', ...span, items: children.map((item) => convert(item, level + 1)), flow: true };
    const names = new Set<string>();
    const members = children.map((child): Member => {
      const [key = child, inner] = child.children ?? [];
      const { start, end } = spanOf(child);
      const keySpan = spanOf(key);
      const name = String(key.value);
      if (names.has(name)) problems.push({ ...keySpan, ...DUPLICATE });
      names.add(name);
      const empty: ScalarNode = { kind: 'scalar', value: null, style: 'empty', start: end, end };
      return { key: name, keySpan, value: inner ? convert(inner, level + 1) : empty, start, end };
    });
    return { kind: 'map', ...span, members, merged: [], flow: true };
  }
}
