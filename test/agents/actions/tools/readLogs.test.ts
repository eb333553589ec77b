import assert from 'node:assert/strict';
import { MAX_TAIL } from '../../../../src/contract/workerLogs.ts';
import { json } from '../../../client/scriptedServer.ts';
import { workers } from '../../../features/endpoints/sample.ts';
import { scriptedTools } from '../../scriptedTools.ts';

const START = Date.parse('2026-03-01T12:00:00Z');

/** Starts tools on a platform with workers `w1`, `w2`, and so on. Each log has these lines, or does not exist. */
async function logs(...lines: readonly (readonly string[] | undefined)[]) {
  const { promise: logClosed, resolve } = Promise.withResolvers<void>();
  const tools = await scriptedTools({}, ({ path }, response) => {
    const [, number] = /\/w(\d+)\//.exec(path) ?? [];
    if (number === undefined) {
      json(response, 200, workers(...lines.map(() => 'IDLE')));
      return;
    }
    const log = lines[Number(number) - 1];
    if (!log) {
      json(response, 404, { title: 'Not Found', status: 404 }, 'application/problem+json');
      return;
    }
    const frames = log.map((line, second) => {
      const ts = new Date(START + second * 1_000).toISOString();
      return `id: ${ts}\ndata: ${JSON.stringify({ source: 'container', line, ts })}\n\n`;
    });
    response.once('close', resolve);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(`: open\n\n${frames.join('')}`);
  });
  return { ...tools, logClosed };
}

type Tools = Awaited<ReturnType<typeof logs>>;

/** Returns a result without its lines, its note, and the names of its workers. */
async function countsOf({ call }: Tools, input: object): Promise<Record<string, unknown>> {
  const {
    lines: _lines,
    note: _note,
    workers: _workers,
    ...counts
  } = await call('read_logs', { endpoint: 'e', ...input });
  return counts;
}

describe('The counts of the log lines of a result', () => {
  it('are the lines and the older lines that are left out', async () => {
    await using tools = await logs(['a', 'b', 'c'], ['d', 'e']);
    assert.deepEqual(await countsOf(tools, { lines: 2 }), { count: 2, olderLinesLeftOut: 2 });
    assert.deepEqual(await countsOf(tools, { lines: 3 }), { count: 3, olderLinesLeftOut: 2 });
    assert.deepEqual(await countsOf(tools, { lines: 5 }), { count: 5, olderLinesLeftOut: 0 });
  });

  it('include the workers that are not read, and name those without a log', async () => {
    await using tools = await logs(undefined, ...Array.from({ length: 9 }, () => ['a']));
    const counts = { withoutLog: ['w1'], workersLeftOut: 2, count: 7, olderLinesLeftOut: 0 };
    assert.deepEqual(await countsOf(tools, {}), counts);
  });

  it('include the lines that have room in the answer to a call but not in the result', async () => {
    await using tools = await logs(Array.from({ length: 12 }, () => 'x'.repeat(2_000)));
    // Each line takes 2,028 of 20,000 characters.
    assert.deepEqual(await countsOf(tools, { lines: 11 }), { count: 9, olderLinesLeftOut: 2 });
    const found = { searchedLines: 12, hits: 12, count: 9, olderLinesLeftOut: 3 };
    assert.deepEqual(await countsOf(tools, { lines: 11, query: 'x' }), found);
  });

  it('of a search are the lines that were searched and found', async () => {
    await using tools = await logs(['a1', 'b', 'a2', 'a3']);
    const found = { searchedLines: 4, hits: 3, count: 2, olderLinesLeftOut: 1 };
    assert.deepEqual(await countsOf(tools, { lines: 2, query: 'a' }), found);
    const none = { searchedLines: 4, hits: 0, count: 0, olderLinesLeftOut: 0 };
    assert.deepEqual(await countsOf(tools, { lines: 2, query: 'z' }), none);
    const asked = tools.received.flatMap(({ path }) => new URL(path, tools.origin).searchParams.get('tail') ?? []);
    assert.deepEqual(asked, [String(MAX_TAIL), String(MAX_TAIL)]);
  });

  it('of a search include only what is found in the first 20,000 characters of a line', async () => {
    await using tools = await logs([`${'x'.repeat(19_999)}y`, `${'x'.repeat(20_000)}y`]);
    assert.equal((await countsOf(tools, { query: 'y' }))['hits'], 1);
  });
});

describe('A search of logs', () => {
  it('ends when its call is canceled', async () => {
    const abort = new AbortController();
    const slow = Array.from({ length: 40 }, () => `${'a'.repeat(40)}!`);
    await using tools = await logs(slow);
    const searched = tools.call('read_logs', { endpoint: 'e', query: '/^(a+)+$/' }, { signal: abort.signal });
    // The client closes the log before it searches the lines.
    await tools.logClosed;
    abort.abort();
    assert.equal((await searched).error?.code, 'canceled');
  });
});
