import type { AnswerOf } from '../contract/operation.ts';
import type { Operations } from '../contract/operations.ts';
import { Page, type PageQuery } from '../contract/pagination.ts';
import { BODY_LIMIT_BYTES, type ByteBudget } from './answer.ts';
import { ApiError } from './apiError.ts';
import type { ArgumentsOf, CallableId, Client } from './client.ts';
import type { CallOptions } from './request.ts';

/** Pages of one list that are read at most: 200,000 entries where a page holds the documented 1,000. */
export const MOST_PAGES = 200;

/** Names of the members of an answer that are lists; answers may have others nobody knows yet. */
type ListOf<Answer> = keyof {
  [Name in keyof Answer as string extends Name ? never : Answer[Name] extends readonly unknown[] ? Name : never]: Name;
};

/**
 * The whole of a list: follows `pagination.nextCursor` for as long as an answer has one. Of a service that does not page its lists
 * this is the one call it would be without.
 *
 * @param member name of the list in its answer
 * All pages together may be as large as one answer: the caller holds them all.
 *
 * @throws ApiError; kind `server`, code `listTooLong` when a cursor comes twice or the list goes on after `MOST_PAGES`, and code
 *   `tooLarge` when the pages together are too large to hold
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
    const cursor = Page.parse(page).pagination?.nextCursor ?? undefined;
    if (cursor === undefined) return items as AnswerOf<Operations[Id]>[Member];
    if (seen.has(cursor)) throw tooLong(id, 'the list goes round in a circle');
    if (pages === MOST_PAGES)
      throw tooLong(id, `the list goes on after ${MOST_PAGES} pages, which is too much to read`);
    seen.add(cursor);
    const next: PageQuery = { cursor };
    page = await call({ ...given, query: { ...given.query, ...next } }, { ...options, budget });
  }
}

function tooLong(operation: string, message: string): ApiError {
  return new ApiError('server', message, { operation, code: 'listTooLong' });
}
