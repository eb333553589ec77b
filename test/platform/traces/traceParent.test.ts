import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import { operations } from '../../../src/contract/operations.ts';
import { TRACE_PARENT_HEADER, TRACE_PARENT_MEMBER, TRACE_STATE_HEADER } from '../../../src/contract/headers.ts';
import { routesForTest, type Routes } from '../balancerSupport.ts';
import { cleanUp, dataDirectory, platformForTest, type Api } from '../support.ts';
import { attributesOf, collector } from './collector.ts';
import { traceOf } from './support.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const CALLER = `00-${TRACE}-${SPAN}-01`;
const headers = { [TRACE_PARENT_HEADER]: CALLER };

describe('The trace of a caller', () => {
  afterEach(cleanUp);

  const jobAs = async (api: Api, endpointId: string, given: Record<string, string>, body: object = {}) =>
    api.call(operations.runJobSync, {
      parameters: { endpointId },
      body: { input: { do: 'job' }, ...body },
      headers: given,
    });

  it('reaches the worker of a job without an export', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint();
    const job = await jobAs(api, endpoint.id, headers);
    assert.equal((job.output as Record<string, unknown>)[TRACE_PARENT_MEMBER], CALLER);
    assert.equal((await traceOf(api, endpoint, job.id)).traceParent, CALLER);
    const invalid = await jobAs(api, endpoint.id, { [TRACE_PARENT_HEADER]: CALLER.toUpperCase() });
    assert.ok(!(TRACE_PARENT_MEMBER in (invalid.output as object)), 'an invalid header is ignored');
    assert.equal((await traceOf(api, endpoint, invalid.id)).traceParent, undefined);
    const member = await jobAs(api, endpoint.id, headers, { [TRACE_PARENT_MEMBER]: 'own' });
    assert.equal(
      (member.output as Record<string, unknown>)[TRACE_PARENT_MEMBER],
      'own',
      'a member of the body remains',
    );
  });

  it('is kept by a snapshot', async () => {
    const { api } = await platformForTest({ dataDir: await dataDirectory() });
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const { id } = await api.call(operations.runJob, {
      parameters: { endpointId: endpoint.id },
      body: { input: {} },
      headers,
    });
    const file = await (await api.fetch(controlOperations.exportSnapshot)).arrayBuffer();
    await api.call(controlOperations.reset);
    const response = await api.fetch(controlOperations.importSnapshot, {}, { body: file });
    assert.ok(response.ok, await response.text());
    assert.equal((await traceOf(api, endpoint, id)).traceParent, CALLER);
  });

  it('reaches the worker of a route and of an upgrade unchanged without an export', async () => {
    const routes = await routesForTest();
    const given = { ...headers, [TRACE_STATE_HEADER]: 'a=1' };
    const echo = await routes.echo('/echo', { headers: given });
    assert.deepEqual([echo.headers[TRACE_PARENT_HEADER], echo.headers[TRACE_STATE_HEADER]], [CALLER, 'a=1']);
    assert.equal((await upgraded(routes, given))[TRACE_PARENT_HEADER], CALLER);
  });

  it('contains the job, its attempt, and the spans of its worker with an export', async () => {
    const received = await collector();
    const { api } = await platformForTest({ otlpTracesUrl: received.url });
    const job = await jobAs(api, (await api.createEndpoint()).id, headers);
    const root = await received.span('the job', ({ name }) => name === 'job test');
    assert.deepEqual([root.traceId, root.parentSpanId], [TRACE, SPAN]);
    const running = await received.span('the attempt', ({ name }) => name === 'running');
    assert.equal(running.parentSpanId, root.spanId);
    const given = (job.output as Record<string, unknown>)[TRACE_PARENT_MEMBER];
    assert.equal(given, `00-${TRACE}-${running.spanId}-01`);
    assert.equal(attributesOf(root)['messaging.message.id'], job.id);
  });

  it('contains the route and its worker with an export', async () => {
    const received = await collector();
    const routes = await routesForTest({}, { otlpTracesUrl: received.url });
    const echo = await routes.echo('/echo?secret=1', { headers: { ...headers, [TRACE_STATE_HEADER]: 'a=1' } });
    const server = await received.span('the server', ({ kind }) => kind === 2);
    const client = await received.span('the client', ({ kind }) => kind === 3);
    assert.deepEqual([server.traceId, server.parentSpanId], [TRACE, SPAN]);
    assert.deepEqual([client.traceId, client.parentSpanId], [TRACE, server.spanId]);
    assert.equal(echo.headers[TRACE_PARENT_HEADER], `00-${TRACE}-${client.spanId}-01`);
    assert.equal(echo.headers[TRACE_STATE_HEADER], 'a=1');
    assert.equal(attributesOf(server)['url.path'], '/echo', 'without the query');
    assert.deepEqual([server.status.code, client.status.code], [0, 0]);
  });

  it('is replaced with a new one if it is invalid, without its state', async () => {
    const received = await collector();
    const routes = await routesForTest({}, { otlpTracesUrl: received.url });
    const given = { [TRACE_PARENT_HEADER]: `00-${'0'.repeat(32)}-${SPAN}-01`, [TRACE_STATE_HEADER]: 'a=1' };
    const echo = await routes.echo('/echo', { headers: given });
    const server = await received.span('the server', ({ kind }) => kind === 2);
    assert.equal(server.parentSpanId, undefined);
    assert.equal(echo.headers[TRACE_PARENT_HEADER]?.split('-')[1], server.traceId);
    assert.equal(echo.headers[TRACE_STATE_HEADER], undefined);
  });

  it('is passed on but not exported if the caller does not sample it', async () => {
    const received = await collector();
    const routes = await routesForTest({}, { otlpTracesUrl: received.url });
    const echo = await routes.echo('/echo', { headers: { [TRACE_PARENT_HEADER]: `00-${TRACE}-${SPAN}-00` } });
    assert.match(echo.headers[TRACE_PARENT_HEADER] ?? '', new RegExp(`^00-${TRACE}-(?!${SPAN})[0-9a-f]{16}-00$`));
    await routes.echo('/echo');
    await received.span('a sampled request', ({ kind }) => kind === 2);
    assert.ok(received.spans.every(({ traceId }) => traceId !== TRACE));
  });

  it('contains an upgrade, whose spans end with the handshake', async () => {
    const received = await collector();
    const routes = await routesForTest({}, { otlpTracesUrl: received.url });
    const given = await upgraded(routes, headers);
    const client = await received.span('the client', ({ kind }) => kind === 3);
    assert.equal(given[TRACE_PARENT_HEADER], `00-${TRACE}-${client.spanId}-01`);
    assert.equal(Number(attributesOf(client)['http.response.status_code']), 101);
  });

  it('shows the failure of a request that no worker can answer', async () => {
    const received = await collector();
    const routes = await routesForTest({}, { otlpTracesUrl: received.url });
    assert.equal((await routes.fetch('/status/503', { headers })).status, 503);
    const server = await received.span('the server', ({ kind }) => kind === 2);
    assert.equal(server.status.code, 2);
    assert.equal(attributesOf(server)['error.type'], '503');
  });
});

/** Opens a WebSocket. Returns the headers that its worker received. */
async function upgraded(routes: Routes, given: Record<string, string>): Promise<Record<string, string>> {
  const socket = new WebSocket(`${routes.base.replace('http', 'ws')}/socket`, {
    headers: { ...routes.authorization, ...given },
  });
  await once(socket, 'open');
  socket.send('headers');
  const [data] = (await once(socket, 'message')) as [Buffer];
  socket.close();
  await once(socket, 'close');
  return JSON.parse(data.toString()) as Record<string, string>;
}
