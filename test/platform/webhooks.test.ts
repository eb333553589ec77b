import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { pino } from 'pino';
import { IMAGE_EDIT_ENDPOINT_ID } from '../../src/contract/imageModel.ts';
import { JobWebhook } from '../../src/contract/job.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { parseWorkerError } from '../../src/contract/workerError.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import type { NameLookup } from '../../src/platform/http/publicRequest.ts';
import type { WebhookStore } from '../../src/platform/store/store.ts';
import { ANSWER_MS, PAUSE_MS, SLOW_MS, WebhookSender } from '../../src/platform/queue/webhookSender.ts';
import { afterwards, cleanUp, dataDirectory, eventually, manualClock, platformForTest } from './support.ts';
import { receiver, status } from './webhookReceiver.ts';

describe('Webhooks', () => {
  afterEach(cleanUp);

  it('report every end of a job, with the job, its input, and its webhook URL', async () => {
    const { calls, url } = await receiver(status(200));
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ timeout: 400 });
    const s3Config = { accessSecret: 'hush', bucketName: 'b' };
    const bodyOf = (id: string) =>
      eventually(`the webhook of ${id} arrives`, () =>
        calls.map(({ body }) => JobWebhook.parse(body)).find((body) => body.id === id),
      );

    const done = await api.runSync(endpoint, { do: 'echo', value: 1 }, { webhook: `${url}/done?key=1`, s3Config });
    const delivered = await bodyOf(done.id);
    assert.deepEqual(delivered, { ...done, input: { do: 'echo', value: 1 }, webhook: `${url}/done?key=1` });
    assert.deepEqual([calls[0]?.method, calls[0]?.path, calls[0]?.type], ['POST', '/done?key=1', 'application/json']);

    const failed = await bodyOf((await api.runSync(endpoint, { do: 'fail' }, { webhook: url })).id);
    assert.deepEqual([failed.status, parseWorkerError(failed.error)?.message], ['FAILED', 'as asked']);
    const late = await bodyOf((await api.runSync(endpoint, { do: 'hang' }, { webhook: url })).id);
    assert.equal(late.status, 'TIMED_OUT');

    const paused = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const canceled = await api.run(paused, { n: 1 }, { webhook: url });
    const purged = await api.run(paused, { n: 2 }, { webhook: url });
    const parameters = { endpointId: paused.id, jobId: canceled.id };
    await api.call(operations.cancelJob, { parameters });
    await api.call(operations.purgeQueue, { parameters: { endpointId: paused.id } });
    assert.equal((await bodyOf(canceled.id)).status, 'CANCELLED');
    assert.equal((await bodyOf(purged.id)).status, 'CANCELLED');
    assert.equal(calls.length, 5, 'each job is reported once');
    assert.doesNotMatch(JSON.stringify(calls), /hush/);
  });

  it('report the edits of images, also to private addresses for the owner', async () => {
    const { calls, url } = await receiver(status(200));
    const { api } = await platformForTest();
    const { id } = await api.call(operations.runJob, {
      parameters: { endpointId: IMAGE_EDIT_ENDPOINT_ID },
      body: { input: { prompt: 'make it brighter', image: 'data:image/png;base64,AA==' }, webhook: url },
    });
    const { body } = await eventually('the webhook arrives', () => calls[0]);
    assert.deepEqual([JobWebhook.parse(body).id, calls.length], [id, 1]);
  });

  it('are delivered after a restart if the platform stopped first', async () => {
    let answering = false;
    const { calls, url } = await receiver((response) => answering && response.writeHead(200).end());
    const dataDir = await dataDirectory();
    const { platform, api } = await platformForTest({ dataDir });
    const endpoint = await api.createEndpoint();
    const { id } = await api.runSync(endpoint, { do: 'echo' }, { webhook: url });
    await eventually('the first attempt arrives', () => calls.length === 1);
    await platform.close();
    answering = true;
    const next = await platformForTest({ dataDir });
    await eventually('the second attempt arrives', () => calls.length === 2);
    assert.deepEqual((calls[1]?.body as JobWebhook).id, id);
    await next.platform.close();
    const store = openSqliteStore(path.join(dataDir, 'platform.sqlite'));
    afterwards(() => Promise.resolve().then(() => store.close()));
    assert.ok(store.jobs.get(endpoint.id, id), 'the store contains the job');
    assert.equal(store.webhooks.next(), undefined, 'the delivered webhook was deleted');
  });

  it('are delivered within one retry delay after a start, even if they are due far in the future', async () => {
    const { calls, url } = await receiver(status(200));
    const dataDir = await dataDirectory();
    const store = openSqliteStore(path.join(dataDir, 'platform.sqlite'));
    store.webhooks.insert({ jobId: 'j', accountId: 'owner', url, body: '{}', dueAt: Date.now() + 86_400_000 });
    store.close();
    const { api } = await platformForTest({ dataDir });
    await api.call(controlOperations.setClock, { body: { advanceMs: PAUSE_MS } });
    await eventually('the webhook is delivered', () => calls.length === 1);
  });

  describe('sender', () => {
    function sender(changes: Partial<WebhookStore> = {}, lookup?: NameLookup) {
      const opened = openSqliteStore(':memory:');
      const store = { ...opened, webhooks: { ...opened.webhooks, ...changes } };
      const clock = manualClock(Date.parse('2026-03-01T00:00:00Z'));
      const lines: string[] = [];
      const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
      const webhooks = new WebhookSender({ store, clock, realClock: clock, log, lookup });
      afterwards(async () => {
        await webhooks.close();
        store.close();
      });
      const add = (url: string, accountId = 'owner'): void => {
        store.webhooks.insert({ jobId: 'j', accountId, url, body: '{"id":"j"}', dueAt: clock.now() });
        webhooks.wake();
      };
      const first = () => store.webhooks.next();
      return { store, webhooks, clock, lines, add, first };
    }

    it('retries twice after ten seconds each, and then logs a failure without the URL', async () => {
      const { calls, url } = await receiver(status(202));
      const { clock, lines, add, first } = sender();
      add(`${url}/secret`);
      await eventually('the first attempt failed', () => first()?.attempts === 1);
      clock.advance(PAUSE_MS - 1);
      assert.equal(calls.length, 1, 'the retry is not early');
      clock.advance(1);
      await eventually('the second attempt failed', () => first()?.attempts === 2);
      clock.advance(PAUSE_MS);
      await eventually('the webhook is dropped', () => first() === undefined);
      assert.equal(calls.length, 3);
      assert.match(lines.at(-1) ?? '', /giving up/);
      assert.match(lines.at(-1) ?? '', /status 202 instead of 200/);
      assert.doesNotMatch(lines.join(''), /secret/);
    });

    it('sends the credentials in a URL as basic authentication, and does not log them', async () => {
      const { calls, url } = await receiver(status(500));
      const { lines, add, first } = sender();
      add(url.replace('//', '//me:s%40cret@'));
      await eventually('the attempt failed', () => first()?.attempts === 1);
      assert.equal(calls[0]?.authorization, `Basic ${Buffer.from('me:s@cret').toString('base64')}`);
      assert.doesNotMatch(lines.join(''), /cret/);
    });

    it('accepts a literal percent sign in a password', async () => {
      const { calls, url } = await receiver(status(200));
      const { add, first } = sender();
      add(url.replace('//', '//me:100%@'));
      await eventually('the webhook is delivered', () => first() === undefined);
      assert.equal(calls[0]?.authorization, `Basic ${Buffer.from('me:100%').toString('base64')}`);
    });

    it('sends nothing from a transaction that is rolled back', async () => {
      const { calls, url } = await receiver(status(200));
      const { store, add, first } = sender();
      const failing = (): void =>
        store.transaction(() => {
          add(`${url}/never`);
          throw new Error('the transaction failed');
        });
      assert.throws(failing, /the transaction failed/);
      add(`${url}/committed`);
      await eventually('the webhook is delivered', () => first() === undefined);
      assert.deepEqual(
        calls.map(({ path }) => path),
        ['/committed'],
      );
    });

    it('does not repeat a delivery if a full disk prevents its deletion', async () => {
      const { calls, url } = await receiver(status(200));
      let refusals = 0;
      const { clock, add, first } = sender({
        delete: () => {
          refusals++;
          throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
        },
      });
      add(url);
      await eventually('the deletion failed', () => refusals === 1);
      clock.advance(5_000);
      assert.ok(refusals > 1, 'the deletion is retried');
      assert.equal(calls.length, 1);
      assert.ok(first(), 'the webhook is still stored');
    });

    it('stops after the first success', async () => {
      const answers = [500, 200];
      const { calls, url } = await receiver((response) => status(answers.shift() ?? 404)(response));
      const { clock, add, first } = sender();
      add(url);
      await eventually('the first attempt failed', () => first()?.attempts === 1);
      clock.advance(PAUSE_MS);
      await eventually('the webhook is delivered', () => first() === undefined);
      assert.equal(calls.length, 2);
    });

    it('follows no redirect, and treats unreachable hosts as failures', async () => {
      const elsewhere = await receiver(status(200));
      const { url } = await receiver(status(307, { Location: elsewhere.url }));
      const { lines, add, first } = sender();
      add(url);
      await eventually('the redirect counts as a failure', () => first()?.attempts === 1);
      assert.equal(elsewhere.calls.length, 0);
      add('http://127.0.0.1:9/');
      await eventually('the connection failed', () => lines.length === 2);
      add('http://127.0.0.1:6000/');
      await eventually('the port is refused', () => lines.length === 3);
      assert.match(lines[2] ?? '', /bad port/);
    });

    it('refuses addresses outside the public internet in every notation, except for the owner', async () => {
      const { calls, url } = await receiver(status(200));
      const { port } = new URL(url);
      const { lines, add, first } = sender();
      const hosts = [
        ...['127.0.0.1', 'localhost', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0'],
        ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254', '224.0.0.1', '255.255.255.255'],
        ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[fe80::1]', '[fd00::1]', '[ff02::1]'],
        ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001:0:1::1]'],
      ];
      for (const host of hosts) for (const account of ['team', '']) add(`http://${host}:${port}/secret`, account);
      await eventually('all webhooks are dropped', () => first() === undefined);
      assert.equal(calls.length, 0);
      assert.equal(lines.length, 2 * hosts.length, 'no delivery is repeated');
      for (const line of lines)
        assert.match(line, /private address, .*only webhooks of the platform's owner.*giving up/);
      assert.doesNotMatch(lines.join(''), /secret/);
      add(url);
      await eventually('the webhook of the owner is delivered', () => calls.length === 1);
    });

    it('refuses a name with one private address, and connects only to checked addresses', async () => {
      const { calls, url } = await receiver(status(200));
      const { port } = new URL(url);
      const answers = [['192.0.2.1', '127.0.0.1'], ['8.8.8.8'], ['127.0.0.1']];
      const asked: string[] = [];
      const lookup: NameLookup = (name) => {
        asked.push(name);
        // The second delivery is checked with a public address. A second lookup of its name would return a private one.
        const addresses = answers[asked.length - 1] ?? assert.fail('a name is resolved twice');
        return Promise.resolve(addresses.map((address) => ({ address, family: 4 })));
      };
      const { webhooks, lines, add } = sender({}, lookup);
      add(`http://mixed.test:${port}/`, 'team');
      await eventually('the first is refused', () => lines.length === 1);
      add(`http://rebound.test:${port}/`, 'team');
      await eventually('the second is resolved', () => asked.length === 2);
      await webhooks.close();
      assert.deepEqual([asked, calls.length], [['mixed.test', 'rebound.test'], 0]);
    });

    it('limits the time until a response', async () => {
      const { calls, url } = await receiver(() => undefined);
      const { clock, lines, add, first } = sender();
      add(url);
      await eventually('the request arrives', () => calls.length === 1);
      clock.advance(ANSWER_MS);
      await eventually('the attempt failed', () => first()?.attempts === 1);
      assert.match(lines.join(''), /did not respond within/);
    });

    it('has at most eight concurrent requests, and delivers all webhooks', async () => {
      const held: ServerResponse[] = [];
      const { calls, url } = await receiver((response) => held.push(response));
      const { add, first } = sender();
      for (let count = 0; count < 20; count++) add(url);
      await eventually('eight requests are pending', () => held.length === 8);
      for (let answered = 0; answered < 20; answered++) {
        assert.ok(calls.length - answered <= 8);
        const response = await eventually('the next request arrives', () => held.shift());
        response.writeHead(200).end();
      }
      await eventually('all webhooks are delivered', () => first() === undefined);
      assert.equal(calls.length, 20);
    });

    it('does not let hanging receivers block others, and sends each at most eight requests', async () => {
      const hanging = await receiver(() => undefined);
      const answering = await receiver(status(200));
      const { store, clock, add } = sender();
      for (let count = 0; count < 20; count++) add(hanging.url);
      for (let count = 0; count < 20; count++) add(answering.url);
      await eventually('all eight requests are pending', () => hanging.calls.length === 8);
      assert.equal(answering.calls.length, 0);
      clock.advance(SLOW_MS);
      const receivers = [hanging.url];
      await eventually(
        'the other webhooks are delivered',
        () => store.webhooks.next({ ids: [], receivers }) === undefined,
      );
      assert.deepEqual([hanging.calls.length, answering.calls.length], [8, 20]);
      clock.advance(ANSWER_MS - SLOW_MS);
      await eventually('the next eight requests arrive', () => hanging.calls.length === 16);
    });

    it('keeps sending to a receiver that is slow to answer one request', async () => {
      const { calls, url } = await receiver((response, { path }) => path === '/quick' && status(200)(response));
      const { store, clock, add } = sender();
      add(`${url}/slow`);
      await eventually('the request arrives', () => calls.length === 1);
      clock.advance(SLOW_MS);
      const id = store.webhooks.next()?.id ?? assert.fail('the webhook is missing');
      for (let count = 0; count < 20; count++) add(`${url}/quick`);
      await eventually(
        'the other webhooks are delivered',
        () => store.webhooks.next({ ids: [id], receivers: [] }) === undefined,
      );
      assert.equal(calls.length, 21);
    });

    it('does not read bodies of webhooks that are not due', async () => {
      const { url } = await receiver(status(500));
      const read: number[] = [];
      const { store, webhooks, add, first } = sender({
        body: (id) => {
          read.push(id);
          return '{}';
        },
      });
      add(url);
      await eventually('the first attempt failed', () => first()?.attempts === 1);
      webhooks.wake();
      store.webhooks.insert({ jobId: 'k', accountId: 'owner', url, body: '{}', dueAt: 0 });
      webhooks.wake();
      await eventually('the second attempt failed', () => read.length === 2);
      assert.notEqual(read[0], read[1]);
    });
  });
});
