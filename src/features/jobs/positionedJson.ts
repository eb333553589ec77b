import { findNodeAtLocation, parseTree, printParseErrorCode, type ParseError, type ParseOptions } from 'jsonc-parser';

type Path = readonly (string | number)[];

/** Result of parsing strict JSON. */
export type PositionedJson =
  | {
      readonly value: unknown;
      /** Returns the start of the value at a path, or of its nearest existing parent. Offsets are in UTF-16 code units. */
      readonly offsetOf: (path: Path) => number;
    }
  /** Invalid JSON and the position of the mistake. Only some messages of `JSON.parse` contain the position. */
  | { readonly error: string; readonly offset: number };

const STRICT: ParseOptions = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/** Maximum nesting, in levels. `JSON.stringify` and the search for a position fail on deeper values. */
const MAX_DEPTH = 500;
const TOO_DEEP = `nesting is limited to ${MAX_DEPTH} levels`;

/** Parses JSON like `JSON.parse`. Returns the positions of the values, or the position of the first mistake. */
export function parsePositionedJson(text: string): PositionedJson {
  try {
    const value: unknown = JSON.parse(text);
    if (isTooDeep(value)) return { error: TOO_DEEP, offset: 0 };
    return { value, offsetOf: (path) => nearestOffset(text, path) };
  } catch (error) {
    return firstSyntaxError(text) ?? { error: (error as Error).message, offset: 0 };
  }
}

/** Walks the value level by level, so deep nesting cannot exhaust the stack. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : []));
  }
  return false;
}

function firstSyntaxError(text: string): { error: string; offset: number } | undefined {
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, STRICT);
  } catch {
    return { error: TOO_DEEP, offset: 0 };
  }
  const [first] = errors;
  return (
    first && { error: messages[printParseErrorCode(first.error)] ?? 'the text cannot be parsed', offset: first.offset }
  );
}

function nearestOffset(text: string, path: Path): number {
  const root = parseTree(text);
  for (let length = path.length; root && length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node) return node.offset;
  }
  return root?.offset ?? 0;
}

/** Messages by the parser's name of an error. */
const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a value; strings need double quotes',
  InvalidNumberFormat: 'this is not a number',
  PropertyNameExpected: 'a property name in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'a closing brace is expected',
  CloseBracketExpected: 'a closing bracket is expected',
  EndOfFileExpected: 'unexpected text after the end of the value',
  InvalidCommentToken: 'comments are not allowed in JSON',
  UnexpectedEndOfComment: 'comments are not allowed in JSON',
  UnexpectedEndOfString: 'this string is not terminated',
  UnexpectedEndOfNumber: 'this number is incomplete',
  InvalidUnicode: 'this is not a valid Unicode escape',
  InvalidEscapeCharacter: 'this is not a valid escape sequence',
  InvalidCharacter: 'this character must be escaped in a string',
};
