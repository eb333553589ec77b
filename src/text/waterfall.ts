/* A waterfall of spans of time as text, in a monospaced font. */

/** What a span of time was spent on, which decides on its color. */
export type WaterfallTone = 'waiting' | 'starting' | 'working' | 'failing';

export interface WaterfallRow {
  readonly label: string;
  /** Number of spans that contain this one. */
  readonly depth: number;
  /** Start in ms since the epoch. */
  readonly start: number;
  /** End in ms since the epoch. Undefined while the span has not ended. */
  readonly end: number | undefined;
  readonly tone: WaterfallTone;
  /** Words after the duration, such as why an attempt failed. */
  readonly note?: string | undefined;
}

/** A line of a waterfall. `barStart` and `barEnd` are the columns of its bar, from 0, the end exclusive. */
export interface WaterfallLine {
  readonly text: string;
  readonly barStart: number;
  readonly barEnd: number;
  readonly tone: WaterfallTone;
}
