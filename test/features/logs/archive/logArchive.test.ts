import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LogArchive } from '../../../../src/features/logs/archive/logArchive.ts';
import { BLOCK_LINES } from '../../../../src/features/logs/archive/readableLog.ts';
import type { ReceivedLine } from '../../../../src/features/logs/archive/storedLine.ts';
import { cleanUp, dataDirectory } from '../../../platform/support.ts';

const worker = { connectionId: 'c', endpointId: 'e', endpointName: 'hello', workerId: 'w' };
const START = Date.parse('2026-01-01T00:00:00Z');

/** Returns the line with a number. Its timestamp is that many ms after the start, and is its ID. */
function line(number: number, text = `line ${number}`, id?: string): ReceivedLine {
  const ts = new Date(START + number).toISOString();
  const event = { source: 'container', line: text, ts } as const;
  return { event, id: id ?? ts, data: JSON.stringify(event) };
}

const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => line(from + index));

describe('the archive of a log', () => {
  const open: LogArchive[] = [];
  afterEach(async () => {
    for (const archive of open.splice(0)) await archive.close();
    await cleanUp();
  });

  async function opened(folder: string, maxBytes = 1e9): Promise<LogArchive> {
    const archive = await LogArchive.open(folder, worker, { maxBytes });
    assert.ok(archive);
    open.push(archive);
    return archive;
  }

  const texts = async (archive: LogArchive, from = 0, to = archive.count) =>
    (await archive.read(from, to)).map(({ event }) => event.line);

  it('returns the lines of any range, across blocks and files', async () => {
    const archive = await opened(await dataDirectory());
    const long = 'x'.repeat(60_000);
    const all = Array.from({ length: 1_000 }, (_, number) => line(number, `${number} ${long}`));
    for (let at = 0; at < all.length; at += 30) archive.append(all.slice(at, at + 30));
    assert.equal(archive.count, 1_000);
    assert.ok(archive.blocks.length > 1_000 / BLOCK_LINES);
    for (const [from, to] of [
      [0, 1],
      [255, 257],
      [270, 300],
      [0, 1_000],
      [999, 1_000],
      [1_000, 1_000],
    ] as const) {
      const found = await texts(archive, from, to);
      assert.deepEqual(
        found.map((text) => Number(text.split(' ')[0])),
        Array.from({ length: to - from }, (_, index) => from + index),
      );
    }
  });

  it('continues after a restart with the same lines, times, and position', async () => {
    const folder = await dataDirectory();
    const first = await opened(folder);
    first.append(lines(0, 700));
    first.heard(5);
    const before = await first.read(0, 700);
    await first.close();
    const second = await opened(folder);
    assert.deepEqual(await second.read(0, 700), before);
    assert.deepEqual(second.blocks, first.blocks);
    assert.equal(second.heardAt, 5);
    const place = await second.place();
    assert.deepEqual(place.resume(), { lastEventId: line(698).id });
    assert.equal(place.take(line(699).event, line(699).id), false, 'the last line is not new');
    second.append([line(700)]);
    assert.equal((await texts(second)).at(-1), 'line 700');
  });

  it('removes a line that a crash left incomplete', async () => {
    const folder = await dataDirectory();
    const first = await opened(folder);
    first.append(lines(0, 3));
    await first.close();
    const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.log'));
    await appendFile(path.join(folder, file), '{"source":"container","li');
    const second = await opened(folder);
    second.append([line(3)]);
    assert.deepEqual(await texts(second), ['line 0', 'line 1', 'line 2', 'line 3']);
  });

  it('keeps the numbers of the lines if one is damaged', async () => {
    const folder = await dataDirectory();
    const first = await opened(folder);
    first.append(lines(0, 3));
    await first.close();
    const [name = ''] = (await readdir(folder)).filter((one) => one.endsWith('.log'));
    const file = path.join(folder, name);
    await writeFile(file, (await readFile(file, 'utf8')).replace('"line 1"', '"line 1'));
    assert.deepEqual(await texts(await opened(folder)), ['line 0', '', 'line 2']);
  });

  it('gives a line with an earlier or invalid timestamp the time of the line before it', async () => {
    const folder = await dataDirectory();
    const archive = await opened(folder);
    const odd = { source: 'system', line: 'odd', ts: 'yesterday' } as const;
    const appended = archive.append([line(50), line(20), { event: odd, id: 'x', data: JSON.stringify(odd) }, line(60)]);
    const times = [50, 50, 50, 60].map((ms) => START + ms);
    assert.deepEqual(
      appended.map(({ at }) => at),
      times,
    );
    await archive.close();
    assert.deepEqual(
      (await (await opened(folder)).read(0, 4)).map(({ at }) => at),
      times,
    );
  });

  it('keeps IDs that are not timestamps, and text with any characters', async () => {
    const folder = await dataDirectory();
    const archive = await opened(folder);
    const odd = ['a\tb', '', 'é😀\u2028', '"quoted"', '\u0000\u001b[31m', '\ud800'];
    archive.append(odd.map((text, index) => line(index, text, `id\t"${index}`)));
    await archive.close();
    const again = await opened(folder);
    assert.deepEqual(await texts(again), odd);
    assert.deepEqual((await again.place()).resume(), { lastEventId: 'id\t"5' });
  });

  it('can be open in one window at a time', async () => {
    const folder = await dataDirectory();
    const archive = await opened(folder);
    assert.equal(await LogArchive.open(folder, worker, { maxBytes: 1 }), undefined);
    await archive.close();
    assert.ok(await opened(folder));
  });

  it('removes the oldest files when it exceeds its size', async () => {
    const archive = await opened(await dataDirectory(), 40 * 1024 * 1024);
    const long = 'x'.repeat(100_000);
    for (let number = 0; number < 600; number++) {
      archive.append([line(number, `${number} ${long}`)]);
      await archive.pressure();
    }
    await archive.close();
    assert.ok(archive.removed > 0);
    assert.ok(archive.bytes <= 40 * 1024 * 1024, String(archive.bytes));
    assert.equal(archive.removed + archive.count, 600);
    assert.equal((await texts(archive, 0, 1))[0]?.split(' ')[0], String(archive.removed));
  });

  it('passes on the lines that cannot be stored, and keeps the stored ones', async () => {
    const folder = await dataDirectory();
    const archive = await opened(folder);
    // Opening the first file fails, as it would on a full disk.
    await mkdir(path.join(folder, '01000000.log'));
    assert.equal(archive.append(lines(0, 3)).length, 3);
    assert.deepEqual(await archive.read(0, 3), []);
    const failure: NodeJS.ErrnoException | undefined = archive.failure;
    assert.equal(failure?.code, 'EISDIR');
    assert.equal(archive.count, 0);
    assert.equal(archive.append(lines(3, 5)).length, 2);
  });

  describe('with earlier lines', () => {
    async function withEarlier(stored: readonly ReceivedLine[], stream: readonly ReceivedLine[]) {
      const folder = await dataDirectory();
      const archive = await opened(folder);
      archive.append(stored);
      const writer = await archive.addEarlierLines();
      const done = stream.some((one) => writer.take([one]));
      await writer.commit();
      return { archive, folder, done };
    }

    it('inserts the lines before the first stored line', async () => {
      const { archive, folder, done } = await withEarlier(lines(500, 600), lines(0, 700));
      assert.ok(done);
      assert.equal(archive.generation, 1);
      assert.ok(archive.isComplete);
      assert.deepEqual(
        await texts(archive),
        lines(0, 600).map(({ event }) => event.line),
      );
      archive.append([line(600)]);
      await archive.close();
      assert.deepEqual(
        await texts(await opened(folder)),
        lines(0, 601).map(({ event }) => event.line),
      );
    });

    it('finds no lines if the first stored line is the first of all', async () => {
      const { archive, done } = await withEarlier(lines(0, 5), lines(0, 5));
      assert.ok(done);
      assert.equal(archive.count, 5);
      assert.ok(archive.isComplete);
    });

    it('distinguishes equal lines by the lines after them', async () => {
      const same = line(1, 'same');
      const stored = [same, line(2)];
      const { archive } = await withEarlier(stored, [line(0), same, same, ...stored.slice(1)]);
      assert.deepEqual(await texts(archive), ['line 0', 'same', 'same', 'line 2']);
    });

    it('ends if the platform no longer has the stored lines', async () => {
      const { archive, done } = await withEarlier(lines(0, 20), lines(10_000, 10_100));
      assert.ok(done);
      assert.deepEqual(
        await texts(archive),
        lines(0, 20).map(({ event }) => event.line),
      );
    });

    it('is unchanged after an abort', async () => {
      const folder = await dataDirectory();
      const archive = await opened(folder);
      archive.append(lines(5, 10));
      const writer = await archive.addEarlierLines();
      writer.take(lines(0, 3));
      await writer.abort();
      assert.equal(archive.count, 5);
      assert.equal(archive.isComplete, false);
      assert.ok(!(await readdir(folder)).includes('earlier'));
    });
  });
});
