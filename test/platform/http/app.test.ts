import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { events, json, NO_CONTENT, type Answer } from '../../../src/platform/http/answer.ts';
import { App, type Hooks } from '../../../src/platform/http/app.ts';

const around: Hooks<string> = {
  before: () => 'caller',
  unmatched: (_, allowed) => json({ allowed }, allowed.length > 0 ? 405 : 404),
  onError: (_, error) => json({ failed: (error as Error).message }, 500),
};

describe('App', () => {
  let app: App<string>;
  let server: Server;
  let origin: string;

  const listen = async (options: Partial<Hooks<string>> = {}): Promise<void> => {
    server = createServer(app.listener({ ...around, ...options })).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const fetchText = async (path: string, init?: RequestInit): Promise<unknown[]> => {
    const response = await fetch(origin + path, init);
    return [response.status, await response.text()];
  };

  beforeEach(() => (app = new App()));
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  it('passes the parameters and the admission to the route', async () => {
    app.on('GET', '/things/{id}', ({ parameters, query, method }, admission) =>
      json({ parameters, query, method, admission }),
    );
    await listen();
    const [, text] = await fetchText('/things/a%20b?x=1&x=2&y=%C3%A4');
    assert.deepEqual(JSON.parse(String(text)), {
      ...{ parameters: { id: 'a b' }, query: { x: '1', y: 'ä' }, method: 'GET', admission: 'caller' },
    });
  });

  it('distinguishes a wrong method from an unknown path, after the admission', async () => {
    app.on('GET', '/things', () => NO_CONTENT);
    const asking: string[] = [];
    await listen({
      before: ({ path }, open) => {
        asking.push(`${path} ${open}`);
        return 'x';
      },
    });
    assert.deepEqual(await fetchText('/things', { method: 'POST' }), [405, '{"allowed":["GET"]}']);
    assert.deepEqual(await fetchText('/nothing'), [404, '{"allowed":[]}']);
    assert.deepEqual(asking, ['/things false', '/nothing false']);
  });

  it('reports to `before` whether the route is open', async () => {
    app.on('GET', '/open', () => NO_CONTENT, { open: true });
    const asking: boolean[] = [];
    await listen({
      before: (_, open) => {
        asking.push(open);
        return Promise.resolve('x');
      },
    });
    assert.deepEqual(await fetchText('/open'), [204, '']);
    assert.deepEqual(asking, [true]);
  });

  it('answers errors of the route and of `after`', async () => {
    app.on('GET', '/fails', () => Promise.reject(new Error('in')));
    app.on('GET', '/ok', () => NO_CONTENT);
    await listen({ after: () => Promise.reject(new Error('after')) });
    assert.deepEqual(await fetchText('/fails'), [500, '{"failed":"in"}']);
    assert.deepEqual(await fetchText('/ok'), [500, '{"failed":"after"}']);
  });

  it('closes the connection if an answer cannot be sent, reports the error, and serves the next request', async () => {
    const reported: unknown[] = [];
    app.on('GET', '/odd', () => ({ status: 200, headers: { 'X-Odd': 'two\nlines' } }));
    app.on('GET', '/ok', () => NO_CONTENT);
    await listen({
      onError: (_, error) => {
        reported.push((error as { code?: string }).code);
        return NO_CONTENT;
      },
    });
    await assert.rejects(fetchText('/odd'));
    assert.deepEqual(reported, ['ERR_INVALID_CHAR']);
    assert.deepEqual(await fetchText('/ok'), [204, '']);
  });

  it('ends a stream whose headers cannot be sent', async () => {
    const ended = Promise.withResolvers<void>();
    const body = events(new ReadableStream({ cancel: () => ended.resolve() }));
    app.on('GET', '/odd', () => ({ ...body, headers: { 'X-Odd': 'two\nlines' } }));
    await listen();
    await assert.rejects(fetchText('/odd'));
    await ended.promise;
  });

  it('closes the connection if a stream fails, and reports the error', async () => {
    const reported: unknown[] = [];
    app.on('GET', '/events', () =>
      events(new ReadableStream({ pull: () => Promise.reject(new Error('the disk is gone')) })),
    );
    await listen({
      onError: (_, error) => {
        reported.push((error as Error).message);
        return NO_CONTENT;
      },
    });
    await assert.rejects(fetchText('/events'));
    assert.deepEqual(reported, ['the disk is gone']);
  });

  it('answers HEAD like GET, without the body', async () => {
    let canceled = false;
    app.on('GET', '/things', () => json({ a: 1 }));
    app.on('GET', '/stream', () => events(new ReadableStream({ cancel: () => void (canceled = true) })));
    await listen();
    const head = await fetch(`${origin}/things`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, '7', '']);
    const stream = await fetch(`${origin}/stream`, { method: 'HEAD' });
    assert.deepEqual([stream.headers.get('content-type'), await stream.text()], ['text/event-stream', '']);
    assert.equal(canceled, true);
  });

  it('accepts an absolute URL as the request target', async () => {
    app.on('GET', '/things', ({ query }) => json(query));
    await listen();
    const { port } = server.address() as AddressInfo;
    const outgoing = request({ port, host: '127.0.0.1', path: 'http://example.test/things?a=1' }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    assert.equal(Buffer.concat(await response.toArray()).toString(), '{"a":"1"}');
  });

  it('aborts the signal of a request if the caller hangs up before the answer', async () => {
    const signals: AbortSignal[] = [];
    const hungUp = Promise.withResolvers<Answer>();
    app.on('GET', '/quick', ({ signal }) => {
      signals.push(signal);
      return NO_CONTENT;
    });
    app.on('GET', '/slow', ({ signal }) => {
      signal.addEventListener('abort', () => hungUp.resolve(NO_CONTENT));
      controller.abort();
      return hungUp.promise;
    });
    const controller = new AbortController();
    await listen();
    await fetchText('/quick');
    await assert.rejects(fetchText('/slow', { signal: controller.signal }), /abort/i);
    await hungUp.promise;
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false],
    );
  });

  it('ends a stream as soon as its reader hangs up', async () => {
    const reported: unknown[] = [];
    const ended = Promise.withResolvers<void>();
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from(': open\n\n')),
      cancel: () => ended.resolve(),
    });
    app.on('GET', '/events', () => events(stream));
    await listen({
      onError: (_, error) => {
        reported.push(error);
        return NO_CONTENT;
      },
    });
    const response = await fetch(`${origin}/events`);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    assert.equal(Buffer.from(first?.value ?? []).toString(), ': open\n\n');
    await reader?.cancel();
    await ended.promise;
    assert.deepEqual(reported, [], 'a caller that hangs up is not reported as a failure');
  });
});
