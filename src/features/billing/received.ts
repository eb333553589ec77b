import * as z from 'zod';
import type { BillingAction, BillingPageState, BillingRange, BillingToHost } from '../../webviews/billing/messages.ts';
import { BILLING_RANGES } from './billingRanges.ts';

/* Validation of the data that the editor receives from the page of the billing view. */

const Range = z.enum(Object.keys(BILLING_RANGES) as [BillingRange, ...BillingRange[]]);
const Action: z.ZodType<BillingAction> = z.enum(['runJob', 'startLocalPlatform', 'replaceKey', 'showLog']);

export const ToHost: z.ZodType<BillingToHost> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('setRange'), range: Range }),
  z.object({ type: z.literal('refresh') }),
  z.object({ type: z.literal('copyCsv') }),
  z.object({ type: z.literal('act'), action: Action }),
]);

/** Part of the saved state that the editor reads. The page reads the rest. */
export const KeptState: z.ZodType<Pick<BillingPageState, 'range'>> = z.object({ range: Range });
