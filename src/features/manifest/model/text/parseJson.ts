import { parseTree, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { isExcess, jsonBoundProblems, MAX_PROBLEMS, TOO_DEEP } from './bounds.ts';
import { jsonTree, valueOfTree } from './jsonTree.ts';
import { lineAt, spanIn } from './locate.ts';
import type { ManifestNode } from './node.ts';
import type { ParsedPart } from './parsed.ts';
import { firstLine, visible, withCount, type ManifestProblem } from '../problem.ts';

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
  let root: ManifestNode | undefined;
  try {
    // The scanner does not know the byte order mark.
    const parsed = parseTree(text.replace(/^\uFEFF/, ' '), errors, {
      allowTrailingComma: true,
      allowEmptyContent: true,
    });
    root = parsed && jsonTree(parsed, text);
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    return { ...part, root: undefined, problems: [error({ ...TOO_DEEP, ...lineAt(text, 0) })] };
  }
  const outOfBounds = root ? jsonBoundProblems(root) : [];
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
  if (outOfBounds.length > 0) return { ...part, root: tree, problems: outOfBounds.map(error) };
  return { ...part, start: root.start, root, value: valueOfTree(root), problems: [] };
}

const syntaxWords: Readonly<Record<ReturnType<typeof printParseErrorCode>, string>> = {
  InvalidSymbol: 'Unknown word: write a string in double quotes',
  InvalidNumberFormat: 'Invalid number',
  PropertyNameExpected: 'A property name in double quotes is expected',
  ValueExpected: 'A value is expected',
  ColonExpected: 'A colon is expected',
  CommaExpected: 'A comma is expected',
  CloseBraceExpected: 'A closing brace is expected',
  CloseBracketExpected: 'A closing bracket is expected',
  EndOfFileExpected: 'The end of the file is expected',
  InvalidCommentToken: 'Invalid comment',
  UnexpectedEndOfComment: 'The comment has no end',
  UnexpectedEndOfString: 'The string has no closing quotation mark',
  UnexpectedEndOfNumber: 'The number is incomplete',
  InvalidUnicode: 'A Unicode escape has four hexadecimal digits, as in \\u00e9',
  InvalidEscapeCharacter: 'Invalid escape character',
  InvalidCharacter: 'Invalid character: write control characters as escapes, as in \\t',
  '<unknown ParseErrorCode>': 'Invalid JSON',
};
