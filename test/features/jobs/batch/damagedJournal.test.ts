import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { lockFolder } from '../../../../src/machine/folderLock.ts';
import { deleteBatch, listBatches } from '../../../../src/features/jobs/batch/actions/listBatches.ts';
import { resultFilesOf, writeResults } from '../../../../src/features/jobs/batch/actions/writeResults.ts';
import { Journal, readJournal } from '../../../../src/features/jobs/batch/journal.ts';
import {
  encodeLine,
  JournalError,
  type BatchHeader,
} from '../../../../src/features/jobs/batch/model/journalEntries.ts';
import { scaled } from '../../../faults/support.ts';
import { startScriptedServer } from '../../../client/scriptedServer.ts';
import { afterwards, cleanUp } from '../../../platform/support.ts';
import { batchPlatform, clientTo, createBatch, openRunner, reply } from './batchSupport.ts';

const ROWS = 6;
/** Distance in bytes between the bits that change. */
const STEP = scaled(7, 41);
const SOURCE = Array.from({ length: ROWS }, (_, row) => JSON.stringify({ n: row + 1 })).join('\n');
/** Later than the age from which folders without a journal are deleted. */
const LATER = Date.now() + 365 * 24 * 3_600_000;
const HEALTH = {
  jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
  workers: { idle: 0, running: 0 },
};

const fileIn = (folder: string, name = 'journal.jsonl'): string => path.join(folder, name);
const listed = (folder: string) => listBatches(path.dirname(folder), LATER);

/** A platform that completes each job at once, and counts the jobs of each row. The ID of a job is the number of its row. */
async function countingServer() {
  const jobs = new Map<string, number>();
  const keys = new Set<string>();
  const server = await startScriptedServer(({ path: url, body, headers }, response) => {
    if (!url.endsWith('/run')) {
      const id = url.at(-1) ?? '';
      return reply(response, 200, jobs.has(id) ? { id, status: 'COMPLETED', output: id } : HEALTH);
    }
    const key = String(headers['idempotency-key']);
    const row = String((JSON.parse(body) as { readonly input: { readonly n: number } }).input.n);
    if (!keys.has(key)) jobs.set(row, (jobs.get(row) ?? 0) + 1);
    keys.add(key);
    return reply(response, 200, { id: row, status: 'COMPLETED', output: row });
  });
  afterwards(() => server[Symbol.asyncDispose]());
  /** Forgets all jobs but those of the first rows of a batch. */
  const reset = (batch: string, rows: number): void => {
    jobs.clear();
    keys.clear();
    for (let row = 1; row <= rows; row++) {
      jobs.set(String(row), 1);
      keys.add(`${batch}-${row}-0`);
    }
  };
  return { jobs, reset, connection: server.connection };
}

type Server = Awaited<ReturnType<typeof countingServer>>;

/** Runs a batch to its end. @param isLocal whether the client relies on idempotency keys */
async function run(folder: string, { connection }: Server, isLocal: boolean): Promise<void> {
  const runner = await openRunner(folder, batchPlatform(clientTo(connection, isLocal)).platform, { maxInFlight: 1 });
  await runner.run();
}

/** Creates a batch that was killed: three rows have ended, one is accepted, and one was being sent. */
async function interruptedBatch(server: Server) {
  const folder = await createBatch('e', 'rows.jsonl', SOURCE);
  await run(folder, server, true);
  const whole = await readFile(fileIn(folder));
  const { header } = (await readJournal(folder)).state;
  const journal = Buffer.concat([
    whole.subarray(0, endOfLine(whole, '"ended","row":3')),
    ...[
      { kind: 'sending', row: 4, key: `${header.id}-4-0`, at: Date.now() } as const,
      { kind: 'accepted', row: 4, job: '4' } as const,
      { kind: 'sending', row: 5, key: `${header.id}-5-0`, at: Date.now() } as const,
    ].map((entry) => Buffer.from(encodeLine(entry))),
  ]);
  const allResults = await readFile(fileIn(folder, 'results.jsonl'));
  const results = allResults.subarray(0, endOfLine(allResults, '"row":3'));
  const restore = async (content: string | Buffer = journal): Promise<void> => {
    await writeFile(fileIn(folder), content);
    await writeFile(fileIn(folder, 'results.jsonl'), results);
    server.reset(header.id, 5);
  };
  await restore();
  return { folder, journal, restore };
}

