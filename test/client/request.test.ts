import assert from 'node:assert/strict';
import { ApiError, type ErrorKind } from '../../src/client/apiError.ts';
import { createClient } from '../../src/client/client.ts';
import type { Clock } from '../../src/client/clock.ts';
import { json, startScriptedServer } from './scriptedServer.ts';

/** Returns the error of a call. */
async function failure(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiError, `expected an ApiError, got ${String(error)}`);
  return error;
}

describe('a call', () => {
  it('sends the key, the encoded path, and the query to the address of the operation', async () => {
    await using server = await startScriptedServer((_, response) =>
      json(response, 200, { id: 'a/b', status: 'IN_QUEUE' }),
    );
    await server.client.getJobStatus({ endpointId: 'e 1', jobId: 'a/b', query: { ttl: 60_000 } });
    const [request] = server.received;
    assert.equal(request?.path, '/queue/v2/e%201/status/a%2Fb?ttl=60000');
    assert.equal(request.headers.authorization, 'Bearer the-key');
    assert.equal(request.headers['x-team-id'], undefined);
  });

  it('acts for the team of the connection', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 200, { endpoints: [] }));
    const connection = { ...server.connection, teamId: 'team-7' };
    await createClient({ connection, fetch }).listEndpoints({});
    assert.equal(server.received[0]?.headers['x-team-id'], 'team-7');
  });

  it('sends its body as JSON', async () => {
    await using server = await startScriptedServer((_, response) =>
      json(response, 200, { id: 'j', status: 'IN_QUEUE' }),
    );
    const job = await server.client.runJob({ endpointId: 'e', body: { input: { text: 'ü' } } });
    assert.deepEqual(JSON.parse(server.received[0]?.body ?? ''), { input: { text: 'ü' } });
    assert.equal(server.received[0]?.headers['content-type'], 'application/json');
    assert.deepEqual(job, { id: 'j', status: 'IN_QUEUE' });
  });

  it('keeps unknown fields and statuses of newer services', async () => {
    const answer = { id: 'j', status: 'PAUSED', queuePosition: 3 };
    await using server = await startScriptedServer((_, response) => json(response, 200, answer));
    assert.deepEqual(await server.client.getJobStatus({ endpointId: 'e', jobId: 'j' }), answer);
  });

  it('returns a failed job, for any HTTP status', async () => {
    const answer = { id: 'j', status: 'FAILED', error: 'invalid image URL' };
    await using server = await startScriptedServer((_, response) => json(response, 400, answer));
    assert.deepEqual(await server.client.runJobSync({ endpointId: 'image-edit', body: { input: {} } }), answer);
  });

  it('returns a failed image edit', async () => {
    const answer = { id: 'j', status: 'FAILED', error: 'invalid image URL' };
    await using server = await startScriptedServer((_, response) => json(response, 400, answer));
    const input = { prompt: 'sepia', image: 'nonsense' };
    assert.deepEqual(await server.client.editImage({ body: { input } }), answer);
  });

  it('returns undefined for a response without a body', async () => {
    await using server = await startScriptedServer((_, response) => {
      response.writeHead(204).end();
    });
    await server.client.deleteEndpoint({ id: 'e' });
    assert.equal(server.received[0]?.method, 'DELETE');
  });
});

describe('a failed call', () => {
  const problem = { title: 'Bad Request', status: 400, detail: 'not valid', errors: ['$.name: must not be empty'] };
  const cases: [string, number, string, ErrorKind, string][] = [
    ['a problem', 400, JSON.stringify(problem), 'validation', 'not valid'],
    [
      'a refused key',
      401,
      '{"title":"Unauthorized","status":401,"detail":"invalid bearer token"}',
      'unauthorized',
      'invalid bearer token',
    ],
    [
      'a key without the permission',
      403,
      '{"title":"Forbidden","status":403,"detail":"access denied"}',
      'forbidden',
      'access denied',
    ],
    ['something unknown', 404, '{"error":"job not found"}', 'notFound', 'job not found'],
    ['a load balancer’s error', 500, '{"error":"boom","detail":"at line 3"}', 'server', 'boom: at line 3'],
    ['the v1 API’s message', 400, '{"message":"invalid id"}', 'validation', 'invalid id'],
    ['plain text', 502, 'upstream gone\n', 'server', 'upstream gone'],
    ['an HTML page', 503, '<html><body>Down</body></html>', 'server', 'the service responded with status 503'],
    ['an empty body', 500, '', 'server', 'the service responded with status 500'],
    ['a truncated body', 422, '{"title":"Unproc', 'validation', '{"title":"Unproc'],
    [
      'too many requests',
      429,
      '{"title":"Too Many Requests","status":429,"detail":"rate limit exceeded for the minute window"}',
      'rateLimited',
      'rate limit exceeded for the minute window',
    ],
  ];
  for (const [name, status, body, kind, message] of cases) {
    it(`has the kind of ${name}`, async () => {
      await using server = await startScriptedServer((_, response) => void response.writeHead(status).end(body));
      const error = await failure(server.client.getEndpoint({ id: 'e' }));
      assert.deepEqual(
        { kind: error.kind, message: error.message, status: error.status, operation: error.operation },
        { kind, message, status, operation: 'getEndpoint' },
      );
    });
  }

  it('contains every validation failure', async () => {
    await using server = await startScriptedServer((_, response) =>
      json(response, 400, problem, 'application/problem+json'),
    );
    assert.deepEqual((await failure(server.client.getEndpoint({ id: 'e' }))).errors, ['$.name: must not be empty']);
  });

  it('names the invalid field of a successful response', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 200, { endpoints: [{ id: 7 }] }));
    const error = await failure(server.client.listEndpoints({}));
    assert.equal(error.kind, 'server');
    assert.match(error.message, /listEndpoints .*endpoints\.0\.id/);
  });

  it('names the unreachable host, but not the key', async () => {
    const { client, origin } = await startScriptedServer(() => undefined).then(async (server) => {
      await server[Symbol.asyncDispose]();
      return server;
    });
    const error = await failure(client.listEndpoints({}));
    assert.equal(error.kind, 'network');
    assert.ok(error.message.startsWith(`${new URL(origin).host} cannot be reached: `), error.message);
    assert.doesNotMatch(error.message, /the-key/);
  });

  it('closes its socket when it is canceled', async () => {
    const cancel = new AbortController();
    const closed = Promise.withResolvers<void>();
    await using server = await startScriptedServer((_, response) => {
      response.on('close', () => closed.resolve());
      cancel.abort();
    });
    const error = await failure(server.client.listEndpoints({}, { signal: cancel.signal }));
    assert.equal(error.kind, 'canceled');
    await closed.promise;
  });

  it('is not sent if its signal is already aborted', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 200, { endpoints: [] }));
    const error = await failure(server.client.listEndpoints({}, { signal: AbortSignal.abort() }));
    assert.equal(error.kind, 'canceled');
    assert.equal(server.received.length, 0);
  });

  it('ends after its time limit, and names the limit', async () => {
    await using server = await startScriptedServer(() => undefined);
    const impatient: Clock = { now: () => 0, sleep: () => Promise.resolve() };
    const client = createClient({ connection: server.connection, fetch, clock: impatient });
    const error = await failure(client.listEndpoints({}, { timeout: 5_000 }));
    assert.deepEqual([error.kind, error.message], ['timeout', 'no response to GET /v2/serverless within 5 s']);
  });
});
