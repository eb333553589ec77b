import assert from 'node:assert/strict';
import { LogPages } from '../../../src/platform/logs/logPages.ts';
import type { LogLimits } from '../../../src/platform/logs/logRetention.ts';
import { WorkerLogs } from '../../../src/platform/logs/workerLogs.ts';
import type { LogBlock, LogOwner, LogQuery, LogStore } from '../../../src/platform/store/logStore.ts';
import { openSqliteLogs } from '../../../src/platform/store/sqlite/sqliteLogs.ts';
import { ManualClock } from './manualClock.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const RETRY_MS = 1_000;

interface LogEntry {
  readonly source: string;
  readonly line: string;
  readonly ts: string;
}

/** Returns the events of all pages after a cursor. */
function read(logs: WorkerLogs, query: LogQuery, from = ''): LogEntry[] {
  logs.flush();
  const entries: LogEntry[] = [];
  let cursor = from;
  for (let page = logs.pageAfter(query, cursor); page; page = logs.pageAfter(query, cursor)) {
    cursor = page.last;
    for (const frame of Buffer.from(page.bytes).toString().split('\n\n').slice(0, -1)) {
      const [id = '', data = ''] = frame.slice('id: '.length).split('\ndata: ');
      const event = JSON.parse(data) as LogEntry;
      assert.equal(id, event.ts);
      entries.push(event);
    }
  }
  return entries;
}