const endOfLine = (bytes: Buffer, text: string): number => bytes.indexOf('\n', bytes.indexOf(text)) + 1;

describe('a damaged journal of a batch', () => {
  afterEach(cleanUp);

  it('keeps its batch, whichever bit of it has changed, and no row is paid for twice', async () => {
    const server = await countingServer();
    const { folder, journal, restore } = await interruptedBatch(server);
    // One bit of each byte at a step changes. The position of the bit differs, and the steps reach each part of each kind of entry.
    for (let at = 0; at < journal.length; at += STEP) {
      const bytes = Buffer.from(journal);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
      await restore(bytes);
      const { batches, unreadable } = await listed(folder);
      assert.deepEqual([batches.length, unreadable], [1, []], `the bit at ${at} hides the batch`);
      await run(folder, server, at % 2 === 0);
      const twice = [...server.jobs].filter(([, count]) => count > 1);
      assert.deepEqual(twice, [], `a row was sent twice with the bit at ${at}`);
      const { counts, left } = (await readJournal(folder)).state;
      assert.deepEqual([left, counts.completed + counts.uncertain], [0, ROWS], `the batch ended with the bit at ${at}`);
    }
  });

  it('counts a row as sent whose request may be among the lost entries', async () => {
    const server = await countingServer();
    const { folder, journal, restore } = await interruptedBatch(server);
    await restore(journal.toString().replace('"sending","row":5', '"sending","row":9'));
    const { state } = await readJournal(folder);
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6].map((row) => state.stateOf(row)),
      ['completed', 'completed', 'completed', 'accepted', 'sending', 'sending'],
    );
    await run(folder, server, false);
    const { counts } = (await readJournal(folder)).state;
    assert.deepEqual([server.jobs.get('5'), server.jobs.get('6'), counts.uncertain], [1, undefined, 2]);
  });

  it('repeats such a row with its key where the platform honors it', async () => {
    const server = await countingServer();
    const { folder, journal, restore } = await interruptedBatch(server);
    await restore(journal.toString().replace('"sending","row":5', '"sending","row":9'));
    await run(folder, server, true);
    assert.deepEqual([...server.jobs.values()], [1, 1, 1, 1, 1, 1]);
    const { counts } = (await readJournal(folder)).state;
    assert.deepEqual([counts.completed, counts.uncertain], [ROWS, 0]);
  });

  it('does not affect rows far above those that can have been in flight', async () => {
    const folder = await createBatch('e', 'rows.jsonl', '{}\n'.repeat(1_200));
    await appendFile(fileIn(folder), '{"kind":"sending","row":1,"key":"k","at":1,"sum":"00000000"}\n');
    const { state } = await readJournal(folder);
    assert.deepEqual([state.stateOf(1_000), state.stateOf(1_100)], ['sending', 'pending']);
  });

  it('gets the results of lost entries from the results', async () => {
    const server = await countingServer();
    const { folder, journal, restore } = await interruptedBatch(server);
    await restore(journal.toString().replace('"ended","row":2', '"ended","row":4'));
    const { state } = await readJournal(folder);
    assert.deepEqual([state.stateOf(2), state.damages], ['completed', 1]);
    const files = resultFilesOf({ path: fileIn(folder, 'rows.jsonl') });
    await writeResults(folder, state, files);
    const outputs = (await readFile(files.jsonLines, 'utf8')).trimEnd().split('\n');
    assert.equal((JSON.parse(outputs[1] ?? '') as { readonly output: string }).output, '2');
  });

  it('uses the copy of its header if the first line is damaged, and treats all rows as sent if it is empty', async () => {
    const server = await countingServer();
    const { folder, journal } = await interruptedBatch(server);
    await writeFile(fileIn(folder), `#${journal.toString()}`);
    const { state } = await readJournal(folder);
    assert.deepEqual([state.header.rows, state.stateOf(1), state.damages], [ROWS, 'completed', 1]);
    await rm(fileIn(folder, 'results.jsonl'));
    for (const empty of [() => truncate(fileIn(folder), 0), () => rm(fileIn(folder))]) {
      await empty();
      const emptied = (await readJournal(folder)).state;
      assert.equal(emptied.counts.sending, ROWS);
    }
  });

  it('keeps a damaged end, and appends after it', async () => {
    const server = await countingServer();
    const { folder, journal } = await interruptedBatch(server);
    const damaged = Buffer.concat([journal.subarray(0, -1), Buffer.from([0x0b])]);
    await writeFile(fileIn(folder), damaged);
    const opened = await Journal.open(folder);
    await opened.append({ kind: 'resumed' });
    await opened.close();
    const bytes = await readFile(fileIn(folder));
    assert.deepEqual(bytes.subarray(0, damaged.length), damaged);
    assert.equal((await readJournal(folder)).state.damages, 1);
  });

  it('accepts a last line that only lacks its line break', async () => {
    const server = await countingServer();
    const { folder, journal } = await interruptedBatch(server);
    await writeFile(fileIn(folder), journal.subarray(0, -1));
    const { state } = await readJournal(folder);
    assert.deepEqual([state.stateOf(5), state.damages], ['sending', 0]);
  });

  it('is listed as damaged if its header and the copy are, and its results stay', async () => {
    const server = await countingServer();
    const { folder } = await interruptedBatch(server);
    await writeFile(fileIn(folder), '\0'.repeat(4_096));
    await rm(fileIn(folder, 'header.json'));
    const { batches, unreadable } = await listed(folder);
    assert.deepEqual([batches, unreadable.map(({ problem }) => problem)], [[], ['damaged']]);
    assert.ok(existsSync(fileIn(folder, 'results.jsonl')));
  });
});

