import assert from 'node:assert/strict';
import { cleanUp, eventually, otherAccount, platformForTest, type Api } from './support.ts';
import { receiver, status } from './webhookReceiver.ts';

describe('Webhooks of a shared platform', () => {
  afterEach(cleanUp);

  /** Runs a job of a new endpoint to its end. Resolves with the job, its endpoint, and its worker. */
  async function finishedJob(api: Api, webhook: string) {
    const endpoint = await api.createEndpoint();
    const { id, workerId = assert.fail('no worker ran the job') } = await api.runSync(
      endpoint,
      { do: 'echo' },
      { webhook },
    );
    return { endpoint, id, workerId };
  }

  const pathsOf = (calls: readonly { path: string | undefined }[]) => calls.map(({ path }) => path);

  it("reach an address on the same machine for the owner, and the log of the worker states why another account's do not", async () => {
    const { calls, url } = await receiver(status(200));
    const { api } = await platformForTest({ allowProcessEndpoints: true });
    const ada = await otherAccount(api);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '169.254.169.254']) {
      const address = url.replace('127.0.0.1', host);
      const { endpoint, id, workerId } = await finishedJob(ada, `${address}/secret`);
      const lines = await ada.logsUntil(endpoint, workerId, ({ line }) => line.includes('webhook of job'));
      const { line, source } = lines.at(-1) ?? assert.fail('there is no line');
      assert.equal(source, 'system');
      assert.match(line, new RegExp(`^the webhook of job ${id} was not delivered: .* has a private address`));
      assert.ok(line.includes(new URL(address).host) && !line.includes('secret'), line);
    }
    await finishedJob(api, `${url}/owner`);
    await eventually('the webhook of the owner arrives', () => calls.length > 0);
    assert.deepEqual(pathsOf(calls), ['/owner']);
  });

  it('follow no redirect', async () => {
    const elsewhere = await receiver(status(200));
    const { calls, url } = await receiver(status(307, { Location: elsewhere.url }));
    const { api } = await platformForTest();
    await finishedJob(api, `${url}/first`);
    await eventually('the webhook arrives', () => calls.length > 0);
    await finishedJob(api, `${elsewhere.url}/second`);
    await eventually('the second webhook arrives', () => elsewhere.calls.length > 0);
    assert.deepEqual(pathsOf(elsewhere.calls), ['/second']);
  });
});
