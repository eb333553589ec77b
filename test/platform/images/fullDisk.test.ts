import assert from 'node:assert/strict';
import { pino } from 'pino';
import { OWNER_ACCOUNT_ID } from '../../../src/platform/domain/account.ts';
import { systemClock as clock } from '../../../src/platform/time/clock.ts';
import { imageQueue } from '../../../src/platform/domain/imageQueue.ts';
import { ImageModel } from '../../../src/platform/images/imageModel.ts';
import { JobQueue } from '../../../src/platform/queue/jobQueue.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import { afterwards, cleanUp, eventually } from '../support.ts';
import { gradient, pngOf } from './support.ts';

describe('ImageModel on a full disk', () => {
  afterEach(cleanUp);

  it('repeats an edit whose result could not be stored, and charges it once', async () => {
    const real = openSqliteStore(':memory:');
    let refusals = 0;
    let isFull = false;
    const store: Store = {
      ...real,
      transaction: (action) => {
        if (!isFull) return real.transaction(action);
        refusals++;
        throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
      },
    };
    const ignore = () => undefined;
    const jobs = new JobQueue(
      store,
      { clock, realClock: clock },
      { onSubmitted: ignore, onExpired: ignore, onWebhook: ignore },
    );
    const base = { jobs, store, clock, realClock: clock, log: pino({ level: 'silent' }) };
    const model = new ImageModel({ ...base, sources: {}, origin: () => 'http://127.0.0.1:1' });
    store.accounts.insert({ id: OWNER_ACCOUNT_ID, kind: 'user', name: 'owner', createdAt: 0 });
    afterwards(async () => {
      await model.close();
      jobs.close();
      store.close();
    });

    const image = `data:image/png;base64,${pngOf(gradient(300, 300)).toString('base64')}`;
    const { id } = await model.submit(OWNER_ACCOUNT_ID, { input: { prompt: 'blur', image } }, { kind: 'run' });
    const job = () => jobs.get(imageQueue(OWNER_ACCOUNT_ID), id);
    assert.equal(job().status, 'IN_PROGRESS');
    isFull = true;
    await eventually('the store refuses the result and the return of the job', () => refusals > 1);
    assert.equal(job().status, 'IN_PROGRESS');
    isFull = false;
    await eventually('the job is completed', () => job().status === 'COMPLETED');
    const query = { grain: 'day', from: 0, to: Infinity, of: 'account', kinds: ['endpoint'] } as const;
    const charges = [...store.usage.sums(query, clock.now())].map(({ nanoUsd }) => nanoUsd);
    assert.deepEqual(charges, [20_000_000n]);
  });
});
