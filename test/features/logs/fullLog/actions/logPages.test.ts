import assert from 'node:assert/strict';
import { BLOCK_LINES } from '../../../../../src/features/logs/archive/readableLog.ts';
import { LogPages, type ReadPage } from '../../../../../src/features/logs/fullLog/actions/logPages.ts';
import { LogRenumbered } from '../../../../../src/features/logs/fullLog/actions/mergedLines.ts';
import type { PageId } from '../../../../../src/features/logs/fullLog/model/pageAddress.ts';
import { entry, GeneratedLog, MemoryLog, START } from '../memoryLog.ts';

const LIMITS = { lines: 1000, length: 4 * 1024 * 1024 };

/** Lines with the name of the log and their index. */
const lines = (name: string, count: number, timeOf: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => entry(`${name}${index}`, timeOf(index)));

async function documents(pages: LogPages): Promise<ReadPage[]> {
  const read: ReadPage[] = [];
  let id: PageId | undefined = { page: 0, part: 0 };
  while (id) {
    const page = await pages.read(id);
    assert.ok(page, `document ${JSON.stringify(id)} exists`);
    read.push(page);
    id = await pages.newerThan(id);
  }
  return read;
}

const textsOf = (page: ReadPage | undefined) => page?.lines.map(({ read }) => read.text) ?? [];

/** Asserts that the documents contain each line of each log once, in the order of each log. */
async function assertComplete(pages: LogPages): Promise<readonly ReadPage[]> {
  const read = await documents(pages);
  for (const [index, log] of pages.logs.entries()) {
    const found = read.flatMap((page) => page.lines.filter((one) => one.log === index).map(({ line }) => line));
    assert.deepEqual(
      found,
      Array.from({ length: log.count }, (_, line) => line),
      `lines of log ${index}`,
    );
  }
  let before = 0;
  for (const page of read) {
    assert.equal(page.before, before);
    before += page.lines.length;
  }
  assert.equal(before, pages.total);
  return read;
}

/** Asserts that the merged lines are in the order of their times. */
function assertInOrder(read: readonly ReadPage[]): void {
  let last = 0;
  for (const { entry: one } of read.flatMap((page) => page.lines)) {
    assert.ok(one.at >= last, `${one.event.line} comes after a later line`);
    last = one.at;
  }
}