const workerOf = (workerId: string, endpointId = 'e'): LogOwner => ({ workerId, endpointId });
const linesOf = (entries: readonly LogEntry[]): string[] => entries.map(({ line }) => line);
/** Returns pseudo-random numbers from 0 to 1, the same ones for the same seed. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}`);

describe('WorkerLogs', () => {
  const all = { workerId: 'w' };
  const ofSystem = { workerId: 'w', source: 'system' } as const;
  const ofContainer = { workerId: 'w', source: 'container' } as const;
  let store: LogStore;
  let clock: ManualClock;
  /** True while the disk is full. */
  let full: boolean;
  /** Number of transactions with new lines. */
  let appends: number;
  /** Maximum number of logs in one of these transactions. */
  let mostLogs: number;
  let logs: WorkerLogs;

  const open = (limits?: LogLimits): void => {
    const disk: LogStore = {
      ...store,
      append: (batch) => {
        if (full) throw new Error('database or disk is full');
        appends++;
        mostLogs = Math.max(mostLogs, batch.length);
        return store.append(batch);
      },
    };
    logs = new WorkerLogs(disk, clock, limits);
  };

  beforeEach(() => {
    store = openSqliteLogs('');
    clock = new ManualClock(START);
    full = false;
    appends = 0;
    mostLogs = 0;
    open();
  });

  afterEach(() => {
    logs.close();
    store.close();
  });

  /** Advances the time by single milliseconds, so that the transactions of a flush follow each other. */
  const pass = (ms: number): void => {
    for (let passed = 0; passed < ms; passed++) clock.advance(1);
  };

  /** Advances the time until no flush and no step of the limits is pending. */
  const settle = (): void => {
    while (clock.waiting > 0) clock.advance(100);
  };

  it('returns every line once, in order, with increasing IDs, across pages, blocks, and sources', () => {
    const expected: string[] = [];
    for (let round = 0; round < 40; round++) {
      const lines = numbered(expected.length, expected.length + round * 37);
      logs.append(workerOf('w'), 'container', lines);
      logs.append(workerOf('w'), 'system', `round ${round}`);
      expected.push(...lines, `round ${round}`);
      // The time advances, repeats, and goes back.
      clock.set(START + ((round * 7) % 5));
    }
    const entries = read(logs, all);
    assert.deepEqual(linesOf(entries), expected);
    for (const [index, { ts }] of entries.entries()) assert.ok(index === 0 || ts > (entries[index - 1]?.ts ?? ''));
    assert.deepEqual(
      linesOf(read(logs, ofSystem)),
      Array.from({ length: 40 }, (_, round) => `round ${round}`),
    );
    for (const index of [0, 1, 511, 512, 4_000, entries.length - 2]) {
      assert.deepEqual(read(logs, all, entries[index]?.ts), entries.slice(index + 1), `resumed after ${index}`);
    }
  });

  it('finds the start of the last lines, of both sources or of one', () => {
    logs.append(workerOf('w'), 'container', numbered(0, 1_000));
    logs.append(workerOf('w'), 'system', 'stopped');
    const tail = (query: LogQuery, lines: number) => linesOf(read(logs, query, logs.cursorBefore(query, lines)));
    assert.deepEqual(tail(all, 3), ['line 998', 'line 999', 'stopped']);
    assert.deepEqual(tail(ofContainer, 600), numbered(400, 1_000));
    assert.deepEqual(tail(all, 5_000).length, 1_001);
    assert.deepEqual(tail(all, 0), []);
    assert.deepEqual(tail({ workerId: 'nobody' }, 5), []);
  });

  it('stores and reports lines together after a short delay', () => {
    let calls = 0;
    const stop = logs.listen('w', () => calls++);
    logs.append(workerOf('w'), 'container', 'a');
    logs.append(workerOf('w'), 'container', 'b');
    logs.append(workerOf('other'), 'container', 'c');
    assert.equal(store.size().lines, 0);
    clock.advance(10);
    assert.deepEqual([store.size('w').lines, calls], [2, 1]);
    stop();
    logs.append(workerOf('w'), 'container', 'd');
    clock.advance(10);
    assert.equal(calls, 1);
  });

  it('stores the lines of many workers in short transactions, and reports none before', () => {
    const told: string[] = [];
    const workers = Array.from({ length: 1_000 }, (_, index) => `w${index}`);
    for (const workerId of workers) {
      logs.listen(workerId, () => {
        assert.equal(store.size(workerId).lines, 1, 'the line is stored');
        told.push(workerId);
      });
      logs.append(workerOf(workerId), 'container', 'a');
    }
    pass(10);
    assert.deepEqual([appends, told.length], [1, 100], 'other work runs before the next transaction');
    pass(10);
    assert.deepEqual([appends, mostLogs, told], [10, 100, workers]);
  });

  it('stores lines that arrive during a flush in the next one', () => {
    for (let index = 0; index < 200; index++) logs.append(workerOf(`w${index}`), 'container', 'a');
    pass(10);
    logs.append(workerOf('w0'), 'container', 'b');
    pass(1);
    assert.deepEqual([store.size('w0').lines, store.size('w199').lines], [1, 1]);
    pass(100);
    assert.deepEqual([appends, linesOf(read(logs, workerOf('w0')))], [3, ['a', 'b']]);
  });

  it('stores only the lines of its worker for a new reader', () => {
    for (let index = 0; index < 1_000; index++) logs.append(workerOf(`w${index}`), 'container', 'a');
    logs.cursorBefore({ workerId: 'w7' }, 1);
    assert.deepEqual([appends, store.size().lines, store.size('w7').lines], [1, 1, 1]);
    pass(50);
    assert.equal(store.size().lines, 1_000);
  });

  it('collects the lines of many workers for longer, but not for longer than 100 ms', () => {
    const tick = (workers: number): void => {
      for (let index = 0; index < workers; index++) logs.append(workerOf(`w${index}`), 'container', 'a');
    };
    tick(2_000);
    pass(50);
    assert.equal(appends, 20);
    tick(2_000);
    pass(50);
    assert.equal(appends, 20, 'the next flush is delayed');
    pass(100);
    assert.equal(appends, 40);
    tick(1);
    pass(100);
    tick(1);
    pass(10);
    assert.equal(appends, 42, 'few workers have the short delay again');
  });

  it('limits the memory of all workers together while the disk is full', () => {
    full = true;
    const megabyte = 'x'.repeat(1_000_000);
    for (let index = 0; index < 100; index++) {
      for (let line = 0; line < 2; line++) logs.append(workerOf(`w${index}`), 'container', megabyte);
      clock.advance(10);
    }
    full = false;
    clock.advance(RETRY_MS);
    assert.ok(store.size().bytes < 80_000_000, `${store.size().bytes}`);
    logs.flush();
    assert.match(linesOf(read(logs, { workerId: 'w99', source: 'system' })).at(-1) ?? '', /^2 log lines were lost/);
  });

  it('stores many lines without the delay', () => {
    logs.append(workerOf('w'), 'container', numbered(0, 50_000));
    assert.equal(store.size('w').lines, 50_000);
  });

  it('continues the log of an earlier process', () => {
    logs.append(workerOf('w'), 'container', ['a', 'b']);
    logs.close();
    open();
    logs.append(workerOf('w'), 'container', 'c');
    const entries = read(logs, all);
    assert.deepEqual(linesOf(entries), ['a', 'b', 'c']);
    assert.equal(new Set(entries.map(({ ts }) => ts)).size, 3);
  });

  it('enforces the line limit of a worker, reports dropped lines, and keeps the rest readable', () => {
    open({ worker: { lines: 3_200, bytes: 1e9 }, allBytes: 1e9 });
    for (let from = 0; from < 10_000; from += 100) {
      logs.append(workerOf('w'), 'container', numbered(from, from + 100));
      clock.advance(20);
    }
    clock.advance(20);
    assert.ok(store.size('w').lines <= 3_210);
    const kept = linesOf(read(logs, ofContainer));
    assert.deepEqual(kept, numbered(10_000 - kept.length, 10_000), 'the newest lines remain, without a gap');
    assert.ok(kept.length > 2_900);
    assert.deepEqual(linesOf(read(logs, ofContainer, '2026-03-01T00:00:00.000000000Z')), kept);
    const notice = linesOf(read(logs, ofSystem)).at(-1) ?? '';
    assert.match(
      notice,
      /^the oldest [12]\d\d lines, up to 2026-\S+Z, were dropped: a worker's log holds at most 3,200 lines/,
    );
  });

  it('enforces the size limit of a worker', () => {
    const bytes = 200_000;
    open({ worker: { lines: 1e9, bytes }, allBytes: 1e9 });
    for (let index = 0; index < 100; index++) {
      logs.append(workerOf('w'), 'container', 'x'.repeat(10_000));
      clock.advance(20);
    }
    clock.advance(20);
    assert.ok(store.size('w').bytes <= bytes + 1_000, `${store.size('w').bytes}`);
    assert.ok(read(logs, ofContainer).length >= 15);
  });

  it('enforces the size limit of all workers, oldest lines first', () => {
    open({ worker: { lines: 1e9, bytes: 1e9 }, allBytes: 320_000 });
    const fill = (workerId: string): void => {
      for (let index = 0; index < 20; index++) {
        logs.append(workerOf(workerId), 'container', `${index} ${'x'.repeat(10_000)}`);
        clock.advance(20);
      }
      logs.release(workerId);
    };
    fill('gone');
    fill('here');
    settle();
    assert.ok(store.size().bytes <= 321_000, `${store.size().bytes}`);
    assert.equal(read(logs, { workerId: 'here', source: 'container' }).length, 20);
    const left = linesOf(read(logs, { workerId: 'gone' }));
    assert.match(left[0] ?? '', /^[1-9]\d* x/);
    assert.match(left.at(-1) ?? '', /^the oldest \d+ lines, .* were dropped: the logs of all workers take at most/);
    assert.equal(linesOf(read(logs, { workerId: 'gone', source: 'system' })).length, 1, 'one line for all steps');
  });

  it('never drops a line of an endpoint below its share because of another endpoint', () => {
    const random = seededRandom(29);
    for (let round = 0; round < 30; round++) {
      const allBytes = 100_000 + Math.floor(random() * 400_000);
      open({ worker: { lines: 1e9, bytes: 1e9 }, allBytes });
      const endpoints = 2 + Math.floor(random() * 6);
      // The smallest share of an endpoint. Dropping continues to below the limit.
      const share = (allBytes * 31) / 32 / endpoints;
      const rates = Array.from({ length: endpoints }, () => random() ** 4);
      const written = new Map<string, string[]>();
      for (let step = 0; step < 300; step++) {
        for (const [index, rate] of rates.entries()) {
          if (random() > rate) continue;
          const workerId = `${round}-${index}-${step % 3}`;
          const line = `${step} ${'x'.repeat(Math.floor(random() * 4_000))}`;
          logs.append(workerOf(workerId, `${round}-${index}`), 'container', line);
          written.set(workerId, [...(written.get(workerId) ?? []), line]);
        }
        clock.advance(Math.floor(random() * 20));
      }
      settle();
      assert.ok(store.size().bytes <= allBytes, `${store.size().bytes} of ${allBytes}`);
      const sizes = store.bytesByEndpoint();
      const kept = (index: number): boolean =>
        [0, 1, 2].every((worker) => {
          const workerId = `${round}-${index}-${worker}`;
          const lines = linesOf(read(logs, { workerId, source: 'container' }));
          return lines.length === (written.get(workerId)?.length ?? 0);
        });
      const complete = rates.flatMap((_, index) => (kept(index) ? [sizes.get(`${round}-${index}`) ?? 0] : []));
      const cut = rates.flatMap((_, index) => (kept(index) ? [] : [sizes.get(`${round}-${index}`) ?? 0]));
      assert.ok(
        cut.every((bytes) => bytes > share - 10_000),
        `cut to ${cut.join(', ')} with a share of ${share}`,
      );
      // No endpoint that was cut has less than one that was not.
      assert.ok(
        Math.min(...cut) > Math.max(0, ...complete) - 20_000,
        `cut ${cut.join(', ')}, whole ${complete.join(', ')}`,
      );
      for (const [workerId] of written) while (store.remove(workerId));
      logs.close();
    }
  });

  it('drops lines in short steps, also after many small blocks', () => {
    open({ worker: { lines: 1e9, bytes: 1e9 }, allBytes: 1_000_000 });
    const ts = (index: number): string => `2025-03-01T00:00:00.${String(index).padStart(9, '0')}Z`;
    const block = (index: number): LogBlock => ({
      source: 'container',
      firstTs: ts(index),
      lastTs: ts(index),
      lines: ['x'],
    });
    store.append([{ ...workerOf('w'), blocks: Array.from({ length: 20_000 }, (_, index) => block(index)) }]);
    const before = store.size('w').lines;
    logs.append(workerOf('w'), 'container', 'last');
    logs.flush();
    assert.ok(before - store.size('w').lines < 600, 'the flush itself drops few blocks');
    settle();
    assert.ok(store.size().bytes <= 1_000_000);
    assert.equal(linesOf(read(logs, ofContainer)).at(-1), 'last');
    const dropped = /oldest ([\d,]+) lines/.exec(linesOf(read(logs, ofSystem)).at(-1) ?? '')?.[1];
    assert.equal(Number(dropped?.replace(',', '')), 20_001 - linesOf(read(logs, ofContainer)).length);
  });

  it('buffers lines while the disk is full, and stores them once it has room', () => {
    logs.append(workerOf('w'), 'container', 'before');
    clock.advance(10);
    full = true;
    logs.append(workerOf('w'), 'container', 'meanwhile');
    clock.advance(10);
    assert.deepEqual(linesOf(read(logs, all)), ['before']);
    full = false;
    clock.advance(RETRY_MS);
    assert.deepEqual(linesOf(read(logs, all)), ['before', 'meanwhile']);
  });

  it('drops the oldest lines if the disk stays full, and reports their number', () => {
    full = true;
    for (let index = 0; index < 200; index++) {
      logs.append(workerOf('w'), 'container', `${index} ${'x'.repeat(10_000)}`);
      clock.advance(10);
    }
    full = false;
    clock.advance(RETRY_MS);
    clock.advance(10);
    const kept = linesOf(read(logs, ofContainer));
    assert.ok(kept.length > 90 && kept.length < 110, 'about a megabyte');
    assert.ok(kept.at(-1)?.startsWith('199 '));
    assert.deepEqual(linesOf(read(logs, ofSystem)), [
      `${200 - kept.length} log lines were lost because they could not be stored: database or disk is full`,
    ]);
  });

  it('has no pending timers after close, even if the disk is full', () => {
    full = true;
    logs.append(workerOf('w'), 'container', 'a');
    clock.advance(10);
    logs.close();
    logs.append(workerOf('w'), 'container', 'b');
    assert.equal(clock.waiting, 0);
  });

  it('shares the bytes of a page among its readers', () => {
    const ts = '2026-03-01T00:00:00.000000000Z';
    store.append([{ ...workerOf('w'), blocks: [{ source: 'container', firstTs: ts, lastTs: ts, lines: ['a'] }] }]);
    const pages = new LogPages(store);
    const first = pages.after(all, '');
    assert.ok(first);
    assert.equal(pages.after(all, ''), first);
    assert.notEqual(pages.after(ofContainer, ''), first);
    assert.equal(pages.after(all, first.last), undefined);
  });

  it('limits the size of the page cache', () => {
    const pages = new LogPages(store);
    const megabyte = 'x'.repeat(1_048_576);
    for (let index = 0; index < 20; index++) {
      const ts = `2026-03-01T00:00:${String(index).padStart(2, '0')}.000000000Z`;
      const blocks = [{ source: 'container', firstTs: ts, lastTs: ts, lines: [megabyte] }] as const;
      store.append([{ ...workerOf('w'), blocks }]);
    }
    const cursors = [''];
    for (let page = pages.after(all, ''); page; page = pages.after(all, page.last)) cursors.push(page.last);
    assert.equal(cursors.length, 21);
    const [oldest, newest] = [pages.after(all, cursors[19] ?? ''), pages.after(all, cursors[19] ?? '')];
    assert.equal(oldest, newest, 'the newest page is still cached');
    assert.ok(pages.cachedBytes <= 8_388_608);
  });
});
