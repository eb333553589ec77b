import assert from 'node:assert/strict';
import { pageOf } from '../../../src/platform/domain/page.ts';
import { Refusal } from '../../../src/platform/domain/refusal.ts';

describe('pageOf', () => {
  const entries = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }));

  it('returns every entry once, in order, and marks the last page', () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { page, pagination } = pageOf('things', entries, { cursor, limit: 2 });
      seen.push(page.map(({ id }) => id).join(''));
      assert.equal(pagination.hasNextPage, pagination.nextCursor !== null);
      cursor = pagination.nextCursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(seen, ['ab', 'cd', 'e']);
  });

  it('returns up to 1000 entries on one page by default', () => {
    const many = Array.from({ length: 1_001 }, (_, index) => ({ id: `thing-${index}` }));
    const first = pageOf('things', many, {});
    assert.equal(first.page.length, 1_000);
    const { page, pagination } = pageOf('things', many, { cursor: first.pagination.nextCursor ?? '' });
    assert.deepEqual([page, pagination.hasNextPage], [[{ id: 'thing-1000' }], false]);
    assert.deepEqual(pageOf('things', entries, {}), {
      page: entries,
      pagination: { nextCursor: null, hasNextPage: false },
    });
  });

  it('rejects a cursor of another listing and an invalid cursor', () => {
    const { nextCursor } = pageOf('others', entries, { limit: 1 }).pagination;
    for (const cursor of [nextCursor ?? '', 'x']) {
      assert.throws(
        () => pageOf('things', entries, { cursor }),
        (error) => error instanceof Refusal && error.status === 422,
      );
    }
  });
});