describe('The pages of a log', () => {
  it('divide one log at the starts of blocks', async () => {
    const log = new MemoryLog(
      'w1',
      lines('a', 2500, (index) => START + index),
    );
    const read = await assertComplete(new LogPages([log], LIMITS));
    assert.deepEqual(
      read.map((page) => [page.page, page.part, page.lines.length, page.isNewest]),
      [
        [0, 0, 1024, false],
        [1, 0, 1024, false],
        [2, 0, 452, true],
      ],
    );
    assert.ok(read.every((page) => page.before % BLOCK_LINES === 0));
  });

  it('merge several logs by time, and keep lines with equal times in the order of the logs', async () => {
    const one = new MemoryLog(
      'w1',
      lines('a', 3000, (index) => START + index * 2),
    );
    const two = new MemoryLog(
      'w2',
      lines('b', 1500, (index) => START + index * 4),
    );
    const pages = new LogPages([one, two], LIMITS);
    const read = await assertComplete(pages);
    assertInOrder(read);
    assert.deepEqual(textsOf(read[0]).slice(0, 6), ['a0', 'b0', 'a1', 'a2', 'b1', 'a3']);
    assert.ok(read.length > 3);
  });

  it('divide lines that all have the same time', async () => {
    const logs = ['w1', 'w2', 'w3'].map(
      (id, log) =>
        new MemoryLog(
          id,
          lines('abc'.charAt(log), 3000, () => START),
        ),
    );
    const pages = new LogPages(logs, LIMITS);
    const read = await assertComplete(pages);
    assert.ok(read.length >= 6, `${read.length} documents`);
    assert.equal(textsOf(read[0])[0], 'a0');
    assert.equal(textsOf(read.at(-1)).at(-1), 'c2999');
  });

  it('have neither gaps nor duplicates for any times', async () => {
    let seed = 1;
    const random = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % most;
    };
    for (let round = 0; round < 20; round++) {
      const logs = Array.from({ length: 1 + random(6) }, (_, log) => {
        let at = START + random(3000);
        const step = 1 + random(40);
        return new MemoryLog(
          `w${log}`,
          lines(`${log}:`, random(4000), () => (at += random(step))),
        );
      });
      const read = await assertComplete(new LogPages(logs, LIMITS));
      assertInOrder(read);
    }
  });

  it('do not shrink below half of their target in an endpoint with many quiet workers', async () => {
    const logs = Array.from(
      { length: 40 },
      (_, log) =>
        new MemoryLog(
          `w${log}`,
          lines(`${log}:`, 1200, (index) => START + log + index * 1000),
        ),
    );
    const pages = new LogPages(logs, LIMITS);
    const read = await assertComplete(pages);
    assertInOrder(read);
    for (let page = 0; page < pages.pageCount - 1; page++) {
      const lengths = read.filter((one) => one.page === page).map((one) => one.lines.length);
      const length = lengths.reduce((sum, one) => sum + one, 0);
      assert.ok(length >= 500, `page ${page} has ${length} lines`);
    }
  });

  it('consist of an empty page for an empty log, and for no log', async () => {
    for (const logs of [[new MemoryLog('w1')], []]) {
      const pages = new LogPages(logs, LIMITS);
      const newest = await pages.newest();
      assert.deepEqual(newest, { page: 0, part: 0 });
      const page = await pages.read(newest);
      assert.deepEqual([page?.lines, page?.isNewest, page?.total], [[], true, 0]);
      assert.equal(await pages.lineOfTime(START), undefined);
    }
  });

  it('have several parts where the text is too long for one document', async () => {
    const long = 'x'.repeat(60_000);
    const log = new MemoryLog(
      'w1',
      lines(long, 300, (index) => START + index),
    );
    const pages = new LogPages([log], { lines: 1000, length: 1_000_000 });
    const read = await assertComplete(pages);
    assert.equal(pages.pageCount, 1);
    assert.deepEqual(read.map(({ page, part }) => [page, part]).slice(0, 3), [
      [0, 0],
      [0, 1],
      [0, 2],
    ]);
    for (const page of read) {
      assert.ok(textsOf(page).join('\n').length <= 1_000_000, `part ${page.part}`);
    }
    assert.deepEqual(await pages.newest(), { page: 0, part: read.length - 1 });
    assert.deepEqual(await pages.pageOfLine({ log: 0, line: 0 }), { page: 0, part: 0 });
    for (const {
      page,
      part,
      lines: [first],
    } of read) {
      assert.deepEqual(await pages.pageOfLine({ log: 0, line: first?.line ?? -1 }), { page, part });
    }
    assert.deepEqual(await pages.olderThan({ page: 0, part: 2 }), { page: 0, part: 1 });
    assert.equal(await pages.read({ page: 0, part: read.length }), undefined);
  });

  it('find the document and the line of a time', async () => {
    const one = new MemoryLog(
      'w1',
      lines('a', 3000, (index) => START + index * 1000),
    );
    const two = new MemoryLog(
      'w2',
      lines('b', 3000, (index) => START + 500 + index * 1000),
    );
    const pages = new LogPages([one, two], LIMITS);
    const textAt = async (at: number) => {
      const place = await pages.lineOfTime(at);
      if (!place) return undefined;
      const page = await pages.read(await pages.pageOfLine(place));
      return page?.lines.find(({ log, line }) => log === place.log && line === place.line)?.read.text;
    };
    assert.equal(await textAt(0), 'a0');
    assert.equal(await textAt(START), 'a0');
    assert.equal(await textAt(START + 1), 'b0');
    assert.equal(await textAt(START + 501), 'a1');
    assert.equal(await textAt(START + 2_000_000), 'a2000');
    assert.equal(await textAt(START + 2_999_500), 'b2999');
    assert.equal(await textAt(START + 3_000_000), undefined);
  });

  it('find the document of each line', async () => {
    const logs = [7, 11, 400].map(
      (step, log) =>
        new MemoryLog(
          `w${log}`,
          lines(`${log}:`, 2000, (index) => START + index * step),
        ),
    );
    const pages = new LogPages(logs, LIMITS);
    for (const page of await documents(pages)) {
      const { page: number, part } = page;
      for (const one of [page.lines[0], page.lines.at(-1)]) {
        assert.ok(one);
        assert.deepEqual(await pages.pageOfLine(one), { page: number, part });
      }
    }
  });
});

