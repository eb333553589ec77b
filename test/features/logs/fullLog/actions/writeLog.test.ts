import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ReadableLog } from '../../../../../src/features/logs/archive/readableLog.ts';
import { writeLog, type WriteOptions } from '../../../../../src/features/logs/fullLog/actions/writeLog.ts';
import { replaceFile } from '../../../../../src/kit/replaceFile.ts';
import { cleanUp, dataDirectory } from '../../../../platform/support.ts';
import { entry, GeneratedLog, MemoryLog, sdkEntry, START, systemEntry } from '../memoryLog.ts';

async function written(logs: readonly ReadableLog[], options: Partial<WriteOptions> = {}): Promise<string[]> {
  const texts: string[] = [];
  const signal = new AbortController().signal;
  await writeLog(logs, (text) => Promise.resolve(void texts.push(text)), {
    format: 'text',
    timestamps: 'utc',
    signal,
    ...options,
  });
  return texts.join('').split('\n');
}

describe('A saved log', () => {
  it('contains the lines as the editor shows them', async () => {
    const log = new MemoryLog('w1', [
      systemEntry('worker is ready', START),
      sdkEntry('0b9f3c1e-5d1c', 'one\ntwo', START + 1000),
      entry('\u001b[31mred\u001b[0m', START + 86_400_000),
    ]);
    assert.deepEqual(await written([log]), [
      '2026-11-22',
      '10:42:05.000Z [system] worker is ready',
      '10:42:06.000Z INFO  [0b9f3c1e] one',
      '              two',
      '2026-11-23',
      '10:42:05.000Z red',
      '',
    ]);
  });

  it('names the workers of several logs, with one date for all', async () => {
    const one = new MemoryLog('worker-aaaa', [entry('a', START), entry('c', START + 2)]);
    const two = new MemoryLog('worker-bbbb', [entry('b', START + 1)]);
    assert.deepEqual(await written([one, two]), [
      '2026-11-22',
      '10:42:05.000Z aaaa │ a',
      '10:42:05.001Z bbbb │ b',
      '10:42:05.002Z aaaa │ c',
      '',
    ]);
  });

  it('contains each line as the platform sent it, in JSON Lines', async () => {
    const event = { source: 'container' as const, line: '\u001b[31mred', ts: '2026-11-22T10:42:05.123456789Z', id: 7 };
    const lines = await written([new MemoryLog('w1', [{ event, at: START }])], { format: 'jsonLines' });
    assert.deepEqual(
      lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown),
      [{ id: 7, workerId: 'w1', ts: '2026-11-22T10:42:05.123456789Z', source: 'container', line: '\u001b[31mred' }],
    );
  });

  it('is empty for an empty log', async () => {
    assert.deepEqual(await written([]), ['']);
    assert.deepEqual(await written([new MemoryLog('w1')], { format: 'jsonLines' }), ['']);
  });

  it('contains the lines at the time of the request, with progress', async () => {
    const log = new MemoryLog('w1', [entry('one', START), entry('two', START)]);
    log.beforeRead = () => log.append(entry('three', START));
    const reports: (readonly number[])[] = [];
    const lines = await written([log], { onProgress: (...report) => reports.push(report) });
    assert.deepEqual(
      lines.map((line) => line.slice(14)),
      ['', 'one', 'two', ''],
    );
    assert.deepEqual(reports.at(-1), [2, 2]);
  });
});

describe('The file of a saved log', () => {
  afterEach(cleanUp);

  const log = new GeneratedLog('w1', 200_000, (line) => entry(`line ${line}`, START + line));

  it('replaces an existing file', async () => {
    const folder = await dataDirectory();
    const file = path.join(folder, 'hello.jsonl');
    await writeFile(file, 'before');
    const signal = new AbortController().signal;
    await replaceFile(file, (write) => writeLog([log], write, { format: 'jsonLines', timestamps: 'local', signal }));
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    assert.equal(lines.length, 200_000);
    assert.deepEqual((JSON.parse(lines[199_999] ?? '') as { line: string }).line, 'line 199999');
    assert.deepEqual(await readdir(folder), ['hello.jsonl']);
  });

  it('is not changed by a canceled write, and no part of it stays', async () => {
    const folder = await dataDirectory();
    const file = path.join(folder, 'hello.log');
    await writeFile(file, 'before');
    const controller = new AbortController();
    const onProgress = (lines: number) => {
      if (lines >= 150_000) controller.abort(new Error('canceled'));
    };
    const saving = replaceFile(file, (write) =>
      writeLog([log], write, { format: 'text', timestamps: 'local', signal: controller.signal, onProgress }),
    );
    await assert.rejects(saving, /canceled/);
    assert.deepEqual(await readdir(folder), ['hello.log']);
    assert.equal(await readFile(file, 'utf8'), 'before');
  });
});
