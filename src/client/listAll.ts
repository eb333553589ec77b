import type { AnswerOf } from '../contract/operation.ts';
import type { Operations } from '../contract/operations.ts';
import type { PageQuery } from '../contract/pagination.ts';
import { BODY_LIMIT_BYTES, type ByteBudget } from './answer.ts';
import { ApiError } from './apiError.ts';
import type { CallableId } from './callable.ts';
import type { ArgumentsOf, Client } from './client.ts';
import type { CallOptions } from './request.ts';

/** Maximum number of pages to read from one list: 200,000 entries at the documented 1,000 per page. */
export const MAX_PAGES = 200;

/** Names of the fields of a response that are lists. Responses can have unknown fields, which are excluded. */
type ListOf<Answer> = keyof {
  [Name in keyof Answer as string extends Name ? never : Answer[Name] extends readonly unknown[] ? Name : never]: Name;
};

/**
 * Reads a whole list by following `pagination.nextCursor`. A service without paging receives a single call. All pages share the size
 * limit of a single response, because the caller keeps them all in memory.
 *
 * @param member name of the list in the response
 * @throws ApiError of kind `server`. The code is `listTooLong` if a cursor repeats or the list has more than `MAX_PAGES` pages. The code
 *   is `tooLarge` if all pages together exceed the size limit
 */
export async function listAll<Id extends CallableId, Member extends ListOf<AnswerOf<Operations[Id]>>>(
  client: Client,
  id: Id,
  args: ArgumentsOf<Operations[Id]>,
  member: Member,
  options?: CallOptions,
): Promise<AnswerOf<Operations[Id]>[Member]> {
  const call = client[id] as (args: object, options?: CallOptions) => Promise<AnswerOf<Operations[Id]>>;
  const given = args as { readonly query?: object };
  const items: unknown[] = [];
  const seen = new Set<string>();
  const budget: ByteBudget = { left: BODY_LIMIT_BYTES };
  let page = await call(args, { ...options, budget });
  for (let pages = 1; ; pages++) {
    for (const item of page[member] as readonly unknown[]) items.push(item);
    const cursor = nextCursor(page);
    if (cursor === undefined) return items as AnswerOf<Operations[Id]>[Member];
    if (seen.has(cursor)) throw tooLong(id, 'the service returned the same page cursor twice');
    if (pages === MAX_PAGES) throw tooLong(id, `the list has more than ${MAX_PAGES} pages`);
    seen.add(cursor);
    const next: PageQuery = { cursor };
    page = await call({ ...given, query: { ...given.query, ...next } }, { ...options, budget });
  }
}

/** Returns undefined for the last page, and for the response of a service without paging. */
function nextCursor(page: unknown): string | undefined {
  const { pagination } = page as { readonly pagination?: { readonly nextCursor?: unknown } | null };
  const cursor = pagination?.nextCursor;
  return typeof cursor === 'string' ? cursor : undefined;
}

function tooLong(operation: string, message: string): ApiError {
  return new ApiError('server', message, { operation, code: 'listTooLong' });
}
