import type { Piece } from './httpFile.ts';
import type { Span } from '../../../text/span.ts';

/** A reference such as `{{name}}`. */
export interface Reference extends Span {
  /** Text between the braces, without space around it. */
  readonly content: string;
  readonly contentSpan: Span;
}

export type TemplatePart = { readonly literal: string } | { readonly reference: Reference };

/** Splits a text into literal text and references. Takes linear time. An unclosed reference is literal text. */
export function templateParts({ text, start }: Piece): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{\{([^{}\r\n]*)\}\}/g)) {
    const [whole, inner = ''] = match;
    if (match.index > end) parts.push({ literal: text.slice(end, match.index) });
    const content = inner.trim();
    const contentStart = start + match.index + 2 + (content === '' ? 0 : inner.indexOf(content));
    end = match.index + whole.length;
    parts.push({
      reference: {
        start: start + match.index,
        end: start + end,
        content,
        contentSpan: { start: contentStart, end: contentStart + content.length },
      },
    });
  }
  if (end < text.length) parts.push({ literal: text.slice(end) });
  return parts;
}

/** Returns the references in a text. */
export function referencesIn(piece: Piece): Reference[] {
  return templateParts(piece).flatMap((part) => ('reference' in part ? [part.reference] : []));
}

/** Returns the place of a `{{` that is not closed on its line, if there is one. */
export function unclosedReference({ text, start }: Piece): Span | undefined {
  const at = text.lastIndexOf('{{');
  return at === -1 || text.includes('}}', at) ? undefined : { start: start + at, end: start + text.length };
}
