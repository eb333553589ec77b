import type { BillingView } from './messages.ts';

/** Everything the page is drawn from: what the editor sent, and what only the page knows. */
export interface Model {
  readonly view: BillingView;
  readonly asTable: boolean;
  /** Width the chart has, in pixels. */
  readonly width: number;
  /** The bar that takes part in the tab order. */
  readonly current: number | undefined;
  /** The bar whose amounts are shown: under the pointer, or focused. */
  readonly active: number | undefined;
  /** The records were just copied. */
  readonly copied: boolean;
}

export function initialModel(view: BillingView, asTable: boolean): Model {
  return {
    view,
    asTable,
    width: 0,
    current: undefined,
    active: undefined,
    copied: false,
  };
}

/** Which bar a key leads to; undefined when the key means nothing here. */
export function barAfterKey(key: string, current: number, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, current - 1);
    case 'ArrowRight':
      return Math.min(last, current + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
