import * as l10n from '@vscode/l10n';
import {
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
  type ParseOptions,
} from 'jsonc-parser';
import type { Path } from '../../../contract/violation.ts';
import type { Span } from '../../../text/span.ts';

/** Result of parsing JSON. */
export type PositionedJson =
  | {
      readonly value: unknown;
      /** Returns the value at a path, or its nearest existing parent. */
      readonly spanOf: (path: Path) => Span;
      /** Returns the key of the member at a path. Undefined for the root, an item of a list, and a missing member. */
      readonly keyOf: (path: Path) => Span | undefined;
    }
  /** Invalid JSON and the position of the mistake. Only some messages of `JSON.parse` contain the position. */
  | { readonly error: string; readonly offset: number };

const STRICT: ParseOptions = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };
const WITH_COMMENTS: ParseOptions = { disallowComments: false, allowTrailingComma: true, allowEmptyContent: false };

/** Maximum nesting, in levels. `JSON.stringify` and the search for a position fail on deeper values. */
export const MAX_DEPTH = 500;
const TOO_DEEP = l10n.t`nesting is limited to ${MAX_DEPTH} levels`;

/** Parses JSON like `JSON.parse`. Returns the positions of the values, or the position of the first mistake. */
export function parsePositionedJson(text: string): PositionedJson {
  try {
    const value: unknown = JSON.parse(text);
    if (isTooDeep(value)) return { error: TOO_DEEP, offset: 0 };
    return { value, ...positionsIn(() => parseTree(text)) };
  } catch (error) {
    return firstSyntaxError(text, STRICT) ?? { error: (error as Error).message, offset: 0 };
  }
}

/** Parses JSON with comments and trailing commas. Returns the positions of the values, or the position of the first mistake. */
export function parseCommentedJson(text: string): PositionedJson {
  const mistake = firstSyntaxError(text, WITH_COMMENTS);
  if (mistake) return mistake;
  const root = parseTree(text, [], WITH_COMMENTS);
  if (!root) return { error: messages['ValueExpected'] ?? '', offset: 0 };
  if (depthOf(root) > MAX_DEPTH) return { error: TOO_DEEP, offset: 0 };
  return { value: valueOf(root), ...positionsIn(() => root) };
}

/** Walks the tree level by level, so deep nesting cannot exhaust the stack. */
function depthOf(root: Node): number {
  let depth = 0;
  for (let level: Node[] = [root]; level.length > 0; depth++)
    level = level.flatMap(({ children = [] }) =>
      children.flatMap((one) => (one.type === 'property' ? (one.children ?? []) : one)),
    );
  return depth;
}

/** Returns the value of a node. A key such as `__proto__` becomes an own property. The last of several equal keys counts. */
function valueOf({ type, children = [], value }: Node): unknown {
  if (type === 'array') return children.map(valueOf);
  if (type !== 'object') return value;
  const members = children.map(({ children: [key, member] = [] }) => [String(key?.value), member && valueOf(member)]);
  return Object.fromEntries(members);
}

/** Walks the value level by level, so deep nesting cannot exhaust the stack. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : []));
  }
  return false;
}

function firstSyntaxError(text: string, options: ParseOptions): { error: string; offset: number } | undefined {
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, options);
  } catch {
    return { error: TOO_DEEP, offset: 0 };
  }
  const [first] = errors;
  return (
    first && {
      error: messages[printParseErrorCode(first.error)] ?? l10n.t('the text cannot be parsed'),
      offset: first.offset,
    }
  );
}

function positionsIn(
  treeOf: () => Node | undefined,
): Pick<Extract<PositionedJson, { value: unknown }>, 'spanOf' | 'keyOf'> {
  return {
    spanOf: (path) => {
      const root = treeOf();
      for (let length = path.length; root && length > 0; length--) {
        const node = findNodeAtLocation(root, path.slice(0, length));
        if (node) return spanOfNode(node);
      }
      return root ? spanOfNode(root) : { start: 0, end: 0 };
    },
    keyOf: (path) => {
      const root = treeOf();
      const property = root && path.length > 0 ? findNodeAtLocation(root, [...path])?.parent : undefined;
      const key = property?.type === 'property' ? property.children?.[0] : undefined;
      return key && spanOfNode(key);
    },
  };
}

function spanOfNode({ offset, length }: Node): Span {
  return { start: offset, end: offset + length };
}

/** Messages by the parser's name of an error. */
const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: l10n.t('this is not a value; strings need double quotes'),
  InvalidNumberFormat: l10n.t('this is not a number'),
  PropertyNameExpected: l10n.t('a property name in double quotes is expected'),
  ValueExpected: l10n.t('a value is expected'),
  ColonExpected: l10n.t('a colon is expected'),
  CommaExpected: l10n.t('a comma is expected'),
  CloseBraceExpected: l10n.t('a closing brace is expected'),
  CloseBracketExpected: l10n.t('a closing bracket is expected'),
  EndOfFileExpected: l10n.t('unexpected text after the end of the value'),
  InvalidCommentToken: l10n.t('comments are not allowed in JSON'),
  UnexpectedEndOfComment: l10n.t('comments are not allowed in JSON'),
  UnexpectedEndOfString: l10n.t('this string is not terminated'),
  UnexpectedEndOfNumber: l10n.t('this number is incomplete'),
  InvalidUnicode: l10n.t('this is not a valid Unicode escape'),
  InvalidEscapeCharacter: l10n.t('this is not a valid escape sequence'),
  InvalidCharacter: l10n.t('this character must be escaped in a string'),
};

/** Returns the value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[step] : undefined,
    value,
  );
}
