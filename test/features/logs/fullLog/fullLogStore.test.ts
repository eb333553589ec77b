import assert from 'node:assert/strict';
import { LogArchive } from '../../../../src/features/logs/archive/logArchive.ts';
import type { ReadableLog } from '../../../../src/features/logs/archive/readableLog.ts';
import type { ReceivedLine } from '../../../../src/features/logs/archive/storedLine.ts';
import type { LogPages } from '../../../../src/features/logs/fullLog/actions/logPages.ts';
import { LogRenumbered } from '../../../../src/features/logs/fullLog/actions/mergedLines.ts';
import { FullLogStore } from '../../../../src/features/logs/fullLog/fullLogStore.ts';
import type { LogSubject } from '../../../../src/features/logs/model/logSubject.ts';
import { cleanUp, dataDirectory } from '../../../platform/support.ts';
import { entry, MemoryLog, secondsApart, START, workerOf } from './memoryLog.ts';

const subject: LogSubject = { connectionId: 'local', endpointId: 'e1', endpointName: 'hello' };
const numbered = (count: number) => secondsApart(Array.from({ length: count }, (_, index) => `line ${index}`));

function storeOf(...logs: ReadableLog[]) {
  return { store: new FullLogStore({ logs: () => logs }) };
}

async function lastLine(pages: LogPages): Promise<string | undefined> {
  return (await pages.read(await pages.newest()))?.lines.at(-1)?.read.text;
}
const samePages = (pages: LogPages) => Promise.resolve(pages);

describe('The pages of the store', () => {
  it('are kept while lines are appended', async () => {
    const log = new MemoryLog('w1', numbered(10));
    const { store } = storeOf(log);
    const pages = await store.use(subject, samePages);
    log.append(entry('new', START + 100_000));
    assert.equal(await store.use(subject, samePages), pages);
    assert.equal(await store.use(subject, lastLine), 'new');
  });

  it('are created again after a log was renumbered, also while it is read', async () => {
    const log = new MemoryLog('w1', numbered(600));
    const { store } = storeOf(log);
    const pages = await store.use(subject, samePages);
    let removals = 0;
    log.beforeRead = () => {
      if (removals++ < 2) log.removeFirst(1);
    };
    assert.equal(await store.use(subject, lastLine), 'line 599');
    assert.notEqual(await store.use(subject, samePages), pages);
    assert.equal(await store.use(subject, async ({ total }) => Promise.resolve(total)), 598);
  });

  it('are created again after lines were lost at the end', async () => {
    const stored = new MemoryLog('w1', numbered(600));
    const log = { ...propertiesOf(stored), count: 600, read: (from: number, to: number) => stored.read(from, to) };
    const { store } = storeOf(log);
    assert.equal(await store.use(subject, lastLine), 'line 599');
    log.count = 500;
    assert.equal(await store.use(subject, lastLine), 'line 499');
  });

  it('are not created again forever', async () => {
    const log = new MemoryLog('w1', numbered(600));
    log.beforeRead = () => log.removeFirst(1);
    await assert.rejects(storeOf(log).store.use(subject, lastLine), LogRenumbered);
    assert.ok(log.reads.length < 20, `${log.reads.length} reads`);
  });

  it('are put in a better order on request only', async () => {
    const one = new MemoryLog('w1', numbered(12_000));
    const two = new MemoryLog('w2');
    const { store } = storeOf(one, two);
    await store.use(subject, lastLine);
    two.append(...numbered(12_000));
    const pages = await store.use(subject, samePages);
    assert.equal(pages.hasLateLines, true);
    store.reorder(subject);
    const ordered = await store.use(subject, samePages);
    assert.deepEqual([ordered === pages, ordered.hasLateLines], [false, false]);
    store.reorder(subject);
    assert.equal(await store.use(subject, samePages), ordered);
  });
});

describe('The pages of an archive on disk', () => {
  let archive: LogArchive | undefined;
  afterEach(async () => {
    await archive?.close();
    await cleanUp();
  });

  it('contain its lines, and continue after earlier lines were inserted', async () => {
    const worker = workerOf('w1');
    const received = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index): ReceivedLine => {
        const ts = new Date(START + (from + index) * 1000).toISOString();
        const event = { source: 'container' as const, line: `line ${from + index}`, ts };
        return { event, id: ts, data: JSON.stringify(event) };
      });
    archive = await LogArchive.open(await dataDirectory(), worker, { maxBytes: 1e9 });
    assert.ok(archive);
    archive.append(received(15_000, 30_000));
    const { store } = storeOf(archive);
    const textOf = (pages: LogPages, line: number) =>
      pages.pageOfLine({ log: 0, line }).then(async (id) => {
        const page = await pages.read(id);
        return page?.lines.find((one) => one.line === line)?.read.text;
      });
    assert.equal(await store.use(subject, lastLine), 'line 29999');
    assert.equal(await store.use(subject, (pages) => textOf(pages, 0)), 'line 15000');
    const writer = await archive.addEarlierLines();
    assert.equal(writer.take(received(0, 15_100)), true);
    await writer.commit();
    assert.equal(await store.use(subject, (pages) => textOf(pages, 0)), 'line 0');
    assert.equal(await store.use(subject, (pages) => textOf(pages, 20_000)), 'line 20000');
    archive.append(received(30_000, 30_010));
    assert.equal(await store.use(subject, lastLine), 'line 30009');
    assert.equal(await store.use(subject, ({ total }) => Promise.resolve(total)), 30_010);
  });
});

/** Returns the properties of a log that a test does not change. */
function propertiesOf({
  worker,
  blocks,
  removed,
  isComplete,
  generation,
}: MemoryLog): Omit<ReadableLog, 'count' | 'read'> {
  return { worker, blocks, removed, isComplete, generation };
}
