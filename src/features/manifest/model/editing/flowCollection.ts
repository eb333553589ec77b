import type { TextChange, Span } from '../../../../text/span.ts';
import { eolOf, indentOf, lineEnd, lineStart, nextLine } from './lines.ts';

/* Collections in braces or brackets. JSON and the flow style of YAML have the same edits. */

export interface FlowItem extends Span {
  /** Offset of the comma after the item. Undefined for a last item without one. */
  readonly comma: number | undefined;
}

export interface FlowShape {
  /** Offset after the opening bracket. */
  readonly open: number;
  /** Offset of the closing bracket. */
  readonly close: number;
  readonly items: readonly FlowItem[];
}

/** Returns whether the last item starts on a line of its own. */
export function hasOwnLines(text: string, { items }: Pick<FlowShape, 'items'>): boolean {
  const last = items.at(-1);
  return last !== undefined && text.slice(lineStart(text, last.start), last.start).trim() === '';
}

/** Appends an item to a collection. Without items, the collection keeps its comments. */
export function appended(text: string, shape: FlowShape, item: string): TextChange[] {
  const last = shape.items.at(-1);
  if (!last) return [insertion(shape.open, ` ${item}`)];
  const { end, comma } = last;
  if (!hasOwnLines(text, shape))
    return [comma === undefined ? insertion(end, `, ${item}`) : insertion(comma + 1, ` ${item},`)];
  const line = eolOf(text) + indentOf(text, last.start) + item;
  const after = comma === undefined ? end : comma + 1;
  const at = endOfTrailingComment(text, after, shape.close);
  if (comma !== undefined) return [insertion(at, `${line},`)];
  return at === end ? [insertion(end, `,${line}`)] : [insertion(end, ','), insertion(at, line)];
}

/** Removes an item with its comma. Comments between items stay. */
export function removed(text: string, shape: FlowShape, index: number): TextChange[] {
  const { items, open, close } = shape;
  const item = items[index];
  if (!item) return [];
  const { start, end, comma } = item;
  const after = comma === undefined ? end : comma + 1;
  const previous = items[index - 1];
  const next = items[index + 1];
  if (!previous && !next)
    return [isBlank(text, open, start) && isBlank(text, after, close) ? deletion(open, close) : deletion(start, after)];
  // A last item without a comma leaves the comma of the previous item.
  const commaBefore = comma === undefined && previous?.comma !== undefined ? previous.comma : undefined;
  const withCommaBefore = (own: TextChange) =>
    commaBefore === undefined ? [own] : [deletion(commaBefore, commaBefore + 1), own];
  const from = lineStart(text, start);
  const lineBreak = endOfTrailingComment(text, after, close);
  const isWholeLine = isBlank(text, from, start) && lineBreak === lineEnd(text, after) && lineBreak < close;
  if (isWholeLine) return withCommaBefore(deletion(from, nextLine(text, lineBreak)));
  if (previous?.comma !== undefined && isBlank(text, previous.end, start, previous.comma))
    return [deletion(previous.end, end)];
  if (next && isBlank(text, after, next.start)) return [deletion(start, next.start)];
  return withCommaBefore(deletion(start, after));
}

/** Returns the end of the line if only a comment follows, otherwise the given offset. */
function endOfTrailingComment(text: string, after: number, close: number): number {
  const end = lineEnd(text, after);
  const rest = text.slice(after, end);
  const isComment = /^[ \t]*($|#|\/\/|\/\*(?:(?!\*\/).)*\*\/[ \t]*$)/.test(rest);
  return isComment && end <= close ? end : after;
}

/** @param except offset of a character that does not count, such as a comma */
function isBlank(text: string, start: number, end: number, except?: number): boolean {
  const rest = except === undefined ? text.slice(start, end) : text.slice(start, except) + text.slice(except + 1, end);
  return rest.trim() === '';
}

export function insertion(at: number, text: string): TextChange {
  return { start: at, end: at, text };
}

export function deletion(start: number, end: number): TextChange {
  return { start, end, text: '' };
}