describe('The pages of a log that changes', () => {
  const appended = (log: MemoryLog, name: string, count: number, at: number) =>
    log.append(...lines(name, count, (index) => at + index));

  it('keep their lines when lines are appended', async () => {
    const one = new MemoryLog(
      'w1',
      lines('a', 1500, (index) => START + index),
    );
    const two = new MemoryLog(
      'w2',
      lines('b', 1500, (index) => START + index),
    );
    const pages = new LogPages([one, two], LIMITS);
    let full = (await documents(pages)).slice(0, -1).map(textsOf);
    for (let round = 1; round <= 8; round++) {
      appended(one, `a${round}-`, 400, START + 1500 + round * 400);
      appended(two, `b${round}-`, 300, START + 1500 + round * 400);
      assert.ok(pages.update([one, two]));
      const read = await assertComplete(pages);
      assert.deepEqual(read.slice(0, full.length).map(textsOf), full);
      full = read.slice(0, -1).map(textsOf);
    }
    assert.equal(pages.hasLateLines, false);
  });

  it('add late lines of one log after later lines of another log, and report them', async () => {
    const prompt = new MemoryLog(
      'w1',
      lines('a', 3000, (index) => START + index),
    );
    const late = new MemoryLog(
      'w2',
      lines('b', 200, (index) => START + index),
    );
    // Boundaries that were not asked for yet are the same as those that were.
    for (const askFirst of [true, false]) {
      const logs = [new MemoryLog('w1'), new MemoryLog('w2')] as const;
      logs[0].append(...(await prompt.read(0, 3000)));
      logs[1].append(...(await late.read(0, 200)));
      const pages = new LogPages(logs, LIMITS);
      const full = askFirst ? (await documents(pages)).slice(0, -1).map(textsOf) : [];
      for (let round = 0; round < 5; round++) {
        appended(logs[1], `late${round}-`, 900, START + 200 + round * 10);
        assert.ok(pages.update(logs));
      }
      const read = await assertComplete(pages);
      assert.deepEqual(read.slice(0, full.length).map(textsOf), full);
      assert.equal(pages.hasLateLines, true);
      assertInOrder(await assertComplete(new LogPages(logs, LIMITS)));
    }
  });

  it('add a new worker at the end, unless its lines belong to earlier pages', async () => {
    const one = new MemoryLog(
      'w1',
      lines('a', 1500, (index) => START + index),
    );
    const pages = new LogPages([one], LIMITS);
    const later = new MemoryLog(
      'w2',
      lines('b', 10, (index) => START + 1400 + index),
    );
    assert.ok(pages.update([later, one]));
    assert.deepEqual(pages.logs, [one, later]);
    assert.equal(textsOf((await assertComplete(pages)).at(-1)).filter((text) => text.startsWith('b')).length, 10);
    const earlier = new MemoryLog(
      'w3',
      lines('c', 10, (index) => START + index),
    );
    assert.equal(pages.update([one, later, earlier]), false);
    assert.equal(pages.update([one]), false);
  });

  it('must be created again after lines were inserted or removed', async () => {
    const log = new MemoryLog(
      'w1',
      lines('a', 1500, (index) => START + index),
    );
    const pages = new LogPages([log], LIMITS);
    log.prepend(entry('first', START - 1));
    assert.equal(pages.update([log]), false);
    await assert.rejects(pages.read({ page: 0, part: 0 }), LogRenumbered);
    const next = new LogPages([log], LIMITS);
    log.removeFirst(2);
    assert.equal(next.update([log]), false);
  });

  it('report a renumbering during a read, instead of wrong lines', async () => {
    const log = new MemoryLog(
      'w1',
      lines('a', 1500, (index) => START + index),
    );
    const pages = new LogPages([log], LIMITS);
    let reads = 0;
    log.beforeRead = () => {
      if (++reads === 3) log.removeFirst(256);
    };
    await assert.rejects(pages.read({ page: 0, part: 0 }), LogRenumbered);
  });

  it('pass on the error of a failed read, and read the lines the next time', async () => {
    const logs = ['a', 'b'].map(
      (name) =>
        new MemoryLog(
          name,
          lines(name, 1500, (index) => START + index),
        ),
    );
    const pages = new LogPages(logs, LIMITS);
    for (const log of logs) {
      log.beforeRead = () => {
        throw new Error('the disk failed');
      };
    }
    await assert.rejects(pages.read({ page: 1, part: 0 }), /the disk failed/);
    for (const log of logs) log.beforeRead = () => undefined;
    await assertComplete(pages);
  });
});

