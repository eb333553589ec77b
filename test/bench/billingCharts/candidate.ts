/** Spend of many series in many buckets. */
export interface BenchData {
  /** Amounts of each series. */
  readonly series: readonly (readonly number[])[];
  readonly count: number;
}

/** A chart that a candidate has drawn. Each method changes what is visible. */
export interface Drawn {
  /** Shows the bars in [from, to). */
  readonly showRange: (from: number, to: number) => void;
  /** Shows the tooltip of a bar, as the candidate does for the pointer. */
  readonly showTooltip: (bar: number) => void;
}

/** Draws stacked bars into an element of 1,000 by 300 pixels. Resolves once the chart is drawn. */
export type Candidate = (element: HTMLElement, data: BenchData) => Drawn | Promise<Drawn>;

export const WIDTH = 1000;
export const HEIGHT = 300;
export const COLORS = [
  ...['#b180d7', '#59a4f9', '#89d185', '#d18616', '#cca700', '#f14c4c', '#9d9d9d'],
  ...['#652d90', '#1a85ff', '#388a34', '#bf8803', '#e51400', '#6b6b6b'],
];
