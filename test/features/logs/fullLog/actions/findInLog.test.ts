import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import {
  findInLog,
  type FindOptions,
  type FoundLine,
  type SearchProgress,
} from '../../../../../src/features/logs/fullLog/actions/findInLog.ts';
import { LogRenumbered } from '../../../../../src/features/logs/fullLog/actions/mergedLines.ts';
import { ExpressionTooSlow } from '../../../../../src/features/logs/fullLog/actions/timedMatcher.ts';
import { parseSearch } from '../../../../../src/features/logs/fullLog/model/searchPattern.ts';
import type { ReadableLog } from '../../../../../src/features/logs/archive/readableLog.ts';
import { entry, GeneratedLog, MemoryLog, sdkEntry, secondsApart, START } from '../memoryLog.ts';

function expressionOf(search: string): RegExp {
  const parsed = parseSearch(search);
  assert.ok('expression' in parsed, `${search} is valid`);
  return parsed.expression;
}

async function find(
  logs: readonly ReadableLog[],
  search: string,
  options: Partial<FindOptions> = {},
): Promise<FoundLine[]> {
  const signal = new AbortController().signal;
  const found: FoundLine[] = [];
  for await (const hit of findInLog(logs, expressionOf(search), { signal, ...options })) found.push(hit);
  return found;
}

const matched = (found: readonly FoundLine[]) => found.map(({ text, start, end }) => text.slice(start, end));

