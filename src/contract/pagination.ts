import * as z from 'zod';
import { integerParameter } from './schema.ts';

/* How lists are paged by services that do (facts, section 2b). Others leave `pagination` out: the answer is the whole list. */

/** Query of a list that may come in pages (facts, section 2b). A cursor is opaque and belongs to its listing. */
export const PageQuery = z.strictObject({
  cursor: z.string().min(1).optional().meta({ description: 'pagination.nextCursor of the page before.' }),
  limit: integerParameter({ min: 1, max: 1000 }).optional().meta({ description: 'Entries per page.', default: 1000 }),
});

export type PageQuery = z.input<typeof PageQuery>;

/** Where a list goes on. Services without pages leave it out: all there is has been answered then. */
export const Pagination = z.looseObject({ nextCursor: z.string().nullable(), hasNextPage: z.boolean().optional() });
export type Pagination = z.infer<typeof Pagination>;

/** The member of every answer that may be one page of many. */
export const paginated = { pagination: Pagination.optional() };

/** Any answer that may be a page. */
export const Page = z.looseObject({ pagination: Pagination.optional().catch(undefined) });
