import * as z from 'zod';
import { BucketSize } from '../../../contract/billing.ts';
import type { BillingAction, BillingSelection, BillingToHost } from '../../../webviews/billing/messages.ts';

/* Validation of the data that the editor receives from the page of the billing view. */

const Period = z.enum(['day', 'week', 'month', 'year', 'thisMonth', 'lastMonth', 'last', 'custom']);
const Action: z.ZodType<BillingAction> = z.enum(['runJob', 'startLocalPlatform', 'replaceKey', 'showLog']);

/** An invalid number or time becomes a problem of the selection, so only the types are checked here. */
const Selection: z.ZodType<BillingSelection> = z.object({
  period: Period,
  bucketSize: BucketSize,
  grouping: z.enum(['kind', 'endpoint', 'gpu', 'volume']),
  count: z.number(),
  start: z.string().max(64).optional(),
  end: z.string().max(64).optional(),
});

/** Maximum size of a picture, in bytes. */
export const MAX_PICTURE_BYTES = 20 * 1024 * 1024;
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const Picture = z
  .instanceof(Uint8Array)
  .refine(({ length }) => length <= MAX_PICTURE_BYTES)
  .refine((bytes) => PNG_SIGNATURE.every((byte, index) => bytes[index] === byte));

export const ToHost: z.ZodType<BillingToHost> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('select'), selection: Selection }),
  z.object({ type: z.literal('refresh') }),
  z.object({ type: z.literal('export'), format: z.enum(['csv', 'json']) }),
  z.object({ type: z.literal('exportPicture'), bytes: Picture }),
  z.object({ type: z.literal('copy') }),
  z.object({ type: z.literal('act'), action: Action }),
]);

/** The selection in the saved state. The page reads the rest. */
export const KeptSelection = z.object({ selection: Selection }).transform(({ selection }) => selection);
