import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ApiError } from '../../src/client/apiError.ts';
import type { Clock } from '../../src/client/clock.ts';
import { LogPlace } from '../../src/client/logPlace.ts';
import type { RequestContext, Wait } from '../../src/client/context.ts';
import { FRAME_LIMIT, openWorkerLogStream, type WorkerLogStreamOptions } from '../../src/client/workerLogStream.ts';
import { jumpingClock } from './fakeClock.ts';
import { json, startScriptedServer, type Script } from './scriptedServer.ts';

const line = (id: string, text: string) =>
  `id: ${id}\ndata: ${JSON.stringify({ source: 'container', line: text, ts: '2026-01-01T00:00:00Z' })}\n\n`;

function startEvents(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
}

/** Runs a stream against a script until `done` returns true, and returns the received lines and events. */
async function follow(
  script: Script,
  options: Partial<WorkerLogStreamOptions>,
  done: (seen: string[]) => boolean,
  change: Partial<RequestContext> = {},
) {
  await using server = await startScriptedServer(script);
  const seen: string[] = [];
  const ended = Promise.withResolvers<void>();
  const record = (entry: string) => {
    seen.push(entry);
    if (done(seen)) ended.resolve();
  };
  const close = openWorkerLogStream(
    { ...server.client.context, ...change },
    {
      id: 'e',
      workerId: 'w',
      onOpen: () => record('open'),
      onReconnecting: () => record('reconnecting'),
      onLine: (event) => record(`+${event.line}`),
      onError: (error: ApiError) => record(`${error.kind}: ${error.message}`),
      ...options,
    },
  );
  await ended.promise;
  close();
  return { seen, received: server.received };
}

