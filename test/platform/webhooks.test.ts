import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pino } from 'pino';
import { JobWebhook } from '../../src/contract/job.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import type { WebhookStore } from '../../src/platform/store/webhookStore.ts';
import { ANSWER_MS, PAUSE_MS, SLOW_MS, WebhookSender } from '../../src/platform/webhooks/webhookSender.ts';
import { afterwards, cleanUp, dataDirectory, eventually, manualClock, platformForTest } from './support.ts';

interface Call {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** A receiver of webhooks: a real server that answers as it is told. */
async function receiver(answer: (response: ServerResponse, call: Call) => void) {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { method, url, headers } = request;
      const { 'content-type': type, authorization } = headers;
      const call = { method, path: url, type, authorization, body: JSON.parse(text || 'null') as unknown };
      calls.push(call);
      answer(response, call);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end();

describe('Platform: webhooks', () => {
  afterEach(cleanUp);

  it('are told of every end, with the job, its input and the address', async () => {
    const { calls, url } = await receiver(status(200));
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ timeout: 400 });
    const s3Config = { accessSecret: 'hush', bucketName: 'b' };
    const bodyOf = (id: string) =>
      eventually(`the webhook of ${id}`, () =>
        calls.map(({ body }) => JobWebhook.parse(body)).find((body) => body.id === id),
      );

    const done = await api.runSync(endpoint, { do: 'echo', value: 1 }, { webhook: `${url}/done?key=1`, s3Config });
    const told = await bodyOf(done.id);
    assert.deepEqual(told, { ...done, input: { do: 'echo', value: 1 }, webhook: `${url}/done?key=1` });
    assert.deepEqual([calls[0]?.method, calls[0]?.path, calls[0]?.type], ['POST', '/done?key=1', 'application/json']);

    const failed = await bodyOf((await api.runSync(endpoint, { do: 'fail' }, { webhook: url })).id);
    assert.deepEqual([failed.status, failed.error], ['FAILED', 'as asked']);
    const late = await bodyOf((await api.runSync(endpoint, { do: 'hang' }, { webhook: url })).id);
    assert.equal(late.status, 'TIMED_OUT');

    const paused = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const cancelled = await api.run(paused, { n: 1 }, { webhook: url });
    const purged = await api.run(paused, { n: 2 }, { webhook: url });
    const parameters = { endpointId: paused.id, jobId: cancelled.id };
    await api.call(operations.cancelJob, { parameters });
    await api.call(operations.purgeQueue, { parameters: { endpointId: paused.id } });
    assert.equal((await bodyOf(cancelled.id)).status, 'CANCELLED');
    assert.equal((await bodyOf(purged.id)).status, 'CANCELLED');
    assert.equal(calls.length, 5, 'each once');
    assert.doesNotMatch(JSON.stringify(calls), /hush/);
  });

  it('are delivered after a restart when the platform ended first', async () => {
    let answering = false;
    const { calls, url } = await receiver((response) => answering && response.writeHead(200).end());
    const dataDir = await dataDirectory();
    const { platform, api } = await platformForTest({ dataDir });
    const endpoint = await api.createEndpoint();
    const { id } = await api.runSync(endpoint, { do: 'echo' }, { webhook: url });
    await eventually('the first try', () => calls.length === 1);
    await platform.close();
    answering = true;
    const next = await platformForTest({ dataDir });
    await eventually('the second try', () => calls.length === 2);
    assert.deepEqual((calls[1]?.body as JobWebhook).id, id);
    await next.platform.close();
    const store = openSqliteStore(path.join(dataDir, 'platform.sqlite'));
    afterwards(() => Promise.resolve().then(() => store.close()));
    assert.ok(store.jobs.get(endpoint.id, id), 'it is that store');
    assert.equal(store.webhooks.next(), undefined, 'delivered is done');
  });

  it('wait no longer than a pause after a start, whatever clock has dated them', async () => {
    const { calls, url } = await receiver(status(200));
    const dataDir = await dataDirectory();
    const store = openSqliteStore(path.join(dataDir, 'platform.sqlite'));
    store.webhooks.insert({ jobId: 'j', url, body: '{}', dueAt: Date.now() + 86_400_000 });
    store.close();
    const { api } = await platformForTest({ dataDir });
    await api.call(controlOperations.setClock, { body: { advanceMs: PAUSE_MS } });
    await eventually('delivered', () => calls.length === 1);
  });

  describe('the sender', () => {
    function sender(changes: Partial<WebhookStore> = {}) {
      const opened = openSqliteStore(':memory:');
      const store = { ...opened, webhooks: { ...opened.webhooks, ...changes } };
      const clock = manualClock(Date.parse('2026-03-01T00:00:00Z'));
      const lines: string[] = [];
      const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
      const webhooks = new WebhookSender({ store: store.webhooks, clock, realWaits: clock, log });
      afterwards(async () => {
        await webhooks.close();
        store.close();
      });
      const add = (url: string): void => {
        store.webhooks.insert({ jobId: 'j', url, body: '{"id":"j"}', dueAt: clock.now() });
        webhooks.wake();
      };
      const first = () => store.webhooks.next();
      return { store, webhooks, clock, lines, add, first };
    }

    it('tries twice more, ten seconds apart, and then gives up with a line that keeps the address to itself', async () => {
      const { calls, url } = await receiver(status(202));
      const { clock, lines, add, first } = sender();
      add(`${url}/secret`);
      await eventually('one failure', () => first()?.attempts === 1);
      clock.advance(PAUSE_MS - 1);
      assert.equal(calls.length, 1, 'not a moment early');
      clock.advance(1);
      await eventually('two failures', () => first()?.attempts === 2);
      clock.advance(PAUSE_MS);
      await eventually('given up', () => first() === undefined);
      assert.equal(calls.length, 3);
      assert.match(lines.at(-1) ?? '', /giving up/);
      assert.match(lines.at(-1) ?? '', /status 202 instead of 200/);
      assert.doesNotMatch(lines.join(''), /secret/);
    });

    it('sends the user name and password of an address as HTTP does, and tells them nobody else', async () => {
      const { calls, url } = await receiver(status(500));
      const { lines, add, first } = sender();
      add(url.replace('//', '//me:s%40cret@'));
      await eventually('one failure', () => first()?.attempts === 1);
      assert.equal(calls[0]?.authorization, `Basic ${Buffer.from('me:s@cret').toString('base64')}`);
      assert.doesNotMatch(lines.join(''), /cret/);
    });

    it('takes a percent sign in a password that encodes nothing as it stands', async () => {
      const { calls, url } = await receiver(status(200));
      const { add, first } = sender();
      add(url.replace('//', '//me:100%@'));
      await eventually('delivered', () => first() === undefined);
      assert.equal(calls[0]?.authorization, `Basic ${Buffer.from('me:100%').toString('base64')}`);
    });

    it('sends nothing of a transaction that comes to nothing', async () => {
      const { calls, url } = await receiver(status(200));
      const { store, add, first } = sender();
      const failing = (): void =>
        store.transaction(() => {
          add(`${url}/never`);
          throw new Error('it could not be stored');
        });
      assert.throws(failing, /could not be stored/);
      add(`${url}/committed`);
      await eventually('delivered', () => first() === undefined);
      assert.deepEqual(
        calls.map(({ path }) => path),
        ['/committed'],
      );
    });

    it('outlives a full disk, and delivers nothing twice for it', async () => {
      const { calls, url } = await receiver(status(200));
      let refusals = 0;
      const { clock, add, first } = sender({
        delete: () => {
          refusals++;
          throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
        },
      });
      add(url);
      await eventually('it cannot be noted', () => refusals === 1);
      clock.advance(5_000);
      assert.ok(refusals > 1, 'it is tried again');
      assert.equal(calls.length, 1);
      assert.ok(first(), 'it is still there');
    });

    it('is content with the first success', async () => {
      const answers = [500, 200];
      const { calls, url } = await receiver((response) => status(answers.shift() ?? 404)(response));
      const { clock, add, first } = sender();
      add(url);
      await eventually('one failure', () => first()?.attempts === 1);
      clock.advance(PAUSE_MS);
      await eventually('delivered', () => first() === undefined);
      assert.equal(calls.length, 2);
    });

    it('follows no redirect, and takes nobody there for a failure', async () => {
      const elsewhere = await receiver(status(200));
      const { url } = await receiver(status(307, { Location: elsewhere.url }));
      const { lines, add, first } = sender();
      add(url);
      await eventually('a redirect failed', () => first()?.attempts === 1);
      assert.equal(elsewhere.calls.length, 0);
      add('http://127.0.0.1:9/');
      await eventually('nobody there', () => lines.length === 2);
      add('http://127.0.0.1:6000/');
      await eventually('a port that is not for HTTP', () => lines.length === 3);
      assert.match(lines[2] ?? '', /bad port/);
    });

    it('waits for an answer only so long', async () => {
      const { calls, url } = await receiver(() => undefined);
      const { clock, lines, add, first } = sender();
      add(url);
      await eventually('asked', () => calls.length === 1);
      clock.advance(ANSWER_MS);
      await eventually('failed', () => first()?.attempts === 1);
      assert.match(lines.join(''), /did not respond within/);
    });

    it('has no more than eight on their way, and loses none of many', async () => {
      const held: ServerResponse[] = [];
      const { calls, url } = await receiver((response) => held.push(response));
      const { add, first } = sender();
      for (let count = 0; count < 20; count++) add(url);
      await eventually('eight', () => held.length === 8);
      for (let answered = 0; answered < 20; answered++) {
        assert.ok(calls.length - answered <= 8);
        const response = await eventually('the next', () => held.shift());
        response.writeHead(200).end();
      }
      await eventually('all', () => first() === undefined);
      assert.equal(calls.length, 20);
    });

    it('lets receivers that hang hold up nobody else, and sends them no more than eight', async () => {
      const hanging = await receiver(() => undefined);
      const answering = await receiver(status(200));
      const { store, clock, add } = sender();
      for (let count = 0; count < 20; count++) add(hanging.url);
      for (let count = 0; count < 20; count++) add(answering.url);
      await eventually('all places are taken', () => hanging.calls.length === 8);
      assert.equal(answering.calls.length, 0);
      clock.advance(SLOW_MS);
      const receivers = [hanging.url];
      await eventually('the others', () => store.webhooks.next({ ids: [], receivers }) === undefined);
      assert.deepEqual([hanging.calls.length, answering.calls.length], [8, 20]);
      clock.advance(ANSWER_MS - SLOW_MS);
      await eventually('the next eight', () => hanging.calls.length === 16);
    });

    it('goes on with a receiver that is slow to answer one', async () => {
      const { calls, url } = await receiver((response, { path }) => path === '/quick' && status(200)(response));
      const { store, clock, add } = sender();
      add(`${url}/slow`);
      await eventually('asked', () => calls.length === 1);
      clock.advance(SLOW_MS);
      const id = store.webhooks.next()?.id ?? assert.fail('it is not there');
      for (let count = 0; count < 20; count++) add(`${url}/quick`);
      await eventually('the others', () => store.webhooks.next({ ids: [id], receivers: [] }) === undefined);
      assert.equal(calls.length, 21);
    });

    it('reads no body of what is not due', async () => {
      const { url } = await receiver(status(500));
      const read: number[] = [];
      const { store, webhooks, add, first } = sender({
        body: (id) => {
          read.push(id);
          return '{}';
        },
      });
      add(url);
      await eventually('one failure', () => first()?.attempts === 1);
      webhooks.wake();
      store.webhooks.insert({ jobId: 'k', url, body: '{}', dueAt: 0 });
      webhooks.wake();
      await eventually('another', () => read.length === 2);
      assert.notEqual(read[0], read[1]);
    });
  });
});
