import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS, USAGE_KINDS, type Usage } from '../../../src/platform/domain/metering.ts';
import type { Store, UsageQuery } from '../../../src/platform/store/store.ts';

const day = Date.parse('2026-03-01T00:00:00Z');
const at = (hour: number, minute = 0): number => day + hour * HOUR_MS + minute * 60_000;

/** Usage that costs one nano-dollar per second. */
const usage = (sourceId: string, startedAt: number, changes: Partial<Usage> = {}): Usage => ({
  ...{ sourceId, resourceId: 'r', kind: 'serverlessCpu', nanoUsdPerMonth: 2_592_000n, stepMs: 1000, startedAt },
  ...changes,
});

/** Conformance tests of a usage store. */
export function usageConformance(name: string, open: () => Store): void {
  describe(`Usage store conformance: ${name}`, () => {
    let store: Store;

    beforeEach(() => {
      store = open();
    });

    afterEach(() => store.close());

    /** Returns the nano-dollars by hour and resource, as text. */
    const formatSums = (now: number, changes: Partial<UsageQuery> = {}): string => {
      const query = {
        grain: 'hour',
        from: day,
        to: day + DAY_MS,
        of: 'account',
        kinds: USAGE_KINDS,
        ...changes,
      } as const;
      const sums = new Map<string, bigint>();
      for (const { at: start, resourceId, nanoUsd } of store.usage.sums(query, now)) {
        const key = `${(start - query.from) / HOUR_MS}h${resourceId}`;
        sums.set(key, (sums.get(key) ?? 0n) + nanoUsd);
      }
      return [...sums].map(([key, nanoUsd]) => `${key}:${nanoUsd}`).join(' ');
    };

    it('reports the same usage before and after it is settled, and after it has ended', () => {
      store.usage.start(usage('s', at(0, 50)));
      const expected = '0h:600 1h:3600 2h:60';
      assert.equal(formatSums(at(2, 1)), expected);
      assert.equal(store.usage.settle(at(2, 1)), true);
      assert.equal(formatSums(at(2, 1)), expected);
      assert.equal(store.usage.settle(at(2, 1)), false);
      store.usage.end('s', at(2, 1));
      assert.equal(formatSums(at(9)), expected);
      assert.equal(formatSums(at(9), { grain: 'day' }), '0h:4260');
    });

    it('charges a long usage until its end, although it is settled in parts later', () => {
      store.usage.start(usage('s', at(-150)));
      store.usage.end('s', at(1, 30));
      while (store.usage.settle(at(9)));
      assert.equal(formatSums(at(9)), '0h:3600 1h:1800');
    });

    it('assigns usage on the boundary of two hours to the later one', () => {
      store.usage.start(usage('s', at(1)));
      store.usage.end('s', at(2));
      store.usage.record({ kind: 'endpoint', resourceId: 'image-edit', nanoUsd: 5n, at: at(2) });
      assert.equal(formatSums(at(3)), '1h:3600 2h:5');
      assert.equal(formatSums(at(3), { from: at(2), to: at(3) }), '0h:5');
      assert.equal(formatSums(at(3), { from: at(1), to: at(2) }), '0h:3600');
    });

    it('separates resources by ID and by kind', () => {
      store.usage.start(usage('a', at(0), { resourceId: 'a' }));
      store.usage.start(usage('b', at(0), { resourceId: 'b', kind: 'storageStandard' }));
      store.usage.end('a', at(0, 1));
      store.usage.end('b', at(0, 2));
      store.usage.start(usage('c', at(0), { resourceId: 'c' }));
      assert.equal(formatSums(at(0, 3), { of: 'eachResource' }), '0ha:60 0hb:120 0hc:180');
      assert.equal(formatSums(at(0, 3), { of: 'eachResource', kinds: ['serverlessCpu'] }), '0ha:60 0hc:180');
      assert.equal(formatSums(at(0, 3), { of: { resourceId: 'c' } }), '0hc:180');
      assert.equal(formatSums(at(0, 3), { of: { resourceId: 'nothing' } }), '');
      assert.equal(formatSums(at(0, 3)), '0h:360');
    });

    it('accepts a correction as a negative charge', () => {
      store.usage.record({ kind: 'endpoint', resourceId: 'image-edit', nanoUsd: 20n, at: at(1) });
      store.usage.record({ kind: 'endpoint', resourceId: 'image-edit', nanoUsd: -5n, at: at(1) });
      assert.equal(formatSums(at(3)), '1h:15');
    });

    it('keeps existing charges when the clock is set back', () => {
      store.usage.start(usage('s', at(0)));
      store.usage.settle(at(1));
      store.usage.end('s', at(0, 30));
      assert.equal(formatSums(at(3)), '0h:3600');
    });

    it('charges nothing for a transaction that is rolled back', () => {
      assert.throws(() =>
        store.transaction(() => {
          store.usage.record({ kind: 'endpoint', resourceId: 'image-edit', nanoUsd: 20n, at: at(1) });
          store.usage.start(usage('s', at(0)));
          throw new Error('no');
        }),
      );
      assert.equal(formatSums(at(3)), '');
    });

    it('matches a direct computation for random usage, regardless of when it is settled', () => {
      const stretch = fc.record({
        from: fc.integer({ min: 0, max: 3 * DAY_MS }),
        length: fc.integer({ min: 0, max: 2 * DAY_MS }),
        ends: fc.boolean(),
        resource: fc.constantFrom('a', 'b', 'c'),
      });
      const property = fc.property(fc.array(stretch, { maxLength: 8 }), fc.nat(3 * DAY_MS), (stretches, touchedAt) => {
        const fresh = open();
        const now = day + 4 * DAY_MS;
        stretches.forEach(({ from, resource }, index) =>
          fresh.usage.start(usage(`${index}`, day + from, { resourceId: resource })),
        );
        // Usage is never settled beyond its end.
        const ends = stretches.map(({ from, length, ends: ended }) =>
          ended ? Math.min(now, day + from + length) : now,
        );
        fresh.usage.settle(Math.min(day + touchedAt, ...ends));
        stretches.forEach(({ ends: ended }, index) => ended && fresh.usage.end(`${index}`, ends[index] ?? now));
        for (const [grain, length] of [
          ['hour', HOUR_MS],
          ['day', DAY_MS],
        ] as const) {
          const actual = new Map<string, bigint>();
          const query = { grain, from: day, to: day + 5 * DAY_MS, of: 'eachResource', kinds: USAGE_KINDS } as const;
          for (const { at: start, resourceId, nanoUsd } of fresh.usage.sums(query, now)) {
            const key = `${resourceId} ${Math.floor((start - day) / length)}`;
            actual.set(key, (actual.get(key) ?? 0n) + nanoUsd);
          }
          // Computes second by second: each second belongs to the bucket in which it begins.
          const expected = new Map<string, bigint>();
          stretches.forEach(({ from, resource }, index) => {
            for (let second = from; day + second < (ends[index] ?? now); second += 1000) {
              const key = `${resource} ${Math.floor(second / length)}`;
              expected.set(key, (expected.get(key) ?? 0n) + 1n);
            }
          });
          assert.deepEqual([...actual].sort(), [...expected].sort());
        }
        fresh.close();
      });
      fc.assert(property, { numRuns: 15 });
    });
  });
}
