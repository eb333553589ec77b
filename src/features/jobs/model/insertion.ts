import { createScanner } from 'jsonc-parser';
import type { Span } from '../../../text/span.ts';

/* Insertion of values into JSON with comments, where the text can be incomplete. */

/** Kinds of tokens of the scanner. Its enumeration is not available at run time. */
const Kind = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, comma: 5, colon: 6, text: 10 } as const;
const [LINE_COMMENT, BLOCK_COMMENT, END] = [12, 13, 17];
/** Error of the scanner for a string without an end. */
const UNTERMINATED = 2;

type Container = '{' | '[' | undefined;

/** The place between two tokens, or inside of a token. */
interface Place {
  readonly inside: 'string' | 'key' | 'other' | undefined;
  readonly container: Container;
  /** Whether a value or a member ends before the place, and so a comma is missing. */
  readonly followsValue: boolean;
  readonly followsColon: boolean;
}

/** A value to insert, and the name of its member where a member is required. */
export interface InsertedValue {
  readonly text: string;
  readonly member: string;
}

/**
 * Returns the text that replaces a part of a JSON text, so that it contains string values. Adds quotes, commas, and the name of a member
 * where the place requires them. Returns undefined where no value can be: in comments and property names, and outside of the root value.
 */
export function insertedStrings(
  text: string,
  { start, end }: Span,
  values: readonly InsertedValue[],
): string | undefined {
  const [first] = values;
  const place = placeAt(text, start);
  if (!first || !place) return undefined;
  if (place.inside === 'string') return JSON.stringify(first.text).slice(1, -1);
  if (place.inside !== undefined || place.container === undefined) return undefined;
  const strings = values.map(({ text: value }) => JSON.stringify(value)).join(', ');
  const one = values.length > 1 ? `[${strings}]` : strings;
  if (place.followsColon) return one;
  const before = place.followsValue ? ', ' : '';
  const after = startsValue(text, end) ? ', ' : '';
  return before + (place.container === '[' ? strings : `${JSON.stringify(first.member)}: ${one}`) + after;
}

function placeAt(text: string, offset: number): Place | undefined {
  const scanner = createScanner(text, false);
  const containers: Container[] = [];
  let before: number | undefined;
  for (let kind: number = scanner.scan(); kind !== END; kind = scanner.scan()) {
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    if (start >= offset) break;
    const container = containers.at(-1);
    const isTrivia = kind > 11 && kind < 16;
    const isOpen = kind === LINE_COMMENT || (scanner.getTokenError() as number) === UNTERMINATED;
    if (end > offset || (end === offset && isOpen)) {
      if (isTrivia && kind !== LINE_COMMENT && kind !== BLOCK_COMMENT) break;
      const isKey = container === '{' && before !== Kind.colon;
      const inside = kind === Kind.text ? (isKey ? 'key' : 'string') : 'other';
      return { inside, container, followsValue: false, followsColon: false };
    }
    if (isTrivia) continue;
    if (kind === Kind.openBrace) containers.push('{');
    if (kind === Kind.openBracket) containers.push('[');
    if (kind === Kind.closeBrace || kind === Kind.closeBracket) containers.pop();
    before = kind;
  }
  const opens: readonly (number | undefined)[] = [Kind.openBrace, Kind.openBracket, Kind.comma, Kind.colon, undefined];
  return {
    inside: undefined,
    container: containers.at(-1),
    followsValue: !opens.includes(before),
    followsColon: before === Kind.colon,
  };
}

/** Returns whether the next token after an offset starts a value or a member. */
function startsValue(text: string, offset: number): boolean {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  const next: number = scanner.scan();
  return next === Kind.openBrace || next === Kind.openBracket || (next > Kind.colon && next <= 11);
}
