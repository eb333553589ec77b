import assert from 'node:assert/strict';
import { addNanoseconds } from '../../../src/platform/logs/timestamp.ts';
import type { LogBlock, LogSize, LogStore } from '../../../src/platform/store/logStore.ts';

const START = '2026-03-01T00:00:00.000000000Z';
const EVERYTHING = { lines: 1_000_000, bytes: 1_000_000_000 };

/** Conformance tests of a log store. */
export function logStoreConformance(name: string, open: () => LogStore): void {
  describe(`Log store conformance: ${name}`, () => {
    let store: LogStore;

    beforeEach(() => {
      store = open();
    });

    afterEach(() => store.close());

    /** Lines from `from` up to, but not including, `to`. Each has the timestamp that many nanoseconds after the start. */
    const block = (from: number, to: number, source: LogBlock['source'] = 'container'): LogBlock => ({
      source,
      firstTs: addNanoseconds(START, from),
      lastTs: addNanoseconds(START, to - 1),
      lines: Array.from({ length: to - from }, (_, index) => `line ${from + index}`),
    });
    const append = (workerId: string, added: readonly LogBlock[], endpointId = 'e', position?: string): LogSize => {
      const before = store.size(workerId);
      store.append([{ workerId, endpointId, blocks: added, position }]);
      const { lines, bytes } = store.size(workerId);
      return { lines: lines - before.lines, bytes: bytes - before.bytes };
    };
    const ts = (line: number): string => addNanoseconds(START, line);
    const blocks = [block(0, 3), block(3, 4, 'system'), block(4, 9), block(9, 10, 'system')];
    const all = { workerId: 'w' };

    it('returns lines with any characters unchanged', () => {
      const lines = ['', 'größe 😀', 'a\0b', '\u001b[31mred\r', '\ufeffmark', '"quoted" \\ \u2028', ''];
      const odd: LogBlock = { source: 'container', firstTs: ts(0), lastTs: ts(6), lines };
      append('w', [odd]);
      assert.deepEqual(store.after(all, '', EVERYTHING), [odd]);
    });

    it('finds the blocks with lines after a timestamp, of both sources or of one', () => {
      append('w', blocks);
      append('other', [block(0, 5)]);
      assert.deepEqual(store.after(all, '', EVERYTHING), blocks);
      assert.deepEqual(store.after(all, ts(3), EVERYTHING), blocks.slice(2));
      assert.deepEqual(store.after(all, ts(4), EVERYTHING), blocks.slice(2));
      assert.deepEqual(store.after({ workerId: 'w', source: 'system' }, ts(3), EVERYTHING), blocks.slice(3));
      assert.deepEqual(store.after(all, ts(9), EVERYTHING), []);
      assert.equal(store.newest('w'), ts(9));
      assert.equal(store.newest('nobody'), undefined);
    });

    it('keeps the position that was stored with the newest blocks of a worker, until its logs are removed', () => {
      assert.equal(store.position('w'), undefined);
      append('w', blocks.slice(0, 2), 'e', 'first');
      append('other', [block(0, 5)], 'e', 'of the other');
      append('w', blocks.slice(2, 3), 'e', 'second');
      append('w', blocks.slice(3));
      assert.equal(store.position('w'), 'second');
      while (store.remove('w'));
      assert.deepEqual([store.position('w'), store.position('other')], [undefined, 'of the other']);
    });

    it('reads at most the limit, but at least one block', () => {
      const { bytes } = append('w', blocks.slice(0, 2));
      append('w', blocks.slice(2));
      assert.deepEqual(store.after(all, '', { lines: 4, bytes: 1e9 }), blocks.slice(0, 2));
      assert.deepEqual(store.after(all, '', { lines: 1e9, bytes }), blocks.slice(0, 2));
      assert.deepEqual(store.after(all, '', { lines: 1e9, bytes: bytes - 1 }), blocks.slice(0, 1));
      assert.deepEqual(store.after(all, '', { lines: 1, bytes: 1e9 }), blocks.slice(0, 1));
      assert.deepEqual(store.after(all, '', { lines: 1e9, bytes: 1 }), blocks.slice(0, 1));
    });

    it('finds the nth line from the end', () => {
      append('w', blocks);
      assert.deepEqual(store.fromEnd(all, 1), { firstTs: ts(9), skip: 0 });
      assert.deepEqual(store.fromEnd(all, 3), { firstTs: ts(4), skip: 3 });
      assert.deepEqual(store.fromEnd({ workerId: 'w', source: 'container' }, 6), { firstTs: ts(0), skip: 2 });
      assert.deepEqual(store.fromEnd(all, 99), { firstTs: ts(0), skip: 0 });
      assert.equal(store.fromEnd({ workerId: 'nobody' }, 1), undefined);
    });

    it('returns the size of one log and of all logs', () => {
      const added = append('w', blocks);
      const other = append('other', [block(0, 5)]);
      assert.equal(added.lines, 10);
      assert.ok(added.bytes > blocks.flatMap(({ lines }) => lines).join('\n').length);
      assert.deepEqual(store.size('w'), added);
      assert.deepEqual(store.size(), { lines: 15, bytes: added.bytes + other.bytes });
      assert.deepEqual(store.size('nobody'), { lines: 0, bytes: 0 });
    });

    it('drops the oldest blocks of one worker', () => {
      const before = append('w', blocks);
      append('other', [block(0, 5)]);
      const [dropped, ...none] = store.dropOldest({ workerId: 'w' }, { lines: 4, bytes: 0 }, 99);
      assert.deepEqual(none, []);
      assert.ok(dropped);
      assert.deepEqual(dropped, { workerId: 'w', lines: 4, lastTs: ts(3), bytes: dropped.bytes });
      assert.deepEqual(store.size('w'), { lines: 6, bytes: before.bytes - dropped.bytes });
      assert.deepEqual(store.after(all, '', EVERYTHING), blocks.slice(2));
      assert.equal(store.size('other').lines, 5);
      assert.equal(store.dropOldest({ workerId: 'w' }, { lines: 0, bytes: 1 }, 99)[0]?.lines, 5);
      assert.deepEqual(store.dropOldest({ workerId: 'w' }, { lines: -1, bytes: -1 }, 99), []);
    });

    it('drops the oldest blocks of the workers of an endpoint, at most a number of blocks', () => {
      append('a', [block(0, 2)]);
      append('b', [block(0, 3)]);
      append('other', [block(0, 9)], 'e2');
      append('a', [block(2, 4), block(4, 5)]);
      const drop = (excess: LogSize, maxBlocks: number) =>
        store
          .dropOldest({ endpointId: 'e' }, excess, maxBlocks)
          .map(({ workerId, lines, lastTs }) => [workerId, lines, lastTs]);
      assert.deepEqual(drop({ lines: 99, bytes: 0 }, 1), [['a', 2, ts(1)]]);
      assert.deepEqual(drop({ lines: 4, bytes: 0 }, 99), [
        ['b', 3, ts(2)],
        ['a', 2, ts(3)],
      ]);
      assert.deepEqual(drop({ lines: 99, bytes: 0 }, 99), [['a', 1, ts(4)]]);
      assert.deepEqual(drop({ lines: 99, bytes: 0 }, 99), []);
      assert.equal(store.size().lines, 9);
    });

    it('returns the bytes of the logs of each endpoint', () => {
      const { bytes: a } = append('a', [block(0, 2)]);
      const { bytes: b } = append('b', [block(0, 3)]);
      const { bytes: other } = append('other', [block(0, 9)], 'e2');
      assert.deepEqual(Object.fromEntries(store.bytesByEndpoint()), { e: a + b, e2: other });
      store.dropOldest({ endpointId: 'e2' }, { lines: 1, bytes: 0 }, 99);
      while (store.remove('a'));
      assert.deepEqual(Object.fromEntries(store.bytesByEndpoint()), { e: b });
    });

    it('appends blocks of several workers together or not at all', () => {
      const invalid = { ...block(0, 1), source: null as unknown as 'system' };
      const batch = [
        { workerId: 'a', endpointId: 'e', blocks: [block(0, 2)] },
        { workerId: 'b', endpointId: 'e', blocks: [block(0, 1)] },
      ];
      assert.throws(() => store.append([...batch, { workerId: 'c', endpointId: 'e', blocks: [invalid] }]));
      assert.deepEqual([store.size(), store.bytesByEndpoint().size], [{ lines: 0, bytes: 0 }, 0]);
      store.append(batch);
      assert.deepEqual([store.size('a').lines, store.size('b').lines, store.size().lines], [2, 1, 3]);
    });

    it('removes the log of a worker in parts', () => {
      for (const workerId of ['a', 'b']) {
        for (let n = 0; n < 250; n++) append(workerId, [block(2 * n, 2 * n + 2)]);
      }
      assert.equal(store.remove('a'), true);
      assert.ok(store.size('a').lines > 0, 'one part is not the whole log');
      while (store.remove('a'));
      assert.deepEqual([store.size('a').lines, store.size('b').lines], [0, 500]);
      assert.equal(store.remove('nobody'), false);
    });
  });
}
