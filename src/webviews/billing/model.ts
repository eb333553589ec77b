import type { BillingView } from './messages.ts';

/** State of the page: the view from the editor and the page's own state. */
export interface Model {
  readonly view: BillingView;
  readonly asTable: boolean;
  /** Width of the chart, in pixels. */
  readonly width: number;
  /** Index of the bar in the tab order. Undefined for the last bar. */
  readonly current: number | undefined;
  /** Index of the bar that shows its tooltip, because it has the pointer or the focus. */
  readonly active: number | undefined;
  /** Whether the records were copied in the last 2 seconds. */
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

/** Returns the index of the bar that a key moves to. Undefined for other keys. */
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
