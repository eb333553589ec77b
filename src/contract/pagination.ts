import * as z from 'zod';

/* How lists are paged by services that do (facts, section 2b). Others leave `pagination` out: the answer is the whole list. */

/** Beside the list in its answer. */
export const Pagination = z.looseObject({ nextCursor: z.string().min(1).nullable() });

/** Any answer that may be a page. */
export const Page = z.looseObject({ pagination: Pagination.optional().catch(undefined) });

/** Query parameter with the `nextCursor` of the page before. */
export const CURSOR_PARAMETER = 'cursor';
