import type { Span } from '../../../../text/span.ts';
import type { ManifestNode } from './node.ts';
import type { ParsedPart } from './parsed.ts';

/** Returns the span of a node, without white space at its end. */
export function extentOf(node: ManifestNode, text: string): Span {
  return trimmed(node, text);
}

/** Returns the span of a member with its key. */
export function memberExtent(member: { readonly keySpan: Span; readonly value: ManifestNode }, text: string): Span {
  const { keySpan, value } = member;
  const isAfterKey = value.start >= keySpan.end;
  const end = Math.max(keySpan.end, isAfterKey ? extentOf(value, text).end : 0);
  return trimmed({ start: keySpan.start, end }, text);
}

/** Returns the span of the content of one endpoint. */
export function partExtent({ start, end, root }: ParsedPart, text: string): Span {
  const from = Math.min(start, root?.start ?? start);
  return trimmed({ start: from, end: Math.max(end, from) }, text);
}

/** Returns the span between the quotation marks of a quoted string, or the span of any other scalar. */
export function withoutQuotes({ start, end }: Span, text: string): Span {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return { start, end };
  const isClosed = end - start > 1 && text[end - 1] === quote;
  return { start: start + 1, end: isClosed ? end - 1 : end };
}

function trimmed({ start, end }: Span, text: string): Span {
  let last = Math.min(end, text.length);
  while (last > start && /\s/.test(text[last - 1] ?? '')) last--;
  return { start, end: Math.max(last, start) };
}