describe('a batch of a newer version', () => {
  afterEach(cleanUp);

  it('is listed as such, and stays as it is', async () => {
    const folder = await createBatch('e', 'rows.jsonl', SOURCE);
    const { header } = (await readJournal(folder)).state;
    const newer = { ...header, version: 2, source: 'elsewhere' } as unknown as BatchHeader;
    const future = { kind: 'merged', rows: 2 } as never;
    for (const content of [
      encodeLine(newer),
      `${JSON.stringify(newer)}\n`,
      encodeLine(header) + encodeLine(future),
      `${encodeLine(header)}${JSON.stringify(future)}\n`,
    ]) {
      await writeFile(fileIn(folder), content);
      const old = new Date(0);
      await utimes(folder, old, old);
      const { batches, unreadable } = await listed(folder);
      assert.deepEqual([batches, unreadable.map(({ problem }) => problem)], [[], ['newer']]);
      await assert.rejects(Journal.open(folder), (error) => error instanceof JournalError && error.problem === 'newer');
      assert.equal(await readFile(fileIn(folder), 'utf8'), content);
    }
  });
});

describe('a batch that a window runs', () => {
  afterEach(cleanUp);

  it('is not deleted, even without a journal', async () => {
    const folder = await createBatch('e', 'rows.jsonl', SOURCE);
    const release = await lockFolder(folder);
    assert.equal(await deleteBatch({ folder }), false);
    for (const name of ['journal.jsonl', 'header.json']) await rm(fileIn(folder, name));
    await listed(folder);
    assert.ok(existsSync(fileIn(folder, 'rows.jsonl')));
    await release?.();
    await listed(folder);
    assert.equal(existsSync(folder), false);
  });
});

describe('damaged files of a batch', () => {
  afterEach(cleanUp);

  it('leave all other results readable, and rows that cannot be read are not sent', async () => {
    const server = await countingServer();
    const { folder } = await interruptedBatch(server);
    const results = await readFile(fileIn(folder, 'results.jsonl'), 'utf8');
    await writeFile(fileIn(folder, 'results.jsonl'), results.replace('"row":2', '"row:2"'));
    const rows = await readFile(fileIn(folder, 'rows.jsonl'), 'utf8');
    // The line break between the rows 4 and 5 is lost.
    await writeFile(fileIn(folder, 'rows.jsonl'), rows.replace(',4]\n', ',4]\v'));
    await run(folder, server, true);
    assert.deepEqual(
      [...server.jobs.values()],
      [1, 1, 1, 1, 1],
      'no row is sent a second time, or in place of another',
    );
    const { state } = await readJournal(folder);
    const files = resultFilesOf({ path: fileIn(folder, 'rows.jsonl') });
    await writeResults(folder, state, files);
    const lines = (await readFile(files.jsonLines, 'utf8')).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { readonly status: string }).status),
      ['COMPLETED', 'DAMAGED', 'COMPLETED', 'COMPLETED', 'UNCERTAIN', 'REFUSED'],
    );
  });
});
