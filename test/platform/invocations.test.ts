// Clauses of the interface: Endpoints 2, 4, and 6; Authentication 1; Errors, invocation status codes; Errors, image-edit.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { balanced, Routes } from './balancerSupport.ts';
import { cleanUp, platformForTest, type Api } from './support.ts';

/** Operations that start a job or an edit. */
const SUBMISSIONS = ['/{endpoint}/run', '/{endpoint}/runsync', '/image-edit/runsync', '/image-edit/run'] as const;

describe('Invocations', () => {
  let api: Api;
  let paused: Endpoint;
  let routes: Routes;

  before(async () => {
    ({ api } = await platformForTest());
    paused = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const endpoint = await api.createEndpoint(balanced({ name: 'routes', workers: { min: 0, max: 0 } }));
    routes = new Routes(api, endpoint);
  });
  after(cleanUp);

  const queue = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(api.addresses.queueUrl + path.replace('{endpoint}', paused.id), {
      method: 'POST',
      ...init,
      headers: { Authorization: `Bearer ${api.addresses.apiKey}`, ...(init.headers as object) },
    });
  const bodyOf = async (response: Response) => (await response.json()) as Record<string, unknown>;

  describe('accept a key only as a bearer token', () => {
    const calls = [...SUBMISSIONS, '/{endpoint}/health', '/image-edit/health'];
    for (const path of calls) {
      it(`${path} answers 401 for a bare key`, async () => {
        const response = await queue(path, {
          method: path.endsWith('health') ? 'GET' : 'POST',
          headers: { Authorization: api.addresses.apiKey },
        });
        assert.equal(response.status, 401);
        assert.match(String((await bodyOf(response))['error']), /^malformed Authorization header/);
      });
    }

    it('accept the scheme in uppercase and lowercase', async () => {
      for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
        const headers = { Authorization: `${scheme} ${api.addresses.apiKey}` };
        const response = await queue('/{endpoint}/health', { method: 'GET', headers });
        assert.equal(response.status, 200);
      }
    });
  });

  describe('accept only an object as the input', () => {
    const wrong = ['[]', '[{"a":1}]', '"text"', '1', 'true', 'null'];
    for (const path of SUBMISSIONS) {
      it(`${path} answers 400 for other inputs`, async () => {
        for (const input of wrong) {
          const response = await queue(path, { body: `{"input": ${input}}` });
          assert.equal(response.status, 400, input);
          const { errors } = (await bodyOf(response)) as { errors: string[] };
          assert.match(errors[0] ?? '', /^\$\.input: /, input);
        }
        const missing = await queue(path, { body: '{}' });
        assert.equal(missing.status, 400);
        assert.match(String((await bodyOf(missing))['error']), /input: missing/);
      });
    }

    it('a seed answers 422 for other inputs', async () => {
      const seed = (input: string) =>
        fetch(`${api.addresses.baseUrl}/control/v1/seed`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${api.addresses.apiKey}`, 'Content-Type': 'application/json' },
          body: `{"jobs": [{"endpoint": "${paused.id}", "status": "COMPLETED", "input": ${input}}]}`,
        });
      assert.ok((await seed('{"a": 1}')).ok);
      for (const input of wrong) {
        const response = await seed(input);
        assert.equal(response.status, 422, input);
        assert.match(await response.text(), /\$\.jobs\[0\]\.input/);
      }
    });
  });

  describe('get documented statuses', () => {
    it('404 for a method that the queue does not support', async () => {
      for (const path of ['/{endpoint}/run', '/image-edit/runsync']) {
        const response = await queue(path, { method: 'DELETE' });
        assert.equal(response.status, 404);
        assert.equal(response.headers.get('Allow'), 'POST');
        assert.equal((await bodyOf(response))['status'], 'FAILED');
      }
    });

    it('404 for a method that routes do not support, in the format of routes', async () => {
      const answer = await routes.raw('/echo', { method: 'PROPFIND' });
      assert.equal(answer.statusCode, 404);
      assert.equal(answer.headers.allow, 'GET, POST, PUT, DELETE, PATCH, HEAD, OPTIONS');
      assert.deepEqual(Object.keys(JSON.parse(await text(answer)) as object), ['error', 'detail']);
    });

    it('400 for a body over the limit, on every kind of endpoint', async () => {
      const headers = { 'Content-Length': String(31 * 1_048_576) };
      const answer = await routes.raw('/echo', { method: 'POST', headers }, 'x');
      assert.equal(answer.statusCode, 400);
      answer.destroy();
      const input = 'x'.repeat(20 * 1_048_576);
      const response = await queue('/image-edit/runsync', { body: JSON.stringify({ input }) });
      assert.equal(response.status, 400);
    });

    it('200 for an unknown Expect header, which is ignored', async () => {
      const { port, host } = new URL(api.addresses.queueUrl);
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        `GET /queue/v2/${paused.id}/health HTTP/1.1\r\nHost: ${host}\r\nExpect: the-best\r\n` +
          `Authorization: Bearer ${api.addresses.apiKey}\r\nConnection: close\r\n\r\n`,
      );
      const [answer] = (await once(socket, 'data')) as [Buffer];
      assert.match(answer.toString(), /^HTTP\/1\.1 200 /);
      socket.destroy();
    });
  });

  describe('of the image-editing endpoint', () => {
    const failed = async (response: Response, status: number, error: RegExp): Promise<string> => {
      const body = await bodyOf(response);
      assert.equal(response.status, status);
      assert.equal(body['status'], 'FAILED');
      assert.match(String(body['error']), error);
      assert.match(String(body['id']), /^(sync-)?[\da-f-]{36}-l1$/);
      return String(body['id']);
    };

    it('have an ID in every error response', async () => {
      await failed(await queue('/image-edit/runsync', { body: '{}' }), 400, /input/);
      await failed(await queue('/image-edit/runsync', { body: 'no JSON' }), 400, /not JSON/);
      await failed(await queue('/image-edit/run', { body: '{"input": {}}' }), 400, /prompt/);
      await failed(await queue('/image-edit/runsync', { headers: { Authorization: '' } }), 401, /missing/);
      await failed(await queue('/image-edit/runsync', { method: 'GET' }), 404, /method/);
      await failed(await queue('/image-edit/nowhere'), 404, /no such path/);
      const body = JSON.stringify({ input: { prompt: 'blur', image: 'nowhere' } });
      await failed(await queue('/image-edit/runsync', { body }), 200, /not a URL/);
    });

    it('store nothing if they are refused, and return an ID of the request only', async () => {
      const id = await failed(await queue('/image-edit/runsync', { body: '{}' }), 400, /input/);
      const other = await failed(await queue(`/image-edit/status/${id}`, { method: 'GET' }), 404, /not found/);
      assert.notEqual(other, id, 'a refused status request has its own ID');
    });
  });
});
