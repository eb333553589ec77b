import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { operations } from '../../../src/contract/operations.ts';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import { PAUSE_MS } from '../../../src/platform/queue/webhookSender.ts';
import { startPlatform } from '../../../src/platform/daemon/start.ts';
import { afterwards, Api, cleanUp, dataDirectory, eventually, platformForTest } from '../support.ts';
import { receiver, status } from '../webhookReceiver.ts';
import { accept, attributesOf, collector, respondWith } from './collector.ts';

describe('The export of traces', () => {
  afterEach(cleanUp);

  it('sends a valid trace of each ended job, without inputs, outputs, and errors', async () => {
    const received = await collector();
    const { api } = await platformForTest({ otlpTracesUrl: received.url });
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 1 } });
    await api.runSync(endpoint, { do: 'echo', value: 'confidential' });
    const failed = await api.runSync(endpoint, { do: 'fail' });
    assert.equal(failed.status, 'FAILED');
    const of = (id: string, name: string) =>
      received.span(
        `${name} of ${id}`,
        (span) => span.name === name && attributesOf(span)['messaging.message.id'] === id,
      );
    const root = await of(failed.id, 'job test');
    assert.deepEqual([root.status.code, root.parentSpanId], [2, undefined]);
    const start = await received.span('the cold start', ({ name }) => name === 'coldStart');
    const queued = received.spans.find(({ spanId }) => spanId === start.parentSpanId);
    assert.equal(queued?.name, 'queued');
    assert.equal(received.requests[0]?.path, '/v1/traces');
    assert.doesNotMatch(JSON.stringify(received.spans), /confidential|as asked/);
  });

  it('sends each delivery of a webhook once in the trace of its job, also after a retry', async () => {
    const received = await collector();
    const answers = [500, 200];
    const hook = await receiver((response) => status(answers.shift() ?? 200)(response));
    const { api } = await platformForTest({ otlpTracesUrl: received.url });
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 1 } });
    const body = { input: { do: 'fail' }, webhook: `${hook.url}/secret?token=secret` };
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const { id } = await api.call(operations.runJob, { parameters: { endpointId: endpoint.id }, body, headers });
    const deliveries = () => received.spans.filter(({ name }) => name === 'webhook');
    await eventually('the first attempt is exported', () => deliveries().length === 1);
    await eventually('both attempts of the first delivery are exported', async () => {
      await api.call(controlOperations.setClock, { body: { advanceMs: PAUSE_MS } });
      return deliveries().length === 2;
    });
    await api.call(operations.retryJob, { parameters: { endpointId: endpoint.id, jobId: id } });
    await eventually('the delivery of the second end is exported', () => deliveries().length === 3);
    const roots = () => received.spans.filter(({ name }) => name === 'job test');
    await eventually('the job is exported twice', () => roots().length === 2);
    const [root] = roots();
    assert.equal(new Set(deliveries().map(({ spanId }) => spanId)).size, 3);
    for (const span of deliveries()) assert.deepEqual([span.traceId, span.parentSpanId], [traceId, root?.spanId]);
    assert.deepEqual(
      deliveries().map(({ status: { code } }) => code),
      [2, 0, 0],
    );
    assert.ok(!JSON.stringify(received.spans).includes('secret'));
  });

  it('sends the jobs that wait when the platform stops', async () => {
    const received = await collector();
    const platform = await startPlatform({
      otlpTracesUrl: received.url,
      engine: { runtime: 'process' },
      gpus: 'ignore',
    });
    const api = new Api(platform.announcement);
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const { id } = await api.run(endpoint, {});
    await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: id } });
    await platform.close();
    const root = received.spans.find(({ name }) => name === 'job test');
    assert.ok(root);
    assert.equal(attributesOf(root)['messaging.message.id'], id);
    assert.equal(root.status.code, 0);
  });

  it('does not send a job again after a restart', async () => {
    const received = await collector();
    const options = {
      otlpTracesUrl: received.url,
      dataDir: await dataDirectory(),
      engine: { runtime: 'process' as const },
    };
    const first = await startPlatform({ ...options, gpus: 'ignore' });
    const api = new Api(first.announcement);
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const { id } = await api.run(endpoint, {});
    await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: id } });
    await first.close();
    const second = await startPlatform({ ...options, gpus: 'ignore' });
    await second.close();
    assert.equal(received.spans.filter(({ name }) => name === 'job test').length, 1);
  });

  it('tries again when the collector is overloaded', async () => {
    const received = await collector((request) => (request === 1 ? respondWith(503, { 'Retry-After': '1' }) : accept));
    const { api } = await platformForTest({ otlpTracesUrl: received.url });
    const endpoint = await api.createEndpoint();
    await api.runSync(endpoint, { do: 'echo', value: 1 });
    await received.span('the job', ({ name }) => name === 'job test');
    assert.ok(received.requests.length >= 2);
  });

  it('counts lost traces and logs the first loss only, and jobs end as usual', async () => {
    const received = await collector((request) => (request <= 2 ? respondWith(400) : accept));
    const lines: { level: number; msg: string; lost?: number }[] = [];
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[number]) });
    const { api } = await platformForTest({ otlpTracesUrl: received.url, log });
    const endpoint = await api.createEndpoint();
    for (let request = 1; request <= 3; request++) {
      assert.equal((await api.runSync(endpoint, { do: 'echo', value: 1 })).status, 'COMPLETED');
      await eventually('the collector has a request', () => received.requests.length >= request);
    }
    await received.span('the last job', ({ name }) => name === 'job test');
    const warned = () => lines.filter(({ msg }) => msg.startsWith('traces are lost'));
    const again = await eventually('the export works again', () =>
      lines.find(({ msg }) => msg === 'traces are exported again'),
    );
    assert.equal(warned().length, 1);
    assert.ok((again.lost ?? 0) > 0);
  });

  it('delays neither jobs nor the stop of the platform if the collector is down or does not respond', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    afterwards(async () => {
      for (const socket of sockets) socket.destroy();
      silent.close();
      await once(silent, 'close');
    });
    const { port } = silent.address() as AddressInfo;
    for (const url of ['http://127.0.0.1:1/v1/traces', `http://127.0.0.1:${port}/v1/traces`]) {
      const platform = await startPlatform({ otlpTracesUrl: url, engine: { runtime: 'process' }, gpus: 'ignore' });
      const api = new Api(platform.announcement);
      const endpoint = await api.createEndpoint();
      assert.equal((await api.runSync(endpoint, { do: 'echo', value: 1 })).status, 'COMPLETED');
      await platform.close();
    }
  });
});
