import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseHttpFile } from '../../../../src/features/requests/model/parseHttpFile.ts';
import {
  requestDocument,
  type DocumentOptions,
  type ExampleEndpoint,
} from '../../../../src/features/requests/model/requestDocument.ts';
import {
  checkHttpFile,
  resolveRequest,
  endpointsNamedIn,
  type ResolveContext,
} from '../../../../src/features/requests/model/resolveRequest.ts';
import { context, parsed } from './support.ts';

/** Returns the requests of the document, which must be valid. */
function requestsOf(endpoint: ExampleEndpoint, options?: DocumentOptions) {
  const { name, id = name, type } = endpoint;
  const text = requestDocument(endpoint, options);
  const base = 'https://example.com/base';
  const here: ResolveContext = {
    ...context,
    endpoints: [{ id, name, type: type === 'LOAD_BALANCER' ? 'LOAD_BALANCER' : 'QUEUE', base }],
  };
  const file = parseHttpFile(text);
  assert.deepEqual(checkHttpFile(file, here), []);
  return file.blocks.map((block) => {
    const { request } = resolveRequest(file, block, here);
    assert.ok(request);
    const { method, path: route, endpointId } = request;
    return `${request.name ?? ''}: ${method} ${endpointId} ${route}`;
  });
}

describe('requestDocument', () => {
  const balanced = { id: 'ep1', name: 'hello', type: 'LOAD_BALANCER' } as const;

  it('is an example with the health path of a load-balanced endpoint', () => {
    assert.deepEqual(requestsOf(balanced), ['Health: GET ep1 /ping', 'Send JSON: POST ep1 /path']);
    const env = { HEALTH_CHECK_PATH: '/healthz' };
    assert.equal(requestsOf({ ...balanced, env })[0], 'Health: GET ep1 /healthz');
  });

  it('is an example with the job routes of a queue endpoint', () =>
    assert.deepEqual(requestsOf({ ...balanced, type: 'QUEUE' }), [
      'Health: GET ep1 /health',
      'Run a job: POST ep1 /run',
    ]));

  it('names the endpoint by its ID if its name is not unique or not usable', () => {
    assert.ok(requestDocument(balanced).includes('{{endpoint:hello}}'));
    assert.ok(requestDocument(balanced, { hasTwin: true }).includes('{{endpoint:ep1}}'));
    for (const name of ['a}}b', ' a', 'a\nGET https://evil.org', ''])
      assert.deepEqual(requestsOf({ ...balanced, name }).length, 2, JSON.stringify(name));
  });

  it('does not use an invalid health path', () => {
    for (const path of ['ping', '/a b', '/{{x}}', '/a\nb', ''])
      assert.equal(requestsOf({ ...balanced, env: { HEALTH_CHECK_PATH: path } })[0], 'Health: GET ep1 /ping');
  });
});

describe('endpointsNamedIn', () => {
  it('finds endpoints in URLs and variables', () => {
    const { named, usesDefault } = endpointsNamedIn(
      parsed('@base = {{endpoint:a}}', 'GET {{endpoint: b }}/x', '###', 'GET {{base}}/'),
    );
    assert.deepEqual([...named], ['b', 'a']);
    assert.equal(usesDefault, false);
  });
  it('finds the endpoint of requests with only a path', () => {
    assert.deepEqual([...endpointsNamedIn(parsed('@endpoint = a', 'GET /x')).named], ['a']);
    assert.equal(endpointsNamedIn(parsed('GET /x')).usesDefault, true);
  });
});

describe('the HTTP file of the sample', () => {
  it('has only valid requests', async () => {
    const sample = path.join(import.meta.dirname, '../../../../samples/hello-balanced/hello.http');
    const file = parseHttpFile(await readFile(sample, 'utf8'));
    const here = { ...context, defaultEndpoint: 'hello-balanced' };
    assert.deepEqual(checkHttpFile(file, here), []);
    assert.deepEqual(
      file.blocks.map((block) => {
        const { request } = resolveRequest(file, block, here);
        return `${request?.method ?? ''} ${request?.path ?? ''}`;
      }),
      ['GET /ping', 'POST /greet', 'GET /count?to=10', 'GET /nothing'],
    );
  });
});
