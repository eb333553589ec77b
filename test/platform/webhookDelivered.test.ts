import assert from 'node:assert/strict';
import { pino } from 'pino';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import { WebhookSender } from '../../src/platform/queue/webhookSender.ts';
import { manualClock } from './support.ts';

describe('Webhook that is delivered just before the platform stops', () => {
  const { fetch } = globalThis;

  afterEach(() => {
    globalThis.fetch = fetch;
  });

  it('is not sent again at the next start', async () => {
    const store = openSqliteStore(':memory:');
    const clock = manualClock(0);
    const requested = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Response>();
    globalThis.fetch = () => {
      requested.resolve();
      return answer.promise;
    };
    store.webhooks.insert({ jobId: 'job1', accountId: 'owner', url: 'http://hooks.test/', body: '{}', dueAt: 0 });
    const sender = new WebhookSender({ store, clock, realClock: clock, log: pino({ enabled: false }) });
    sender.wake();
    await requested.promise;
    answer.resolve(new Response(null, { status: 200 }));
    await sender.close();
    assert.equal(store.webhooks.next(), undefined);
    store.close();
  });
});
