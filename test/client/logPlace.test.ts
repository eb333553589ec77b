import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { LogPlace } from '../../src/client/logPlace.ts';
import { openWorkerLogStream } from '../../src/client/workerLogStream.ts';
import type { LogEvent } from '../../src/contract/workerLogs.ts';
import { startScriptedServer, type Script } from './scriptedServer.ts';

interface Line {
  readonly id: string;
  readonly event: LogEvent;
}

const frameOf = ({ id, event }: Line) => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;

/** Serves a log as documented. A stream resumes after the last line with an ID, or at a time, which is inclusive. */
function serve(log: readonly Line[], cuts: number[], chunk: number): Script {
  return async ({ path, headers }, response) => {
    const lastEventId = headers['last-event-id'];
    const since = new URL(path, 'http://any').searchParams.get('since');
    const start =
      typeof lastEventId === 'string'
        ? log.findLastIndex(({ id }) => id === lastEventId) + 1
        : since === null
          ? 0
          : log.findIndex(({ event }) => Date.parse(event.ts) >= Date.parse(since));
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const heartbeat = ': ping\n\n';
    // Reconnects without a delay, even if the connection closes at the first byte.
    response.write('retry: 0\n\n');
    const bytes = Buffer.from(log.slice(start).map(frameOf).join(heartbeat));
    const cut = cuts.shift();
    await writeInChunks(response, bytes.subarray(0, cut ?? bytes.length), chunk);
    if (cut !== undefined) response.end();
  };
}

async function writeInChunks(response: ServerResponse, bytes: Buffer, size: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(at, at + size), () => resolve()));
  }
}

/** Follows the log until its last line. */
async function follow(log: readonly Line[], cuts: number[], chunk: number, place = new LogPlace()): Promise<string[]> {
  await using server = await startScriptedServer(serve(log, cuts, chunk));
  const seen: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const close = openWorkerLogStream(server.client.context, {
    id: 'e',
    workerId: 'w',
    place,
    onLine: ({ line }) => {
      seen.push(line);
      if (line === log.at(-1)?.event.line) resolve();
    },
    onError: reject,
  });
  await promise;
  close();
  return seen;
}

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

/** Lines in the order of their times, which can repeat. IDs are the times, or the times with a number. */
const anyLog = fc
  .record({
    steps: fc.array(fc.record({ step: fc.constantFrom(0, 0, 1, 1_000), text: fc.constantFrom('a', 'grün 🚀', 'b') }), {
      maxLength: 12,
    }),
    numbered: fc.boolean(),
  })
  .map(({ steps, numbered }) => {
    let time = 0;
    const log = steps.map(({ step, text }, index): Line => {
      time += step;
      const ts = at(time);
      return { id: numbered ? `${ts}/${index}` : ts, event: { source: 'container', line: text, ts } };
    });
    const end = at(time + 1);
    return [...log, { id: end, event: { source: 'container', line: 'the end', ts: end } }] as Line[];
  });

describe('a position in a log', () => {
  it('yields each line once, for any chunks and any interruption', async () => {
    const cuts = fc.array(fc.nat(900), { maxLength: 6 });
    const scenario = fc.asyncProperty(anyLog, cuts, fc.integer({ min: 1, max: 700 }), async (log, at, chunk) => {
      assert.deepEqual(
        await follow(log, [...at], chunk),
        log.map(({ event }) => event.line),
      );
    });
    await fc.assert(scenario, { numRuns: 60 });
  });

  it('yields each line once when it is stored and restored between any two lines', () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.nat(12)), (log, stops) => {
        const seen: string[] = [];
        let place = new LogPlace();
        const read = (until: number) => {
          const resumption = place.resume();
          const { lastEventId, since } = resumption ?? {};
          const start =
            lastEventId === undefined
              ? log.findIndex(({ event }) => since === undefined || Date.parse(event.ts) >= Date.parse(since))
              : log.findLastIndex(({ id }) => id === lastEventId) + 1;
          for (const { event, id } of log.slice(start, until)) if (place.take(event, id)) seen.push(event.line);
        };
        for (const stop of stops) {
          read(stop);
          place = LogPlace.restore(JSON.parse(JSON.stringify(place.save())));
        }
        read(log.length);
        assert.deepEqual(
          seen,
          log.map(({ event }) => event.line),
        );
      }),
    );
  });

  it('yields identical lines separately', () => {
    const ts = at(0);
    const event = { source: 'system', line: 'start container', ts };
    const place = new LogPlace();
    assert.equal(place.take(event, ts), true);
    place.resume();
    assert.equal(place.take(event, ts), false, 'seen before');
    assert.equal(place.take(event, ts), true, 'another one');
  });

  it('skips a line that the service repeats after resuming', () => {
    const place = new LogPlace();
    const event = { source: 'system', line: 'x', ts: at(0) };
    place.take(event, 'id/1');
    assert.deepEqual(place.resume(), { lastEventId: 'id/1' });
    assert.equal(place.take(event, 'id/1'), false);
  });

  it('starts at the beginning if the stored value is invalid', () => {
    for (const saved of [undefined, null, 7, { seen: 'all' }])
      assert.equal(LogPlace.restore(saved).resume(), undefined);
  });
});
