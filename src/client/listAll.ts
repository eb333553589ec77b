import type { AnswerOf } from '../contract/operation.ts';
import type { Operations } from '../contract/operations.ts';
import { Page, type PageQuery } from '../contract/pagination.ts';
import { ApiError } from './apiError.ts';
import type { ArgumentsOf, CallableId, Client } from './client.ts';
import type { CallOptions } from './request.ts';

/** Names of the members of an answer that are lists; answers may have others nobody knows yet. */
type ListOf<Answer> = keyof {
  [Name in keyof Answer as string extends Name ? never : Answer[Name] extends readonly unknown[] ? Name : never]: Name;
};

/**
 * The whole of a list: follows `pagination.nextCursor` for as long as an answer has one. Of a service that does not page its lists
 * this is the one call it would be without.
 *
 * @param member name of the list in its answer
 * @throws ApiError; kind `server` when a cursor comes twice, which would never end
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
  let page = await call(args, options);
  for (;;) {
    items.push(...(page[member] as readonly unknown[]));
    const cursor = Page.parse(page).pagination?.nextCursor ?? undefined;
    if (cursor === undefined) return items as AnswerOf<Operations[Id]>[Member];
    if (seen.has(cursor)) throw new ApiError('server', 'the list goes round in a circle', { operation: id });
    seen.add(cursor);
    const next: PageQuery = { cursor };
    page = await call({ ...given, query: { ...given.query, ...next } }, options);
  }
}
