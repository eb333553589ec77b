/** Offsets in a text, in UTF-16 code units. The end is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A replacement of a span of the text. */
export interface TextChange extends Span {
  readonly text: string;
}
