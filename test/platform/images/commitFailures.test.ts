import assert from 'node:assert/strict';
import { pino } from 'pino';
import { OWNER_ACCOUNT_ID } from '../../../src/platform/domain/account.ts';
import { ImageModel, imageQueue } from '../../../src/platform/images/imageModel.ts';
import { JobBook } from '../../../src/platform/queue/jobBook.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import { systemClock as clock } from '../../../src/platform/time/clock.ts';
import { failWrite } from '../failingWrites.ts';
import { eventually } from '../support.ts';
import { gradient, pngOf } from './support.ts';

const MOST_WRITES = 100;

describe('Platform: an image edit whose end cannot be stored', () => {
  it('is reported as completed only when its image and its charge are stored, whichever write fails', async () => {
    const image = `data:image/png;base64,${pngOf(gradient(8, 8)).toString('base64')}`;
    let writes = 0;
    for (let failed = true; failed; writes++) {
      assert.ok(writes < MOST_WRITES);
      const store = openSqliteStore(':memory:');
      const ignore = () => undefined;
      const jobs = new JobBook(store, clock, { onSubmitted: ignore, onExpired: ignore, onWebhook: ignore });
      const base = { jobs, store, clock, realWaits: clock, log: pino({ level: 'silent' }) };
      const model = new ImageModel({ ...base, sources: {}, origin: () => 'http://127.0.0.1:1' });
      store.accounts.insert({ id: OWNER_ACCOUNT_ID, kind: 'user', name: 'owner', createdAt: 0 });
      const job = await model.submit(OWNER_ACCOUNT_ID, { input: { prompt: 'invert', image } }, 'run');
      const failing = failWrite(writes + 1);
      try {
        const ended = await jobs.waitFor(job, 60_000, new AbortController().signal);
        assert.equal(ended.status, 'COMPLETED');
        assert.equal(jobs.get(imageQueue(OWNER_ACCOUNT_ID), job.id).status, 'COMPLETED');
        const { image_url: url } = ended.output as { image_url: string };
        assert.ok(model.image(url.slice(url.lastIndexOf('/') + 1)), 'the image is there');
        const query = { grain: 'day', from: 0, to: Infinity, of: 'account', kinds: ['endpoint'] } as const;
        const charges = [...store.usage.sums(query, clock.now())].map(({ nanoUsd }) => nanoUsd);
        assert.deepEqual(charges, [20_000_000n]);
        failed = failing.failed();
      } finally {
        failing.restore();
        await eventually('the model is idle', () => model.health().running === 0);
        await model.close();
        jobs.close();
        store.close();
      }
    }
    assert.ok(writes > 3, 'several writes were made to fail');
  });
});
