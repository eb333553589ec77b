import type { Pagination } from '../../contract/pagination.ts';
import { violation } from '../../contract/violation.ts';
import { refuseViolations } from './refusal.ts';

export interface PageRequest {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

const DEFAULT_LIMIT = 1000;

/**
 * Returns one page of a list whose entries have stable IDs. The cursor is the ID of the page's last entry, made opaque and bound to
 * its listing.
 *
 * @throws Refusal 422 for a cursor that belongs to another listing, or whose entry has been deleted
 */
export function pageOf<Entry extends { readonly id: string }>(
  listing: string,
  entries: readonly Entry[],
  { cursor, limit = DEFAULT_LIMIT }: PageRequest,
): { page: Entry[]; pagination: Pagination } {
  const start = cursor === undefined ? 0 : entries.findIndex(({ id }) => cursorOf(listing, id) === cursor) + 1;
  if (cursor !== undefined && start === 0) {
    throw refuseViolations([violation(['cursor'], 'notACursor', {}, 422)]);
  }
  const page = entries.slice(start, start + limit);
  const last = page.at(-1);
  const hasNextPage = start + page.length < entries.length;
  return { page, pagination: { nextCursor: hasNextPage && last ? cursorOf(listing, last.id) : null, hasNextPage } };
}

function cursorOf(listing: string, id: string): string {
  return btoa(`${listing}/${id}`);
}