describe('A search in a log', () => {
  it('finds text in any case, with the place of each line', async () => {
    const log = new MemoryLog('w1', secondsApart(['starting', 'an Error', 'fine', 'no error here']));
    const found = await find([log], 'error');
    assert.deepEqual(
      found.map(({ log: index, line, number, workerId, at }) => ({ index, line, number, workerId, at })),
      [
        { index: 0, line: 1, number: 2, workerId: 'w1', at: START + 1000 },
        { index: 0, line: 3, number: 4, workerId: 'w1', at: START + 3000 },
      ],
    );
    assert.deepEqual(matched(found), ['Error', 'error']);
  });

  it('takes the characters of text literally', async () => {
    const log = new MemoryLog('w1', secondsApart(['a.b', 'axb', '[a](b)*', 'C:\\a', '/a/b']));
    assert.deepEqual(matched(await find([log], 'a.b')), ['a.b']);
    assert.deepEqual(matched(await find([log], '[a](b)*')), ['[a](b)*']);
    assert.deepEqual(matched(await find([log], 'C:\\a')), ['C:\\a']);
    assert.deepEqual(matched(await find([log], '/a/b')), ['/a/b']);
  });

  it('finds regular expressions with flags', async () => {
    const log = new MemoryLog('w1', secondsApart(['Error 12', 'error 345', 'error x']));
    assert.deepEqual(matched(await find([log], '/error \\d+/')), ['error 345']);
    assert.deepEqual(matched(await find([log], '/^ERROR (\\d{2})$/i')), ['Error 12']);
  });

  it('searches the text that is shown, without colors and without JSON', async () => {
    const log = new MemoryLog('w1', [
      entry('\u001b[31mred\u001b[0m text', START),
      sdkEntry('0b9f3c1e-5d1c-4a3e-9e0b-7d6a0a6f8a11-u1', 'says "hello"\nand more', START + 1),
    ]);
    assert.deepEqual(matched(await find([log], 'red text')), ['red text']);
    assert.deepEqual(matched(await find([log], '"hello"')), ['"hello"']);
    assert.deepEqual(await find([log], 'requestId'), []);
  });

  it('finds the lines of a job by its complete ID', async () => {
    const id = '0b9f3c1e-5d1c-4a3e-9e0b-7d6a0a6f8a11-u1';
    const log = new MemoryLog('w1', [sdkEntry(id, 'one', START), sdkEntry(`1${id}`, 'two', START), entry(id, START)]);
    const found = await find([log], `/^${id}$/`);
    assert.deepEqual(matched(found), ['0b9f3c1e', id]);
    assert.deepEqual(
      found.map(({ line }) => line),
      [0, 2],
    );
  });

  it('searches several logs in the order of their times', async () => {
    const one = new MemoryLog('w1', secondsApart(['hit 1', 'hit 3'], START));
    const two = new MemoryLog('w2', secondsApart(['hit 2', 'hit 4'], START + 500));
    const found = await find([one, two], 'hit');
    assert.deepEqual(
      found.map(({ workerId, text, number }) => [workerId, text, number]),
      [
        ['w1', 'hit 1', 1],
        ['w2', 'hit 2', 2],
        ['w1', 'hit 3', 3],
        ['w2', 'hit 4', 4],
      ],
    );
  });

  it('ends after the maximum number of hits, without a read of the rest', async () => {
    const log = new GeneratedLog('w1', 100_000, (line) => entry(`line ${line}`, START + line));
    assert.equal((await find([log], 'line', { maxHits: 10 })).length, 10);
    assert.equal(log.blocksRead, 1);
  });

  it('reports its progress', async () => {
    const log = new GeneratedLog('w1', 1000, (line) => entry(`line ${line}`, START + line));
    const reports: SearchProgress[] = [];
    await find([log], 'line 999', { onProgress: (progress) => reports.push(progress) });
    assert.deepEqual(reports.at(-1), { searched: 1000, total: 1000, tooSlow: 0 });
    assert.ok(reports.length >= 4);
  });

  it('can be canceled between batches', async () => {
    const log = new GeneratedLog('w1', 100_000, (line) => entry(`line ${line}`, START + line));
    const controller = new AbortController();
    const search = find([log], 'nothing', {
      signal: controller.signal,
      onProgress: ({ searched }) => {
        if (searched >= 1000) controller.abort(new Error('canceled'));
      },
    });
    await assert.rejects(search, /canceled/);
    assert.ok(log.blocksRead < 10, `${log.blocksRead} blocks`);
  });

  it('gives other work its turns', async () => {
    const long = 'x'.repeat(10_000);
    const log = new GeneratedLog('w1', 5000, (line) => entry(`${long} ${line}`, START + line));
    const search = new AbortController();
    let turns = 0;
    const others = (async () => {
      while (!search.signal.aborted) {
        await setImmediate();
        turns++;
      }
    })();
    await find([log], '/y+z/');
    search.abort();
    await others;
    assert.ok(turns >= 5, `${turns} turns`);
  });

  it('leaves out a line that an expression takes too long for', async () => {
    const slow = `${'a'.repeat(60)}b`;
    const log = new MemoryLog('w1', secondsApart(['aaa', slow, 'aa', 'b', slow, 'a']));
    const reports: SearchProgress[] = [];
    const found = await find([log], '/^(a+)+$/', { onProgress: (progress) => reports.push(progress) });
    assert.deepEqual(
      found.map(({ line }) => line),
      [0, 2, 5],
    );
    assert.deepEqual(reports.at(-1), { searched: 6, total: 6, tooSlow: 2 });
  });

  it('ends if an expression takes too long for many lines', async () => {
    const log = new GeneratedLog('w1', 100_000, (line) => entry(`${'a'.repeat(60)}b`, START + line));
    await assert.rejects(find([log], '/^(a+)+$/'), ExpressionTooSlow);
  });

  it('reports a log that was renumbered', async () => {
    const log = new MemoryLog('w1', secondsApart(Array.from({ length: 1000 }, (_, index) => `line ${index}`)));
    log.beforeRead = () => {
      if (log.reads.length === 2) log.removeFirst(256);
    };
    await assert.rejects(find([log], 'line'), LogRenumbered);
  });
});

describe('A search', () => {
  const problemOf = (text: string) => {
    const parsed = parseSearch(text);
    return 'problem' in parsed ? parsed.problem : undefined;
  };

  it('is refused with the reason', () => {
    assert.match(problemOf('  ') ?? '', /^Enter text/);
    assert.match(problemOf('/(/') ?? '', /Invalid regular expression/);
    assert.match(problemOf('/a*/') ?? '', /also matches empty text/);
    assert.match(problemOf('/a/uv') ?? '', /[Ii]nvalid/);
    assert.match(problemOf('x'.repeat(2001)) ?? '', /longer than 2000/);
  });

  it('can be text that looks like the beginning of an expression', () => {
    assert.equal(problemOf('/usr/local'), undefined);
    assert.equal(problemOf('/v1'), undefined);
    assert.equal(problemOf('//'), undefined);
  });
});
