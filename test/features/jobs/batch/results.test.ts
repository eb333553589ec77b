import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readRows } from '../../../../src/features/jobs/batch/batchFiles.ts';
import { deleteBatch, isInterrupted, listBatches } from '../../../../src/features/jobs/batch/actions/listBatches.ts';
import { prepareBatch } from '../../../../src/features/jobs/batch/actions/prepareBatch.ts';
import { findSource } from '../../../../src/features/jobs/batch/actions/readSource.ts';
import { existing, resultFilesOf, writeResults } from '../../../../src/features/jobs/batch/actions/writeResults.ts';
import { MAX_RUN_BYTES } from '../../../../src/contract/job.ts';
import { startScriptedServer } from '../../../client/scriptedServer.ts';
import { cleanUp, dataDirectory } from '../../../platform/support.ts';
import { batchPlatform, clientTo, createBatch, openRunner, reply } from './batchSupport.ts';

const { signal } = new AbortController();
const HEALTH = {
  jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
  workers: { idle: 0, running: 0 },
};

describe('the results of a batch', () => {
  afterEach(cleanUp);

  it('have a line for each row, in order, as JSON Lines and as a table without formulas', async () => {
    const outputs: Record<string, object> = {
      a: { output: { text: '=1+1', n: 1e-7, list: [1, 2] }, executionTime: 1_000, delayTime: 5, workerId: 'w' },
      b: { output: 'one, "two"\n' },
      c: { status: 'FAILED', error: '@broken' },
    };
    let submitted = 0;
    await using server = await startScriptedServer(({ path: url, body }, response) => {
      if (url.endsWith('/run')) {
        if (++submitted === 4) return void response.destroy();
        return reply(response, 200, {
          id: (JSON.parse(body) as { input: { id: string } }).input.id,
          status: 'IN_QUEUE',
        });
      }
      const id = url.at(-1) ?? '';
      if (!(id in outputs)) return reply(response, 200, HEALTH);
      return reply(response, 200, { id, status: 'COMPLETED', ...outputs[id] });
    });
    const folder = await createBatch('e', 'rows.csv', 'id\na\nb\nc\nd\n');
    const runner = await openRunner(folder, batchPlatform(clientTo(server.connection, false)).platform, {
      maxInFlight: 1,
    });
    assert.equal(await runner.run(), 'done');
    const files = resultFilesOf({ path: path.join(folder, 'rows.csv') });
    await writeResults(folder, runner.state, files);
    const jsonLines = (await readFile(files.jsonLines, 'utf8')).trimEnd().split('\n');
    assert.deepEqual(
      jsonLines.map((line) => {
        const { row, reference, status, costUsd } = JSON.parse(line) as Record<string, unknown>;
        return [row, reference, status, costUsd];
      }),
      [
        [1, 2, 'COMPLETED', 0.001],
        [2, 3, 'COMPLETED', undefined],
        [3, 4, 'FAILED', undefined],
        [4, 5, 'UNCERTAIN', undefined],
      ],
    );
    assert.equal(
      await readFile(files.csv, 'utf8'),
      [
        'row,reference,jobId,status,delayTime,executionTime,workerId,costUsd,error,output,output.text,output.n,output.list',
        `1,2,a,COMPLETED,5,1000,w,0.001,,,'=1+1,0.0000001,"[1,2]"`,
        '2,3,b,COMPLETED,,,,,,"one, ""two""\n",,,',
        `3,4,c,FAILED,,,,,'@broken,,,,`,
        '4,5,,UNCERTAIN,,,,,,,,,',
        '',
      ].join('\r\n'),
    );
    assert.equal((await existing(files)).length, 2);
  });

  it('are readable only by their user in the storage, as the whole batch is', async function () {
    if (process.platform === 'win32') this.skip();
    await using server = await startScriptedServer(({ path: url }, response) => {
      if (url.endsWith('/health')) return reply(response, 200, HEALTH);
      return reply(response, 200, { id: 'a', status: 'COMPLETED', output: 1 });
    });
    const folder = await createBatch('e', 'rows.csv', 'id\na\n');
    const runner = await openRunner(folder, batchPlatform(clientTo(server.connection, false)).platform);
    assert.equal(await runner.run(), 'done');
    await writeResults(folder, runner.state, resultFilesOf({ path: 'rows.csv' }, folder), 0o600);
    const names = await readdir(folder);
    for (const name of ['journal.jsonl', 'results.jsonl', 'rows.results.jsonl', 'rows.results.csv'])
      assert.ok(names.includes(name), name);
    for (const name of names.filter((one) => one !== 'rows.csv'))
      assert.equal((await stat(path.join(folder, name))).mode & 0o777, 0o600, name);
  });
});

