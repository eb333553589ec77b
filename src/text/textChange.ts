import type { Span } from './span.ts';

/** A replacement of a span of the text. */
export interface TextChange extends Span {
  readonly text: string;
}
