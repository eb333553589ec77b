import type { BillingResponse } from '../../contract/billing.ts';

/* Messages between the editor and the page of the billing view. Each side validates what it receives. */

/** Time ranges of the view. */
export type BillingRange = 'day' | 'week' | 'month' | 'year';

/** Actions that the page can request from the editor. */
export type BillingAction = 'runJob' | 'startLocalPlatform' | 'replaceKey' | 'showLog';

export interface BillingFailure {
  readonly message: string;
  /** Whether another request can succeed. */
  readonly retry: boolean;
  /** A button with another remedy. */
  readonly remedy?: { readonly label: string; readonly action: BillingAction } | undefined;
}

/** The complete content of the page. */
export interface BillingView {
  readonly range: BillingRange;
  /** Name of the connection that the spend belongs to. */
  readonly connection?: string | undefined;
  /** Whether a request is in progress. */
  readonly busy: boolean;
  /** The last response for this range, with its time in ISO 8601. It is kept while a newer one is read, and when that fails. */
  readonly report?: { readonly response: BillingResponse; readonly updatedAt: string } | undefined;
  readonly failure?: BillingFailure | undefined;
}

export type BillingToWebview = { readonly type: 'view'; readonly view: BillingView } | { readonly type: 'copied' };

export type BillingToHost =
  /** The page is loaded and can receive messages. */
  | { readonly type: 'ready' }
  | { readonly type: 'setRange'; readonly range: BillingRange }
  | { readonly type: 'refresh' }
  | { readonly type: 'copyCsv' }
  | { readonly type: 'act'; readonly action: BillingAction };

/** State that the editor keeps for the page while it is hidden and when the window is reloaded. */
export interface BillingPageState {
  readonly range: BillingRange;
  readonly asTable: boolean;
}
