import assert from 'node:assert/strict';
import { createEndpoint, type EndpointRecord } from '../../../src/platform/domain/endpoint.ts';
import { createJob, transition, type JobEvent, type JobRecord } from '../../../src/platform/domain/job.ts';
import { templateWith } from '../../../src/platform/domain/template.ts';
import type { RunRecord, Store } from '../../../src/platform/store/store.ts';
import type { Transaction } from '../../../src/platform/store/transaction.ts';

const now = Date.parse('2026-03-01T00:00:00Z');

/** What every store must do. */
export function storeConformance(name: string, open: () => Store): void {
  describe(`Store conformance: ${name}`, () => {
    let store: Store;

    beforeEach(() => {
      store = open();
    });

    afterEach(() => store.close());

    const endpoint = (id: string): EndpointRecord =>
      createEndpoint(
        {
          ...{ name: 'größe', type: 'QUEUE', image: 'i', env: { A: '1' } },
          scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
          cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
        },
        { id, accountId: 'owner', now, findTemplate: () => undefined, exists: () => true, mayRunProcesses: true },
      );

    const job = (id: string, changes: Partial<JobRecord> = {}): JobRecord => ({
      ...createJob({}, { id, endpointId: 'e', now }),
      ...changes,
    });

    const add = (record: JobRecord): void => store.insertJob(record, { input: { id: record.id } });

    const changed = (before: JobRecord, event: JobEvent): JobRecord => {
      const after = transition(before, event, now + 10);
      assert.ok(after);
      store.updateJob(before, after);
      return after;
    };

    it('runs effects in order, after the commit of the outermost transaction', () => {
      const ran: string[] = [];
      store.transaction((outer) => {
        outer.afterCommit(() => ran.push(`first, with ${store.listEndpoints().length} endpoint`));
        outer.afterRollback(() => ran.push('rolled back'));
        store.transaction((inner) => {
          inner.afterCommit(() => ran.push('second'));
          store.insertEndpoint(endpoint('e'));
        });
        assert.deepEqual(ran, []);
      });
      assert.deepEqual(ran, ['first, with 1 endpoint', 'second']);
    });

    it('runs the effects of a rollback, and no others, when a transaction fails', () => {
      const ran: string[] = [];
      assert.throws(() =>
        store.transaction((transaction) => {
          transaction.afterCommit(() => ran.push('committed'));
          transaction.afterRollback(() => ran.push('rolled back'));
          store.insertEndpoint(endpoint('e'));
          throw new Error('later in the transaction');
        }),
      );
      assert.deepEqual(ran, ['rolled back']);
      assert.deepEqual(store.listEndpoints(), []);
    });

    it('refuses effects of a transaction that is over', () => {
      let over: Transaction | undefined;
      store.transaction((transaction) => (over = transaction));
      assert.throws(() => over?.afterCommit(() => undefined), /over/);
    });

    it('keeps endpoints in the order they were created', () => {
      for (const id of ['b', 'a']) store.insertEndpoint(endpoint(id));
      const plain = JSON.parse(JSON.stringify([endpoint('b'), endpoint('a')])) as unknown;
      assert.deepEqual(store.listEndpoints(), plain);
    });

    it('keeps what an endpoint was changed to, and its releases, newest first', () => {
      const release = (id: string, version: number) => ({
        ...{ id, endpointId: 'e', version, createdAt: now + version },
        diff: [{ field: 'workers.max', old: 1, new: null }],
      });
      store.insertEndpoint(endpoint('e'));
      store.insertRelease(release('first', 1));
      store.insertRelease(release('second', 2));
      store.insertRelease({ ...release('other', 1), endpointId: 'other' });
      store.updateEndpoint({ ...endpoint('e'), name: 'changed', version: 2 });
      assert.deepEqual(
        store.listEndpoints().map(({ name, version }) => [name, version]),
        [['changed', 2]],
      );
      assert.deepEqual(store.listReleases('e'), [release('second', 2), release('first', 1)]);
      store.deleteEndpoint('e');
      assert.deepEqual(store.listReleases('e'), []);
    });

    it('keeps a job through all it goes through', () => {
      add(job('j'));
      const running = changed(job('j'), { kind: 'taken', workerId: 'w' });
      const done = changed(running, { kind: 'finished', output: { text: 'ok', none: null }, error: ['not', 'a text'] });
      assert.deepEqual(store.getJob('e', 'j'), done);
      assert.equal(store.getJob('other', 'j'), undefined);
    });

    it('tells null from nothing', () => {
      const running = job('j', { status: 'IN_PROGRESS', startedAt: now, workerId: 'w' });
      add(running);
      changed(running, { kind: 'finished', output: null });
      assert.equal(store.getJob('e', 'j')?.output, null);
    });

    it('hands out the jobs that have waited longest', () => {
      add(job('late', { queuedAt: now + 2 }));
      add(job('early', { queuedAt: now + 1 }));
      add(job('same', { queuedAt: now + 1 }));
      add(job('elsewhere', { endpointId: 'other', queuedAt: now }));
      const queued = (limit: number) => store.queuedJobs('e', limit).map(({ id }) => id);
      assert.deepEqual(queued(2), ['early', 'same']);
      changed(job('early'), { kind: 'taken', workerId: 'w' });
      assert.deepEqual(queued(10), ['same', 'late']);
      assert.deepEqual(store.queuedSince('e', 10), [now + 1, now + 2]);
      assert.deepEqual(store.queuedSince('e', 1), [now + 1]);
    });

    it('leaves jobs of low priority out of what scaling sees', () => {
      add(job('low', { lowPriority: true }));
      assert.deepEqual(store.queuedSince('e', 10), []);
      assert.deepEqual(
        store.queuedJobs('e', 1).map(({ id }) => id),
        ['low'],
      );
    });

    it('keeps the request of a job beside it, as it was sent', () => {
      const request = {
        input: { a: [1, null] },
        webhook: 'http://127.0.0.1/',
        s3Config: { accessSecret: 's' },
        more: 1,
      };
      store.insertJob(job('j'), request);
      assert.deepEqual(store.getRequest('j'), request);
      store.deleteJob('j');
      assert.throws(() => store.getRequest('j'), /no request of job j/);
    });

    it('lists ids by status and time', () => {
      add(job('b', { queuedAt: now + 1 }));
      add(job('a', { queuedAt: now }));
      add(job('c', { queuedAt: now + 2 }));
      add(job('done', { status: 'COMPLETED' }));
      assert.deepEqual(store.jobIds('e', 'IN_QUEUE', {}), ['a', 'b', 'c']);
      assert.deepEqual(store.jobIds('e', 'IN_QUEUE', { queuedBy: now + 1 }), ['a', 'b']);
      assert.deepEqual(store.jobIds('e', 'IN_QUEUE', { limit: 1 }), ['a']);
    });

    it('counts jobs', () => {
      add(job('a', { retries: 2 }));
      add(job('b', { status: 'FAILED', retries: 1 }));
      const counts = store.countJobs('e');
      assert.deepEqual([counts.IN_QUEUE, counts.FAILED, counts.COMPLETED, counts.retries], [1, 1, 0, 3]);
    });

    it('counts the same as jobs change, leave and fail to be written', () => {
      const tell = () => {
        const { IN_QUEUE, IN_PROGRESS, FAILED, retries } = store.countJobs('e');
        return [IN_QUEUE, IN_PROGRESS, FAILED, retries];
      };
      add(job('a'));
      add(job('elsewhere', { endpointId: 'other' }));
      const taken = changed(job('a'), { kind: 'taken', workerId: 'w' });
      changed(taken, { kind: 'progress', output: 1 });
      assert.deepEqual(tell(), [0, 1, 0, 0]);
      const again = changed(changed(taken, { kind: 'failed', error: 'e' }), { kind: 'retried' });
      assert.deepEqual(tell(), [1, 0, 0, 1]);
      assert.throws(() =>
        store.transaction(() => {
          changed(again, { kind: 'cancelled' });
          throw new Error('no');
        }),
      );
      assert.deepEqual(tell(), [1, 0, 0, 1]);
      store.deleteJob('a');
      assert.deepEqual(tell(), [0, 0, 0, 0]);
    });

    it('counts nothing of an endpoint that is deleted together with changes of its jobs', () => {
      store.insertEndpoint(endpoint('e'));
      add(job('a'));
      store.transaction(() => {
        changed(job('a'), { kind: 'cancelled' });
        add(job('b'));
        store.deleteEndpoint('e');
      });
      const { IN_QUEUE, CANCELLED } = store.countJobs('e');
      assert.deepEqual([IN_QUEUE, CANCELLED], [0, 0]);
    });

    it('finds what has expired, the oldest first', () => {
      add(job('old', { expiresAt: now }));
      add(job('older', { expiresAt: now - 1 }));
      add(job('young', { expiresAt: now + 1 }));
      assert.deepEqual(store.expiredJobs(now, 9), [
        { id: 'older', endpointId: 'e' },
        { id: 'old', endpointId: 'e' },
      ]);
      assert.equal(store.expiredJobs(now, 1).length, 1);
      assert.equal(store.nextExpiry(), now - 1);
    });

    it('forgets a job with its chunks', () => {
      add(job('j'));
      store.appendChunk('j', 1);
      store.deleteJob('j');
      assert.equal(store.getJob('e', 'j'), undefined);
      assert.deepEqual(store.takeChunks('j'), []);
    });

    it('hands out no more chunks than fit, but one', () => {
      for (const chunk of ['aaaa', 'bb', 'c']) store.appendChunk('j', chunk);
      assert.deepEqual(store.takeChunks('j', 3), ['aaaa']);
      assert.deepEqual(store.takeChunks('j', 7), ['bb', 'c']);
    });

    it('keeps webhooks until they are delivered, those due first in front', () => {
      const add = (url: string, dueAt: number) => store.insertWebhook({ jobId: 'j', url, body: `"${url}"`, dueAt });
      add('http://x:1/b', now + 1);
      add('http://me:secret@x:1/a?b=c', now);
      add('https://y/', now + 2);
      const next = (ids: number[] = [], ...receivers: string[]) => store.nextWebhook({ ids, receivers });
      const first = store.nextWebhook();
      assert.ok(first);
      const { id, ...rest } = first;
      const url = 'http://me:secret@x:1/a?b=c';
      assert.deepEqual(rest, { jobId: 'j', receiver: 'http://x:1', url, attempts: 0, dueAt: now });
      assert.equal(store.getWebhookBody(id), `"${url}"`);
      assert.equal(next([id])?.url, 'http://x:1/b');
      assert.equal(next([], 'http://x:1', 'http://z')?.url, 'https://y/');
      assert.equal(next([id], 'http://x:1', 'https://y'), undefined);

      store.postponeWebhook(id, now + 10);
      assert.equal(next()?.url, 'http://x:1/b');
      const postponed = next([], 'https://y');
      assert.ok(postponed);
      store.deleteWebhook(postponed.id);
      assert.throws(() => store.getWebhookBody(postponed.id), /no webhook/);
      const { attempts, dueAt } = next([], 'https://y') ?? {};
      assert.deepEqual([attempts, dueAt], [1, now + 10]);
      store.limitWebhooksDueAt(now + 5);
      assert.equal(next([], 'https://y')?.dueAt, now + 5);
      assert.equal(next()?.dueAt, now + 2);
    });

    it('gives the id of a webhook to no other', () => {
      const add = () => {
        store.insertWebhook({ jobId: 'j', url: 'http://x/', body: '{}', dueAt: now });
        return store.nextWebhook()?.id ?? assert.fail('it is not there');
      };
      const first = add();
      store.deleteWebhook(first);
      assert.notEqual(add(), first);
    });

    it('hands out chunks once, in order', () => {
      store.appendChunk('j', 'a');
      store.appendChunk('j', { b: 1 });
      assert.deepEqual(store.takeChunks('j'), ['a', { b: 1 }]);
      assert.deepEqual(store.takeChunks('j'), []);
    });

    it('keeps a worker that is inserted again as it is', () => {
      store.insertWorker({ id: 'again', endpointId: 'e', createdAt: now });
      store.insertWorker({ id: 'again', endpointId: 'e', createdAt: now + 1 });
      assert.equal(store.getWorker('e', 'again')?.createdAt, now);
    });

    it('forgets an endpoint with its jobs, but not what it cost', () => {
      store.insertEndpoint(endpoint('e'));
      add(job('j'));
      store.insertWorker({ id: 'w', endpointId: 'e', createdAt: now });
      store.insertRun({ ...run('r', now), ...cost });
      const ts = '2026-03-01T00:00:00.000000000Z';
      store.logs.append('w', [{ source: 'system', firstTs: ts, lastTs: ts, lines: ['line'] }]);
      store.deleteEndpoint('e');
      assert.deepEqual(store.listEndpoints(), []);
      assert.equal(store.getJob('e', 'j'), undefined);
      store.deleteStrayWorkers();
      assert.equal(store.getWorker('e', 'w'), undefined);
      assert.equal(store.logs.size('w').lines, 0);
      const query = { grain: 'hour', from: now, to: now + 3_600_000, of: 'account', kinds: ['serverlessCpu'] } as const;
      assert.deepEqual(
        [...store.usageSums(query, now + 1000)].map(({ nanoUsd }) => nanoUsd),
        [20_000n],
      );
    });

    const run = (id: string, startedAt: number): RunRecord => ({
      ...{ id, endpointId: 'e', workerId: 'w', pid: 1, processStart: 'then', startedAt, lastSeenAt: startedAt },
    });
    const cost = { resource: 'cpu', nanoUsdPerSecond: 20_000, diskGb: 5 } as const;

    it('notes when runs were last seen, until they end', () => {
      store.insertRun({ ...run('a', now), ...cost });
      store.insertRun({ ...run('b', now), ...cost });
      store.endRun('a', now + 1);
      store.touchRuns(now + 5);
      assert.deepEqual(store.openRuns(), [{ ...run('b', now), lastSeenAt: now + 5 }]);
    });

    it('knows a run before its process is there, and charges nothing for one that never came up', () => {
      const { pid, processStart, ...announced } = run('a', now);
      store.announceRun(announced);
      assert.deepEqual(store.openRuns(), [{ ...announced, pid: 0, processStart: undefined }]);
      store.insertRun({ ...announced, pid, processStart, ...cost });
      assert.deepEqual(store.openRuns(), [run('a', now)]);
      store.endRun('a', now + 1000);
      store.announceRun(run('b', now));
      store.endRun('b', now + 1000);
      assert.deepEqual(store.openRuns(), []);
      const query = { grain: 'hour', from: now, to: now + 3_600_000, of: 'account', kinds: ['serverlessCpu'] } as const;
      assert.deepEqual(
        [...store.usageSums(query, now + 1000)].map(({ nanoUsd }) => nanoUsd),
        [20_000n],
      );
    });

    describe('resources', () => {
      const template = (id: string) => templateWith({ id, name: 'größe', image: 'i', env: { A: '1' } });

      it('are kept in the order they were inserted, each kind by itself', () => {
        for (const id of ['b', 'a']) store.resourcesOf('owner').templates.insert(template(id));
        store.resourcesOf('owner').globalVolumes.insert({ id: 'b', name: 'volume', createdAt: now });
        assert.deepEqual(store.resourcesOf('owner').templates.list(), [template('b'), template('a')]);
        assert.deepEqual(store.resourcesOf('owner').globalVolumes.list(), [
          { id: 'b', name: 'volume', createdAt: now },
        ]);
        assert.deepEqual(
          [store.resourcesOf('owner').registries.list(), store.resourcesOf('owner').networkVolumes.list()],
          [[], []],
        );
      });

      it('are found by their id, until they are deleted', () => {
        store.resourcesOf('owner').templates.insert(template('a'));
        assert.deepEqual(store.resourcesOf('owner').templates.get('a'), template('a'));
        assert.equal(store.resourcesOf('owner').registries.get('a'), undefined);
        assert.deepEqual(
          [store.resourcesOf('owner').templates.delete('a'), store.resourcesOf('owner').templates.delete('a')],
          [true, false],
        );
        assert.equal(store.resourcesOf('owner').templates.get('a'), undefined);
      });

      it('stay where they are in the order when they change', () => {
        for (const id of ['b', 'a']) store.resourcesOf('owner').templates.insert(template(id));
        store.resourcesOf('owner').templates.update({ ...template('b'), disk: 1 });
        store.resourcesOf('owner').templates.update(template('nobody'));
        assert.deepEqual(store.resourcesOf('owner').templates.list(), [{ ...template('b'), disk: 1 }, template('a')]);
      });

      it('have their id once', () => {
        store.resourcesOf('owner').templates.insert(template('a'));
        assert.throws(() => store.resourcesOf('owner').templates.insert(template('a')));
      });
    });

    it('undoes a transaction that fails, as a whole', () => {
      assert.throws(() =>
        store.transaction(() => {
          add(job('j'));
          store.transaction(() => store.appendChunk('j', 1));
          throw new Error('no');
        }),
      );
      assert.equal(store.getJob('e', 'j'), undefined);
      assert.deepEqual(store.takeChunks('j'), []);
    });
  });
}
