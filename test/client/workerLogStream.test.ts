import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { ApiError } from '../../src/client/apiError.ts';
import { LogPlace } from '../../src/client/logPlace.ts';
import { openWorkerLogStream, type WorkerLogStreamOptions } from '../../src/client/workerLogStream.ts';
import { json, startScriptedServer, type Script } from './scriptedServer.ts';

const line = (id: string, text: string) =>
  `id: ${id}\ndata: ${JSON.stringify({ source: 'container', line: text, ts: '2026-01-01T00:00:00Z' })}\n\n`;

function startEvents(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
}

/** Runs a stream against a script until `done` says so, and returns what was seen. */
async function follow(script: Script, options: Partial<WorkerLogStreamOptions>, done: (seen: string[]) => boolean) {
  await using server = await startScriptedServer(script);
  const seen: string[] = [];
  const ended = Promise.withResolvers<void>();
  const note = (entry: string) => {
    seen.push(entry);
    if (done(seen)) ended.resolve();
  };
  const close = openWorkerLogStream(server.client.context, {
    id: 'e',
    workerId: 'w',
    onOpen: () => note('open'),
    onReconnecting: () => note('reconnecting'),
    onLine: (event) => note(`+${event.line}`),
    onError: (error: ApiError) => note(`${error.kind}: ${error.message}`),
    ...options,
  });
  await ended.promise;
  close();
  return { seen, received: server.received };
}

describe('a worker log stream', () => {
  it('asks with the key and its filters, and hands on the lines', async () => {
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

  it('resumes after the last line it saw when the connection is cut', async () => {
    const parts = [[line('t1', 'one')], [line('t2', 'two')]];
    const { seen, received } = await follow(
      (_, response) => {
        startEvents(response);
        // The first connection asks for a short pause before reconnecting, and is cut.
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

  it('starts from a saved cursor', async () => {
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

  it('survives comments, events without data and data that is no JSON', async () => {
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

  it('keeps a character whole that arrives in two chunks', async () => {
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

  it('ends when the answer is not an event stream', async () => {
    const { seen } = await follow(
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>sign in</html>');
      },
      {},
      () => true,
    );
    assert.deepEqual(seen, ['server: the answer is not an event stream']);
  });

  it('ends with the service’s explanation when it is refused', async () => {
    const problem = { title: 'Not Found', status: 404, detail: 'worker not found' };
    const { seen, received } = await follow(
      (_, response) => json(response, 404, problem, 'application/problem+json'),
      {},
      () => true,
    );
    assert.deepEqual(seen, ['notFound: worker not found']);
    assert.equal(received.length, 1);
  });
});
