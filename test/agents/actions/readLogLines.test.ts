import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { ApiError } from '../../../src/client/apiError.ts';
import type { Client } from '../../../src/client/client.ts';
import type { Job } from '../../../src/contract/job.ts';
import type { CallContext } from '../../../src/agents/actions/agentTool.ts';
import { jobLog } from '../../../src/agents/actions/jobResult.ts';
import { newestThatFit, readLogLines, type LogLine, type LogQuery } from '../../../src/agents/actions/readLogLines.ts';
import { json, startScriptedServer } from '../../client/scriptedServer.ts';

const START = Date.parse('2026-03-01T12:00:00Z');

/** Starts the response with the log of a worker, and writes lines with the given seconds of their times. */
function writeLog(response: ServerResponse, seconds: readonly number[]): void {
  const frames = seconds.map((second) => {
    const ts = new Date(START + second * 1_000).toISOString();
    return `id: ${ts}\ndata: ${JSON.stringify({ source: 'container', line: `second ${second}`, ts })}\n\n`;
  });
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(`: open\n\n${frames.join('')}`);
}

/** Starts a platform with the logs of these workers, each a list of the seconds of its lines or a status that refuses the request. */
const startLogs = (logs: Readonly<Record<string, readonly number[] | 403 | 404>>) =>
  startScriptedServer(({ path }, response) => {
    const log = Object.entries(logs).find(([workerId]) => path.includes(`/${workerId}/`))?.[1] ?? 404;
    if (typeof log !== 'number') writeLog(response, log);
    else json(response, log, { title: 'Error', status: log, detail: 'refused' }, 'application/problem+json');
  });

const never = new AbortController().signal;
const read = (server: { readonly client: Client }, workerIds: readonly string[], changes: Partial<LogQuery> = {}) =>
  readLogLines(server, { endpointId: 'e', workerIds, tail: 10, signal: never, ...changes });

describe('Log lines of several workers', () => {
  it('are in the order of their times', async () => {
    await using server = await startLogs({ w1: [2, 4], w2: [1, 3, 5] });
    const { lines, withoutLog } = await read(server, ['w1', 'w2']);
    assert.deepEqual(
      lines.map(({ workerId, line }) => [workerId, line]),
      [
        ['w2', 'second 1'],
        ['w1', 'second 2'],
        ['w2', 'second 3'],
        ['w1', 'second 4'],
        ['w2', 'second 5'],
      ],
    );
    assert.deepEqual(withoutLog, []);
  });

  it('are in the order of the log for a single worker, whose clock can be set back', async () => {
    await using server = await startLogs({ w1: [2, 1] });
    const { lines, withoutLog } = await read(server, ['w1']);
    assert.deepEqual([lines.map(({ line }) => line), withoutLog], [['second 2', 'second 1'], []]);
  });

  it('are returned with the names of the workers without a log', async () => {
    await using server = await startLogs({ w1: [1] });
    const { lines, withoutLog } = await read(server, ['gone', 'w1']);
    assert.deepEqual([lines.length, withoutLog], [1, ['gone']]);
  });

  it('are not returned if a log may not be read', async () => {
    await using server = await startLogs({ w1: [1], w2: 403 });
    await assert.rejects(
      read(server, ['w1', 'w2']),
      (error) => error instanceof ApiError && error.kind === 'forbidden',
    );
  });

  it('are not returned after the call is canceled, because they can be incomplete', async () => {
    await using server = await startLogs({ w1: [1] });
    await assert.rejects(read(server, ['w1'], { signal: AbortSignal.abort(new Error('canceled')) }), /canceled/);
  });

  for (const [what, changes, expected] of [
    ['the newest ones', {}, { tail: '10', since: null, source: null }],
    ['those since a time', { since: START }, { tail: null, since: new Date(START).toISOString(), source: null }],
    ['those of one source', { source: 'system' }, { tail: '10', since: null, source: 'system' }],
  ] as const)
    it(`are ${what}, as the call asks`, async () => {
      const asked: URLSearchParams[] = [];
      await using server = await startScriptedServer(({ path }, response) => {
        asked.push(new URL(path, 'http://localhost').searchParams);
        writeLog(response, [1]);
      });
      await read(server, ['w1'], changes);
      assert.deepEqual(
        asked.map((query) => ({ tail: query.get('tail'), since: query.get('since'), source: query.get('source') })),
        [expected],
      );
    });
});

