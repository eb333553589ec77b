import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogSource } from '../../../src/contract/workerLogs.ts';
import { logStream, type LogStart } from '../../../src/platform/logs/logStream.ts';
import { WorkerLogs } from '../../../src/platform/logs/workerLogs.ts';
import type { LogStore } from '../../../src/platform/store/logStore.ts';
import { openSqliteLogs } from '../../../src/platform/store/sqlite/sqliteLogs.ts';
import { ManualClock } from './manualClock.ts';

const WORKER = { workerId: 'w', endpointId: 'e' };

describe('logStream', () => {
  let store: LogStore;
  let clock: ManualClock;
  let logs: WorkerLogs;

  beforeEach(() => {
    store = openSqliteLogs('');
    clock = new ManualClock(Date.parse('2026-03-01T00:00:00Z'));
    logs = new WorkerLogs(store, clock);
  });

  afterEach(() => {
    logs.close();
    store.close();
  });

  /** Returns a function that reads the next chunk as text, and one that cancels the stream. */
  const reader = (start: LogStart, source?: LogSource) => {
    const stream = logStream(logs, clock, { workerId: 'w', source }, start).getReader();
    const next = async (): Promise<string> => Buffer.from((await stream.read()).value ?? []).toString();
    return { next, cancel: () => stream.cancel() };
  };
  const linesIn = (frames: string): string[] => [...frames.matchAll(/"line":"([^"]*)"/g)].map(([, line]) => line ?? '');

  it('opens at once, sends lines as they arrive, and sends heartbeats in between', async () => {
    const { next, cancel } = reader({ tail: 0 });
    assert.equal(await next(), ': open\n\n');
    const first = next();
    logs.append(WORKER, 'container', ['a', 'b']);
    clock.advance(10);
    assert.deepEqual(linesIn(await first), ['a', 'b']);
    const second = next();
    clock.advance(15_000);
    assert.equal(await second, ': keep-alive\n\n');
    const third = next();
    await cancel();
    assert.equal(await third, '', 'ended');
    clock.advance(60_000);
  });

  it('yields to the event loop while it sends many pages', async () => {
    const lines = Array.from({ length: 40 * 512 }, (_, index) => `line ${index}`);
    logs.append(WORKER, 'container', lines);
    logs.flush();
    const { next, cancel } = reader({ after: '' });
    await next();
    const read: string[] = [];
    const readAll = async (): Promise<void> => {
      while (read.length < lines.length) read.push(...linesIn(await next()));
    };
    const reading = readAll();
    await nextTurn();
    assert.ok(read.length < lines.length / 2, `${read.length} lines were sent in one turn`);
    await reading;
    assert.deepEqual(read, lines);
    await cancel();
  });

  it('skips the lines of another source once, and misses no line of its own source', async () => {
    const from: string[] = [];
    const after = store.after.bind(store);
    store.after = (query, ts, limit) => {
      from.push(ts);
      return after(query, ts, limit);
    };
    const { next, cancel } = reader({ after: '' }, 'system');
    await next();
    const line = next();
    for (let count = 0; count < 3; count++) {
      logs.append(WORKER, 'container', 'other source');
      clock.advance(10);
      await nextTurn();
    }
    const skipped = store.newest('w');
    logs.append(WORKER, 'system', 'requested source');
    clock.advance(10);
    assert.deepEqual(linesIn(await line), ['requested source']);
    assert.equal(from.at(-1), skipped);
    await cancel();
  });

  it('listens to its worker only while it is being read', async () => {
    let listening = 0;
    const listen = logs.listen.bind(logs);
    logs.listen = (...args) => {
      const stop = listen(...args);
      listening++;
      return () => {
        listening--;
        stop();
      };
    };
    // A HEAD request creates a stream without reading it.
    logStream(logs, clock, { workerId: 'w' }, { tail: 0 });
    const { next, cancel } = reader({ tail: 0 });
    await next();
    assert.equal(listening, 0);
    const pending = next();
    assert.equal(listening, 1);
    await cancel();
    await pending;
    assert.equal(listening, 0);
  });

  it('reads nothing ahead of the reader', async () => {
    let pages = 0;
    const pageAfter = logs.pageAfter.bind(logs);
    logs.pageAfter = (...args) => {
      pages++;
      return pageAfter(...args);
    };
    const slow = Array.from({ length: 500 }, () => reader({ after: '' }));
    for (const { next } of slow) await next();
    logs.append(
      WORKER,
      'container',
      Array.from({ length: 10_000 }, (_, index) => `line ${index}`),
    );
    clock.advance(60_000);
    assert.equal(pages, 0);
    const [one] = slow;
    assert.ok(one);
    let [read, pagesRead] = [0, 0];
    for (; read < 10_000; pagesRead++) read += linesIn(await one.next()).length;
    assert.equal(pages, pagesRead);
    for (const { cancel } of slow) await cancel();
  });
});