describe('a folder as the source of a batch', () => {
  afterEach(cleanUp);

  it('has a row for each file, with data URLs for files that are not JSON', async () => {
    const folder = await dataDirectory();
    const write = (name: string, content: string | Uint8Array) => writeFile(path.join(folder, name), content);
    await write('10.png', Buffer.from('png'));
    await write('2.json', '{"prompt":"a"}');
    await write('3.job.json', '{ "endpoint": "hello", /* comment */ "input": {"b":1}, "expect": {} }');
    await write('4.json', '[');
    await write('5.bin', Buffer.alloc(MAX_RUN_BYTES));
    await write('.hidden', '');
    await mkdir(path.join(folder, 'below'));
    const source = await findSource(folder);
    assert.ok(source?.hasMedia);
    const files = await dataDirectory();
    const { folder: batch, rows, broken, listed } = await prepareBatch(files, { source, member: 'photo', signal });
    assert.deepEqual([rows, broken], [3, 2]);
    assert.deepEqual(
      listed.map(({ reference, problem }) => [reference, problem.code]),
      [
        ['4.json', 'notJson'],
        ['5.bin', 'tooLarge'],
      ],
    );
    const copied: unknown[] = [];
    for await (const { reference, body } of readRows(batch, rows)) copied.push([reference, body]);
    assert.deepEqual(copied, [
      ['2.json', { input: { prompt: 'a' } }],
      ['3.job.json', { input: { b: 1 } }],
      ['10.png', { input: { photo: 'data:image/png;base64,cG5n' } }],
    ]);
  });
});

const NONE = { batches: [], unreadable: [] };

describe('the stored batches', () => {
  afterEach(cleanUp);

  it('are listed with their state, and interrupted ones are recognized', async () => {
    const folder = await createBatch('e', 'rows.jsonl', '{}\n{}\n');
    const root = path.dirname(folder);
    const [batch, ...others] = (await listBatches(root, Date.now())).batches;
    assert.ok(batch && others.length === 0);
    assert.deepEqual([batch.state.left, isInterrupted(batch), batch.isRunning], [2, true, false]);
    await deleteBatch(batch);
    assert.deepEqual(await listBatches(root, Date.now()), NONE);
    assert.equal(existsSync(folder), false, 'the rows are deleted too');
  });

  it('do not include folders without a journal, which are deleted after a day', async () => {
    const folder = await createBatch('e', 'rows.jsonl', '{}\n');
    const root = path.dirname(folder);
    for (const name of ['journal.jsonl', 'header.json']) await rm(path.join(folder, name));
    const { mtimeMs } = await stat(folder);
    const day = 24 * 3_600_000;
    assert.deepEqual(await listBatches(root, mtimeMs + day), NONE);
    assert.ok(existsSync(folder), 'another window may be preparing it');
    assert.deepEqual(await listBatches(root, mtimeMs + day + 1), NONE);
    assert.equal(existsSync(folder), false);
  });

  it('hold few bytes of a row in memory while they are prepared', async function () {
    const folder = await dataDirectory();
    const file = path.join(folder, 'large.jsonl');
    const line = `${JSON.stringify({ prompt: 'x'.repeat(2_000) })}\n`;
    for (let part = 0; part < 10; part++) await writeFile(file, line.repeat(10_000), { flag: 'a' });
    const source = await findSource(file);
    assert.ok(source);
    let peak = 0;
    const before = process.memoryUsage().rss;
    const { rows } = await prepareBatch(folder, {
      ...{ source, member: '', signal },
      onRow: (number) => {
        if (number % 1_000 === 0) peak = Math.max(peak, process.memoryUsage().rss);
      },
    });
    assert.equal(rows, 100_000);
    // The rows have 200 MB. Most of the measured memory is garbage, which a busy machine collects late.
    assert.ok(peak - before < 190_000_000, `${Math.round((peak - before) / 1e6)} MB`);
  });
});
