import * as z from 'zod';
import { integerParameter } from './schema.ts';

/* Pages of lists. A service without paging omits `pagination` and returns the whole list. */

/** Query of a list that can have pages. A cursor is opaque and valid only for its list. */
export const PageQuery = z.strictObject({
  cursor: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Value of pagination.nextCursor from the previous page. Default: the first page.' }),
  limit: integerParameter({ min: 1, max: 1000 })
    .optional()
    .meta({ description: 'Maximum number of entries per page. Default: 1000.', default: 1000 }),
});

export type PageQuery = z.input<typeof PageQuery>;

/** Position of the next page. Omitted by services that return whole lists. */
export const Pagination = z.looseObject({
  nextCursor: z.string().nullable().meta({ description: 'Cursor of the next page. null: this is the last page.' }),
  hasNextPage: z.boolean().optional().meta({ description: 'true: there is a next page.' }),
});
export type Pagination = z.infer<typeof Pagination>;

/** Field of every response that can be one of several pages. */
export const paginated = {
  pagination: Pagination.optional().meta({
    description: 'Position of the next page. Omitted if the list is complete.',
  }),
};