describe('The log of a job for a model', () => {
  const job: Job = { id: 'j', status: 'FAILED', workerId: 'w1' };
  const stored = {
    ...{ id: 'j', endpointId: 'e', endpointName: 'hello', status: 'FAILED' as const },
    ...{ submittedAt: START, delayTime: 0, executionTime: 60_000 },
  };
  const contextOf = (client: Client, signal = never) =>
    ({ connection: () => ({ client }), signal, clock: { now: () => START + 100_000 } }) as unknown as CallContext;

  it('has the last 50 lines of the job', async () => {
    await using server = await startLogs({ w1: Array.from({ length: 60 }, (_, second) => second) });
    const lines = await jobLog(stored, job, contextOf(server.client));
    assert.equal(lines.length, 50);
    assert.match(lines[0] ?? '', / second 10$/);
    assert.match(lines.at(-1) ?? '', /^2026-03-01T12:00:59\.000Z second 59$/);
  });

  it('is empty without a worker, without a stored job, or if the log is gone', async () => {
    await using server = await startLogs({ w1: [1] });
    const context = contextOf(server.client);
    assert.equal((await jobLog(stored, job, context)).length, 1);
    const before = server.received.length;
    assert.deepEqual(await jobLog(undefined, job, context), []);
    assert.deepEqual(await jobLog(stored, { id: 'j', status: 'FAILED' }, context), []);
    assert.equal(server.received.length, before, 'an unknown log is not requested');
    assert.deepEqual(await jobLog(stored, { ...job, workerId: 'gone' }, context), []);
  });

  it('is not returned after the call is canceled', async () => {
    await using server = await startLogs({});
    const canceled = AbortSignal.abort(new Error('canceled'));
    await assert.rejects(jobLog(stored, job, contextOf(server.client, canceled)), /canceled/);
  });
});

describe('Log lines in the result of a tool', () => {
  const ts = '2026-03-01T12:00:00.000Z';
  const line = (text: string, changes: Partial<LogLine> = {}): LogLine => ({
    ...{ workerId: 'w1', ts, source: 'container', line: text, ...changes },
  });

  it('have their time, a mark if the host wrote them, and their worker if there are several', () => {
    assert.deepEqual(newestThatFit([line('a'), line('b', { source: 'system' })]), {
      lines: [`${ts} a`, `${ts} [system] b`],
      leftOut: 0,
    });
    assert.deepEqual(newestThatFit([line('a'), line('b', { workerId: 'w2', source: 'system' })]).lines, [
      `${ts} w1 a`,
      `${ts} w2 [system] b`,
    ]);
    assert.deepEqual(newestThatFit([]), { lines: [], leftOut: 0 });
  });

  it('are cut after 2000 characters, with the number of characters that are left out', () => {
    const [whole = '', cut = ''] = newestThatFit([line('x'.repeat(2_000)), line('y'.repeat(2_005))]).lines;
    assert.equal(whole, `${ts} ${'x'.repeat(2_000)}`);
    assert.equal(cut, `${ts} ${'y'.repeat(2_000)} … 5 characters left out`);
  });

  it('are the newest ones that fit into 20,000 characters of JSON, in order', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => line(`line ${String(index).padStart(4, '0')}`));
    const { lines, leftOut } = newestThatFit(all);
    assert.equal(lines.length + leftOut, 1_000);
    assert.ok(lines.at(-1)?.endsWith('line 0999'), 'the newest line is the last');
    assert.ok(lines[0]?.endsWith(`line ${String(leftOut).padStart(4, '0')}`), 'no line between is left out');
    const size = JSON.stringify(lines).length;
    const perLine = (lines[0] ?? '').length + 3;
    assert.ok(size <= 20_001 && size > 20_001 - perLine, `${size}`);
  });

  it('fit if they take exactly 20,000 characters with their quotes and commas', () => {
    // 25 characters are the time and a space. Quotes and a comma are three.
    const fitting = Array.from({ length: 80 }, () => line('x'.repeat(250 - 25 - 3)));
    assert.equal(newestThatFit(fitting).leftOut, 0);
    assert.equal(newestThatFit([line('x'.repeat(250 - 25 - 2)), ...fitting.slice(1)]).leftOut, 1);
  });
});
