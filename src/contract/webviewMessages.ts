import * as z from 'zod';
import { BillingResponse, type BucketSize } from './billing.ts';
import { DateTime } from './dateTime.ts';

/* What the host and a webview say to each other. Both sides parse what they receive. */

/** The windows of time the billing view offers: so many buckets, the last of them still filling. */
export const BILLING_RANGES = {
  day: { label: 'Last 24 hours', bucketSize: 'hour', lastN: 24 },
  week: { label: 'Last 7 days', bucketSize: 'day', lastN: 7 },
  month: { label: 'Last 30 days', bucketSize: 'day', lastN: 30 },
  year: { label: 'Last 12 months', bucketSize: 'month', lastN: 12 },
} as const satisfies Record<string, { label: string; bucketSize: BucketSize; lastN: number }>;

export const BillingRange = z.enum(['day', 'week', 'month', 'year']);
export type BillingRange = z.infer<typeof BillingRange>;

export const DEFAULT_BILLING_RANGE: BillingRange = 'day';

/** What the billing view can ask the editor to do. */
export const BillingAction = z.enum(['runJob', 'startLocalPlatform', 'replaceKey', 'showLog']);
export type BillingAction = z.infer<typeof BillingAction>;

export const BillingFailure = z.object({
  message: z.string(),
  /** Asking again may help. */
  retry: z.boolean(),
  /** What helps beside trying again. */
  remedy: z.object({ label: z.string(), action: BillingAction }).optional(),
});
export type BillingFailure = z.infer<typeof BillingFailure>;

/** Everything the billing view shows. */
export const BillingView = z.object({
  range: BillingRange,
  /** Name of the connection whose spend this is. */
  connection: z.string().optional(),
  /** A request is under way. */
  busy: z.boolean(),
  /** The last answer for this range; it stays while a newer one is fetched or failed. */
  report: z.object({ response: BillingResponse, updatedAt: DateTime }).optional(),
  failure: BillingFailure.optional(),
});
export type BillingView = z.infer<typeof BillingView>;

export const BillingToWebview = z.discriminatedUnion('type', [
  z.object({ type: z.literal('view'), view: BillingView }),
  z.object({ type: z.literal('copied') }),
]);
export type BillingToWebview = z.infer<typeof BillingToWebview>;

export const BillingToHost = z.discriminatedUnion('type', [
  /** The page can be sent what it shows. */
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('setRange'), range: BillingRange }),
  z.object({ type: z.literal('refresh') }),
  z.object({ type: z.literal('copyCsv') }),
  z.object({ type: z.literal('act'), action: BillingAction }),
]);
export type BillingToHost = z.infer<typeof BillingToHost>;

/** What the editor keeps for the page when it is hidden or the window is reloaded. */
export const BillingPageState = z.object({ range: BillingRange, asTable: z.boolean() });
export type BillingPageState = z.infer<typeof BillingPageState>;
