import assert from 'node:assert/strict';
import { readJobLog } from '../../../../src/features/jobs/actions/readJobLog.ts';
import { startScriptedServer } from '../../../client/scriptedServer.ts';

const START = Date.parse('2026-01-01T10:00:00Z');
const MINUTE = 60_000;

describe('the log of a job', () => {
  it('contains its lines even if the worker has written more than 5,000 lines since', async () => {
    // A line each 100 ms: three hours before the job, and many after it.
    const lines = Array.from({ length: 20_000 }, (_, index) => {
      const ts = new Date(START + index * 100).toISOString();
      return `id: ${ts}\ndata: ${JSON.stringify({ source: 'container', line: `line ${index}`, ts })}\n\n`;
    });
    await using server = await startScriptedServer((request, response) => {
      const { searchParams } = new URL(request.path, server.origin);
      const since = searchParams.get('since');
      const first =
        since === null
          ? lines.length - Number(searchParams.get('tail'))
          : Math.max(0, (Date.parse(since) - START) / 100);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(`: open\n\n${lines.slice(first).join('')}`);
    });
    const job = {
      ...{ id: 'j', endpointId: 'e', endpointName: 'hello', workerId: 'w', status: 'COMPLETED' as const },
      ...{ submittedAt: START + 10 * MINUTE, delayTime: 1_000, executionTime: 500 },
    };
    const found = await readJobLog(server.client, job, START + 60 * MINUTE);
    assert.equal(found.startsLate, false);
    // The job ran from 10:10:01.000 to 10:10:01.500, and a line can be up to 250 ms away.
    assert.deepEqual(
      found.lines.map(({ line }) => line),
      Array.from({ length: 10 }, (_, index) => `line ${6_008 + index}`),
    );
  });
});
