import * as z from 'zod';
import type { BillingResponse } from '../../contract/billing.ts';
import type { BillingAction, BillingRange, BillingToWebview } from './messages.ts';
import { RANGES } from './words.ts';

/* Validation of what the page receives from the editor. */

const Range = z.enum(Object.keys(RANGES) as [BillingRange, ...BillingRange[]]);
const Action: z.ZodType<BillingAction> = z.enum(['runJob', 'startLocalPlatform', 'replaceKey', 'showLog']);

/** The client validated the response when it received it. */
const Response = z.custom<BillingResponse>((value) => typeof value === 'object' && value !== null);

const View = z.object({
  range: Range,
  connection: z.string().optional(),
  busy: z.boolean(),
  report: z.object({ response: Response, updatedAt: z.iso.datetime() }).optional(),
  failure: z
    .object({
      message: z.string(),
      retry: z.boolean(),
      remedy: z.object({ label: z.string(), action: Action }).optional(),
    })
    .optional(),
});

export const ToWebview: z.ZodType<BillingToWebview> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('view'), view: View }),
  z.object({ type: z.literal('copied') }),
]);

/** The part of the kept state that the page reads. The editor reads the range. */
export const KeptState = z.object({ asTable: z.boolean() });
