import { findNodeAtLocation, parseTree, printParseErrorCode, type ParseError, type ParseOptions } from 'jsonc-parser';

type Path = readonly (string | number)[];

/** A strict JSON text, read. */
export type PositionedJson =
  | {
      readonly value: unknown;
      /** Where the value at a path starts, or its nearest parent that is there. */
      readonly offsetOf: (path: Path) => number;
    }
  /** Not JSON; `offset` is where that shows. `JSON.parse` names the place in some of its messages only. */
  | { readonly error: string; readonly offset: number };

const STRICT: ParseOptions = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/** Deepest nesting, in levels. `JSON.stringify` and the search for a position fail on deeper values. */
const DEEPEST = 500;
const TOO_DEEP = `nesting is limited to ${DEEPEST} levels`;

/** Parses JSON as `JSON.parse` does and keeps the positions of its values, or that of the first mistake. */
export function parsePositionedJson(text: string): PositionedJson {
  try {
    const value: unknown = JSON.parse(text);
    if (isTooDeep(value)) return { error: TOO_DEEP, offset: 0 };
    return { value, offsetOf: (path) => nearestOffset(text, path) };
  } catch (error) {
    return firstMistake(text) ?? { error: (error as Error).message, offset: 0 };
  }
}

/** Walks the value level by level, so deep nesting cannot exhaust the stack. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : []));
  }
  return false;
}

function firstMistake(text: string): { error: string; offset: number } | undefined {
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, STRICT);
  } catch {
    return { error: TOO_DEEP, offset: 0 };
  }
  const [first] = errors;
  return first && { error: messages[printParseErrorCode(first.error)] ?? 'it cannot be read', offset: first.offset };
}

function nearestOffset(text: string, path: Path): number {
  const root = parseTree(text);
  for (let length = path.length; root && length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node) return node.offset;
  }
  return root?.offset ?? 0;
}

/** By the names the parser has for its errors. */
const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is no value; texts are in double quotes',
  InvalidNumberFormat: 'this is not a number',
  PropertyNameExpected: 'a member’s name in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'a closing brace is expected',
  CloseBracketExpected: 'a closing bracket is expected',
  EndOfFileExpected: 'there is more after the end of the value',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  UnexpectedEndOfString: 'this text is not closed',
  UnexpectedEndOfNumber: 'this number is not complete',
  InvalidUnicode: 'this is not a Unicode escape',
  InvalidEscapeCharacter: 'this is not an escape of JSON',
  InvalidCharacter: 'a text cannot hold this character as it is',
};