describe('The pages of 2,000,000 lines', () => {
  const PAGE_BLOCKS = 40;
  const generated = (id: string, count: number, step: number, offset = 0) =>
    new GeneratedLog(id, count, (line) => entry(`${id} ${line}`, START + offset + line * step));
  const read = (logs: readonly GeneratedLog[]) => logs.reduce((sum, log) => sum + log.blocksRead, 0);

  it('open without a read of other pages', async () => {
    const log = generated('w1', 2_000_000, 10);
    const pages = new LogPages([log]);
    assert.equal(read([log]), 0);
    assert.equal(pages.pageCount, 196);
    const newest = await pages.read(await pages.newest());
    assert.equal(textsOf(newest).at(-1), 'w1 1999999');
    assert.ok(read([log]) <= 2 * PAGE_BLOCKS, `${read([log])} blocks`);
  });

  it('find a time with one block, and its page with no more than the page', async () => {
    const log = generated('w1', 2_000_000, 10);
    const pages = new LogPages([log]);
    const place = await pages.lineOfTime(START + 12_345_670);
    assert.deepEqual([place?.log, place?.line], [0, 1_234_567]);
    assert.ok(read([log]) <= 2, `${read([log])} blocks`);
    assert.ok(place);
    const page = await pages.read(await pages.pageOfLine(place));
    assert.ok(textsOf(page).includes('w1 1234567'));
    assert.ok(read([log]) <= 2 + 2 * PAGE_BLOCKS, `${read([log])} blocks`);
  });

  it('of ten workers open with few more blocks than one page', async () => {
    const logs = Array.from({ length: 10 }, (_, index) => generated(`w${index}`, 200_000, 10, index * 777));
    const pages = new LogPages(logs);
    assert.equal(read(logs), 0);
    const newest = await pages.newest();
    assert.ok(await pages.read(newest));
    const limit = 3 * (PAGE_BLOCKS + 2 * 10);
    assert.ok(read(logs) <= limit, `${read(logs)} blocks to open`);
    const older = await pages.olderThan(newest);
    assert.ok(older && (await pages.read(older)));
    assert.ok(read(logs) <= 3 * limit, `${read(logs)} blocks to open an older page`);
    const before = read(logs);
    const place = await pages.lineOfTime(START + 1_000_000);
    assert.ok(place);
    await pages.pageOfLine(place);
    const levels = Math.ceil(Math.log2(pages.pageCount));
    assert.ok(
      read(logs) - before <= 2 * 10 + levels + 2 * (PAGE_BLOCKS + 10),
      `${read(logs) - before} blocks for a time`,
    );
  });
});