describe('a worker log stream', () => {
  it('sends the key and the filters, and reports the lines', async () => {
    const { seen, received } = await follow(
      (_, response) => {
        startEvents(response);
        response.write(`: hello\n\n${line('t1', 'one')}${line('t2', 'two')}`);
      },
      { tail: 5, source: 'container' },
      ({ length }) => length === 3,
    );
    assert.deepEqual(seen, ['open', '+one', '+two']);
    assert.equal(received[0]?.path, '/v2/serverless/e/workers/w/logs?source=container&tail=5');
    assert.equal(received[0].headers.authorization, 'Bearer the-key');
    assert.equal(received[0].headers['last-event-id'], undefined);
  });

  it('resumes after the last line when the connection closes', async () => {
    const parts = [[line('t1', 'one')], [line('t2', 'two')]];
    const { seen, received } = await follow(
      (_, response) => {
        startEvents(response);
        // The first connection sets a short reconnection delay, and closes.
        const part = parts.shift() ?? [];
        response.write('retry: 1\n\n');
        if (parts.length > 0) response.end(part.join(''));
        else response.write(part.join(''));
      },
      {},
      (entries) => entries.includes('+two'),
    );
    assert.deepEqual(seen, ['open', '+one', 'reconnecting', 'open', '+two']);
    assert.equal(received[1]?.headers['last-event-id'], 't1');
  });

  it('starts from a stored cursor', async () => {
    const cursor = '2026-01-01T00:00:00Z/000000000042';
    const { received } = await follow(
      (_, response) => {
        startEvents(response);
        response.flushHeaders();
      },
      { place: LogPlace.after(cursor) },
      () => true,
    );
    assert.equal(received[0]?.headers['last-event-id'], cursor);
  });

  it('ignores comments, events without data, and data that is not JSON', async () => {
    const { seen } = await follow(
      (_, response) => {
        startEvents(response);
        response.write(`: ping\n\nid: t1\n\ndata: not json\n\ndata: {"line":1}\n\n${line('t2', 'fine')}`);
      },
      {},
      ({ length }) => length === 2,
    );
    assert.deepEqual(seen, ['open', '+fine']);
  });

  it('decodes a character that arrives in two chunks', async () => {
    const { seen } = await follow(
      (_, response) => {
        startEvents(response);
        const bytes = Buffer.from(line('t1', 'grün 🚀'));
        const middle = bytes.indexOf(0xf0) + 2;
        response.write(bytes.subarray(0, middle), () => response.write(bytes.subarray(middle)));
      },
      {},
      ({ length }) => length === 2,
    );
    assert.deepEqual(seen, ['open', '+grün 🚀']);
  });

  it('ends if the response is not an event stream', async () => {
    const { seen } = await follow(
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>sign in</html>');
      },
      {},
      () => true,
    );
    assert.deepEqual(seen, ['server: the response is not an event stream']);
  });

  it('ends with the message of the service if access is denied', async () => {
    const problem = { title: 'Not Found', status: 404, detail: 'worker not found' };
    const { seen, received } = await follow(
      (_, response) => json(response, 404, problem, 'application/problem+json'),
      {},
      () => true,
    );
    assert.deepEqual(seen, ['notFound: worker not found']);
    assert.equal(received.length, 1);
  });

  it('supports a line of one megabyte', async () => {
    const long = 'ü'.repeat(600_000);
    const { seen } = await follow(
      (_, response) => {
        startEvents(response);
        response.write(line('t1', long));
      },
      {},
      ({ length }) => length === 2,
    );
    assert.equal(seen[1], `+${long}`);
  });

  it('resumes after a frame with only an ID', async () => {
    let connections = 0;
    const { received } = await follow(
      (_, response) => {
        startEvents(response);
        if (connections++ === 0) response.end(`retry: 1\n\n${line('t1', 'one')}id: t9\n\n`);
        else response.write(line('t10', 'ten'));
      },
      {},
      (entries) => entries.includes('+ten'),
    );
    assert.equal(received[1]?.headers['last-event-id'], 't9');
  });

  it('reports its wait for a rate limit, and then continues', async () => {
    const waits: Wait[] = [];
    const { clock, slept } = jumpingClock(60_000);
    const answers: Script[] = [
      (_, response) => {
        response.setHeader('Retry-After', '20');
        response.setHeader('RateLimit', '"minute";r=0;t=45');
        json(response, 429, { title: 'Too Many Requests', status: 429, detail: 'too many' });
      },
      (_, response) => json(response, 503, { title: 'Down', status: 503, detail: 'log store unavailable' }),
      (_, response) => void response.destroy(),
      (_, response) => {
        startEvents(response);
        response.write(line('t1', 'one'));
      },
    ];
    const { seen } = await follow(
      (request, response) => answers.shift()?.(request, response),
      {},
      (entries) => entries.includes('+one'),
      { clock, random: () => 1, onWait: (wait) => waits.push(wait) },
    );
    assert.deepEqual(seen, ['reconnecting', 'open', '+one']);
    assert.deepEqual(waits, [{ operation: 'getWorkerLogs', ms: 45_000, reason: 'too many' }]);
    assert.deepEqual(slept, [45_000, 6_000, 12_000]);
  });

  it('reconnects with growing delays if connections close immediately', async () => {
    const { clock, slept } = jumpingClock(60_000);
    let connections = 0;
    await follow(
      (_, response) => {
        startEvents(response);
        response.end('retry: 1\n\n');
        connections++;
      },
      {},
      () => connections === 5,
      { clock, random: () => 1 },
    );
    assert.deepEqual(slept.slice(0, 3), [3_000, 6_000, 12_000]);
  });

  it('ends for an invalid key, and does not follow redirects', async () => {
    for (const [status, kind] of [
      [401, 'unauthorized'],
      [403, 'forbidden'],
    ] as const) {
      const { seen } = await follow(
        (_, response) => json(response, status, { title: 'No', status, detail: 'no' }),
        {},
        () => true,
      );
      assert.deepEqual(seen, [`${kind}: no`]);
    }
    const { seen, received } = await follow(
      (_, response) => void response.writeHead(302, { Location: '/elsewhere' }).end(),
      {},
      () => true,
    );
    assert.match(seen[0] ?? '', /^server: the service redirects/);
    assert.equal(received.length, 1);
  });

  it('can be closed while it waits', async () => {
    const closing = Promise.withResolvers<void>();
    const clock: Clock = {
      now: () => 0,
      sleep: (_, signal) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error));
          if (signal) signal.addEventListener('abort', () => closing.resolve());
        }),
    };
    const { seen } = await follow(
      (_, response) => json(response, 503, { error: 'down' }),
      {},
      () => true,
      { clock },
    );
    await closing.promise;
    assert.deepEqual(seen, ['reconnecting']);
  });

  it('ends with an error code if a line does not end', async () => {
    const refused = Promise.withResolvers<ApiError>();
    let sent = 0;
    await using server = await startScriptedServer(async (_, response) => {
      startEvents(response);
      response.write('data: ');
      const chunk = 'x'.repeat(1024 * 1024);
      const hungUp = once(response, 'close');
      while (!response.destroyed && sent < 32 * FRAME_LIMIT) {
        sent += chunk.length;
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), hungUp]);
      }
      response.end('\n\n');
    });
    openWorkerLogStream(server.client.context, {
      id: 'e',
      workerId: 'w',
      onLine: () => refused.reject(new Error('the line was reported')),
      onError: refused.resolve,
    });
    const { kind, code } = await refused.promise;
    assert.deepEqual({ kind, code }, { kind: 'server', code: 'tooLarge' });
    assert.equal(server.received.length, 1);
  });
});
