import assert from 'node:assert/strict';
import { createEndpoint, type EndpointRecord } from '../../../src/platform/domain/endpoint.ts';
import { createJob, transition, type JobEvent, type JobRecord } from '../../../src/platform/domain/job.ts';
import { templateWith } from '../../../src/platform/domain/template.ts';
import type { RunRecord } from '../../../src/platform/store/runStore.ts';
import type { Store, Transaction } from '../../../src/platform/store/store.ts';

const now = Date.parse('2026-03-01T00:00:00Z');

/** Conformance tests of a store. */
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

    const add = (record: JobRecord): void => store.jobs.insert(record, { input: { id: record.id } });

    const changed = (before: JobRecord, event: JobEvent): JobRecord => {
      const after = transition(before, event, now + 10);
      assert.ok(after);
      store.jobs.update(before, after);
      return after;
    };

    it('runs effects in order, after the commit of the outermost transaction', () => {
      const ran: string[] = [];
      store.transaction((outer) => {
        outer.afterCommit(() => ran.push(`first, with ${store.endpoints.list().length} endpoint`));
        outer.afterRollback(() => ran.push('rolled back'));
        store.transaction((inner) => {
          inner.afterCommit(() => ran.push('second'));
          store.endpoints.insert(endpoint('e'));
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
          store.endpoints.insert(endpoint('e'));
          throw new Error('later in the transaction');
        }),
      );
      assert.deepEqual(ran, ['rolled back']);
      assert.deepEqual(store.endpoints.list(), []);
    });

    it('rejects effects of a transaction that has ended', () => {
      let over: Transaction | undefined;
      store.transaction((transaction) => (over = transaction));
      assert.throws(() => over?.afterCommit(() => undefined), /ended/);
    });

    it('lists endpoints in order of creation', () => {
      for (const id of ['b', 'a']) store.endpoints.insert(endpoint(id));
      const plain = JSON.parse(JSON.stringify([endpoint('b'), endpoint('a')])) as unknown;
      assert.deepEqual(store.endpoints.list(), plain);
    });

    it('stores changes of an endpoint, and its releases, newest first', () => {
      const release = (id: string, version: number) => ({
        ...{ id, endpointId: 'e', version, createdAt: now + version },
        diff: [{ field: 'workers.max', old: 1, new: null }],
      });
      store.endpoints.insert(endpoint('e'));
      store.endpoints.insertRelease(release('first', 1));
      store.endpoints.insertRelease(release('second', 2));
      store.endpoints.insertRelease({ ...release('other', 1), endpointId: 'other' });
      store.endpoints.update({ ...endpoint('e'), name: 'changed', version: 2 });
      assert.deepEqual(
        store.endpoints.list().map(({ name, version }) => [name, version]),
        [['changed', 2]],
      );
      assert.deepEqual(store.endpoints.releases('e'), [release('second', 2), release('first', 1)]);
      store.endpoints.delete('e');
      assert.deepEqual(store.endpoints.releases('e'), []);
    });

    it('stores a job in each of its states', () => {
      add(job('j'));
      const running = changed(job('j'), { kind: 'taken', workerId: 'w' });
      const done = changed(running, { kind: 'finished', output: { text: 'ok', none: null }, error: ['not', 'a text'] });
      assert.deepEqual(store.jobs.get('e', 'j'), done);
      assert.equal(store.jobs.get('other', 'j'), undefined);
    });

    it('stores the release of the worker with a job', () => {
      add(job('j'));
      const running = changed(job('j'), { kind: 'taken', workerId: 'w', release: 3 });
      assert.equal(store.jobs.get('e', 'j')?.release, 3);
      changed(running, { kind: 'returned' });
      assert.equal(store.jobs.get('e', 'j')?.release, undefined);
    });

    it('returns the jobs that ended in a period, those that took longest first', () => {
      const ended = (id: string, ms: number, changes: Partial<JobRecord> = {}): void =>
        add(job(id, { status: 'COMPLETED', startedAt: now, finishedAt: now + ms, ...changes }));
      ended('short', 10);
      ended('long', 90);
      ended('waited', 50, { createdAt: now - 100 });
      ended('elsewhere', 50, { endpointId: 'other' });
      add(job('waiting'));
      const ids = (from: number, to: number, limit = 10): string[] =>
        store.jobs.ended('e', { from: now + from, to: now + to }, limit).map(({ id }) => id);
      assert.deepEqual(ids(0, 100), ['waited', 'long', 'short']);
      assert.deepEqual(ids(0, 100, 1), ['waited']);
      assert.deepEqual(ids(10, 90), ['waited', 'short']);
    });

    it('returns the number of waiting jobs of each endpoint with any', () => {
      add(job('a'));
      add(job('b'));
      add(job('c', { endpointId: 'other' }));
      const taken = changed(job('c', { endpointId: 'other' }), { kind: 'taken', workerId: 'w' });
      assert.equal(taken.status, 'IN_PROGRESS');
      assert.deepEqual([...store.jobs.waiting()], [['e', 2]]);
    });

    it('distinguishes a null output from no output', () => {
      const running = job('j', { status: 'IN_PROGRESS', startedAt: now, workerId: 'w' });
      add(running);
      changed(running, { kind: 'finished', output: null });
      assert.equal(store.jobs.get('e', 'j')?.output, null);
    });

    it('returns the jobs that have waited longest', () => {
      add(job('late', { queuedAt: now + 2 }));
      add(job('early', { queuedAt: now + 1 }));
      add(job('same', { queuedAt: now + 1 }));
      add(job('elsewhere', { endpointId: 'other', queuedAt: now }));
      const queued = (limit: number) => store.jobs.queued('e', limit).map(({ id }) => id);
      assert.deepEqual(queued(2), ['early', 'same']);
      changed(job('early'), { kind: 'taken', workerId: 'w' });
      assert.deepEqual(queued(10), ['same', 'late']);
      assert.deepEqual(store.jobs.queuedSince('e', 10), [now + 1, now + 2]);
      assert.deepEqual(store.jobs.queuedSince('e', 1), [now + 1]);
    });

    it('returns the queued jobs with their requests', () => {
      const requests = { late: { input: { n: 2 }, webhook: 'http://127.0.0.1/' }, early: { input: { n: 1 } } };
      const [late, early] = [job('late', { queuedAt: now + 2 }), job('early', { queuedAt: now + 1 })];
      store.jobs.insert(late, requests.late);
      store.jobs.insert(early, requests.early);
      assert.deepEqual(store.jobs.queuedWithRequests('e', 1), [
        { job: store.jobs.get('e', 'early'), request: requests.early },
      ]);
      assert.deepEqual(store.jobs.queuedWithRequests('e', 2)[1]?.request, requests.late);
      changed(early, { kind: 'taken', workerId: 'w' });
      assert.deepEqual(
        store.jobs.queuedWithRequests('e', 2).map(({ job: { id } }) => id),
        ['late'],
      );
    });

    it('knows which jobs exist, which worker has one, and which trace it continues', () => {
      const traceParent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const queued = job('j', { traceParent });
      store.jobs.insert(queued, { input: {} });
      assert.deepEqual([store.jobs.has('j'), store.jobs.has('other')], [true, false]);
      assert.equal(store.jobs.runBy('j'), undefined);
      assert.equal(store.jobs.runBy('other'), undefined);
      changed(queued, { kind: 'taken', workerId: 'w' });
      assert.deepEqual(store.jobs.runBy('j'), { workerId: 'w', endpointId: 'e' });
      assert.deepEqual(store.jobs.traced('j'), { id: 'j', endpointId: 'e', traceParent });
      assert.equal(store.jobs.traced('other'), undefined);
    });

    it('omits jobs of low priority from the times for scaling', () => {
      add(job('low', { lowPriority: true }));
      assert.deepEqual(store.jobs.queuedSince('e', 10), []);
      assert.deepEqual(
        store.jobs.queued('e', 1).map(({ id }) => id),
        ['low'],
      );
    });

    it('stores the request of a job as it was sent', () => {
      const request = {
        input: { a: [1, null] },
        webhook: 'http://127.0.0.1/',
        s3Config: { accessSecret: 's' },
        more: 1,
      };
      store.jobs.insert(job('j'), request);
      assert.deepEqual(store.jobs.request('j'), request);
      store.jobs.delete('j');
      assert.throws(() => store.jobs.request('j'), /job j has no request/);
    });

    it('finds a job by the key of its submission until the job is deleted', () => {
      const submission = { key: 'row-1', digest: 'd'.repeat(64) };
      store.jobs.insert(job('j'), { input: {} }, submission);
      add(job('without'));
      assert.deepEqual(store.jobs.withKey('e', 'row-1'), { id: 'j', digest: submission.digest });
      assert.equal(store.jobs.withKey('e', 'row-2'), undefined);
      assert.equal(store.jobs.withKey('other', 'row-1'), undefined);
      store.jobs.delete('j');
      assert.equal(store.jobs.withKey('e', 'row-1'), undefined);
    });

    it('rejects a second job of an endpoint with the same key', () => {
      const submission = { key: 'row-1', digest: 'd'.repeat(64) };
      store.jobs.insert(job('j'), { input: {} }, submission);
      assert.throws(() => store.jobs.insert(job('k'), { input: {} }, submission));
      assert.equal(store.jobs.get('e', 'k'), undefined);
      store.jobs.insert(job('l', { endpointId: 'other' }), { input: {} }, submission);
    });

    it('lists IDs by status and time', () => {
      add(job('b', { queuedAt: now + 1 }));
      add(job('a', { queuedAt: now }));
      add(job('c', { queuedAt: now + 2 }));
      add(job('done', { status: 'COMPLETED' }));
      assert.deepEqual(store.jobs.ids('e', 'IN_QUEUE', {}), ['a', 'b', 'c']);
      assert.deepEqual(store.jobs.ids('e', 'IN_QUEUE', { queuedBy: now + 1 }), ['a', 'b']);
      assert.deepEqual(store.jobs.ids('e', 'IN_QUEUE', { limit: 1 }), ['a']);
    });

    it('counts jobs', () => {
      add(job('a', { retries: 2 }));
      add(job('b', { status: 'FAILED', retries: 1 }));
      const counts = store.jobs.count('e');
      assert.deepEqual([counts.IN_QUEUE, counts.FAILED, counts.COMPLETED, counts.retries], [1, 1, 0, 3]);
    });

    it('keeps the counts correct when jobs change, are deleted, or fail to be written', () => {
      const counts = () => {
        const { IN_QUEUE, IN_PROGRESS, FAILED, retries } = store.jobs.count('e');
        return [IN_QUEUE, IN_PROGRESS, FAILED, retries];
      };
      add(job('a'));
      add(job('elsewhere', { endpointId: 'other' }));
      const taken = changed(job('a'), { kind: 'taken', workerId: 'w' });
      changed(taken, { kind: 'progress', output: 1 });
      assert.deepEqual(counts(), [0, 1, 0, 0]);
      const again = changed(changed(taken, { kind: 'failed', error: 'e' }), { kind: 'retried' });
      assert.deepEqual(counts(), [1, 0, 0, 1]);
      assert.throws(() =>
        store.transaction(() => {
          changed(again, { kind: 'canceled' });
          throw new Error('no');
        }),
      );
      assert.deepEqual(counts(), [1, 0, 0, 1]);
      store.transaction(() => {
        store.jobs.delete('a');
        add(job('b'));
      });
      assert.deepEqual(counts(), [1, 0, 0, 0]);
      store.transaction(() => {
        store.jobs.delete('b');
        add(job('c', { retries: 1 }));
      });
      assert.deepEqual(counts(), [1, 0, 0, 1]);
      store.jobs.delete('c');
      assert.deepEqual(counts(), [0, 0, 0, 0]);
    });

    it('counts no jobs of an endpoint that is deleted in the transaction that changes them', () => {
      store.endpoints.insert(endpoint('e'));
      add(job('a'));
      store.transaction(() => {
        changed(job('a'), { kind: 'canceled' });
        add(job('b'));
        store.endpoints.delete('e');
      });
      const { IN_QUEUE, CANCELLED } = store.jobs.count('e');
      assert.deepEqual([IN_QUEUE, CANCELLED], [0, 0]);
    });

    it('does not find the jobs of a deleted endpoint, and removes them in parts', () => {
      const count = 250;
      const key = { key: 'k', digest: 'd' };
      for (const id of ['e', 'kept']) store.endpoints.insert(endpoint(id));
      for (let n = 0; n < count; n++) {
        const done = job(`done-${n}`, { status: 'COMPLETED', expiresAt: now });
        store.jobs.insert(done, { input: { n } }, n === 0 ? key : undefined);
        store.jobs.appendChunk(done.id, n);
      }
      add(job('waiting'));
      add(job('running', { status: 'IN_PROGRESS' }));
      add(job('other', { endpointId: 'kept' }));
      assert.deepEqual(store.jobs.unfinishedRemoved('e'), []);
      assert.equal(store.jobs.deleteRemoved('e'), false);
      store.endpoints.delete('e');
      assert.deepEqual(store.endpoints.removed(), ['e']);
      assert.equal(store.endpoints.accountOf('e'), 'owner');
      assert.deepEqual([store.jobs.get('e', 'waiting'), store.jobs.withKey('e', 'k')], [undefined, undefined]);
      assert.deepEqual([store.jobs.has('done-0'), store.jobs.has('other')], [false, true]);
      assert.equal(store.jobs.getRemoved('waiting')?.status, 'IN_QUEUE');
      assert.equal(store.jobs.getRemoved('other'), undefined);
      assert.deepEqual(
        store.jobs
          .unfinishedRemoved('e')
          .map(({ id }) => id)
          .sort(),
        ['running', 'waiting'],
      );

      let parts = 0;
      while (store.jobs.deleteRemoved('e')) parts++;
      assert.ok(parts > 2, `${parts} parts`);
      assert.deepEqual([store.jobs.getRemoved('waiting'), store.jobs.expired(now, 9)], [undefined, []]);
      assert.deepEqual(store.jobs.chunks('done-0', Infinity).chunks, []);
      assert.deepEqual([store.jobs.has('other'), store.jobs.count('kept').IN_QUEUE], [true, 1]);
      store.endpoints.forget('e');
      assert.deepEqual([store.endpoints.removed(), store.endpoints.accountOf('e')], [[], undefined]);
    });

    it('records purges until they end, or until their endpoint is deleted', () => {
      store.endpoints.insert(endpoint('deleted'));
      for (const id of ['e', 'ended', 'deleted']) store.jobs.beginPurge(id, now);
      store.jobs.beginPurge('e', now + 1);
      store.jobs.endPurge('ended');
      store.endpoints.delete('deleted');
      assert.deepEqual(store.jobs.purging(), [{ endpointId: 'e', queuedBy: now + 1 }]);
    });

    it('finds expired jobs, oldest first', () => {
      add(job('old', { expiresAt: now }));
      add(job('older', { expiresAt: now - 1 }));
      add(job('young', { expiresAt: now + 1 }));
      assert.deepEqual(store.jobs.expired(now, 9), [
        { id: 'older', endpointId: 'e' },
        { id: 'old', endpointId: 'e' },
      ]);
      assert.equal(store.jobs.expired(now, 1).length, 1);
      assert.equal(store.jobs.nextExpiry(), now - 1);
    });

    it('deletes a job with its chunks', () => {
      add(job('j'));
      store.jobs.appendChunk('j', 1);
      store.jobs.delete('j');
      assert.equal(store.jobs.get('e', 'j'), undefined);
      assert.deepEqual(store.jobs.chunks('j', Infinity).chunks, []);
    });

    it('returns as many chunks as fit, but at least one', () => {
      for (const chunk of ['aaaa', 'bb', 'c']) store.jobs.appendChunk('j', chunk);
      const { chunks, last } = store.jobs.chunks('j', 3);
      assert.deepEqual(chunks, ['aaaa']);
      store.jobs.deleteChunks('j', last);
      assert.deepEqual(store.jobs.chunks('j', 7).chunks, ['bb', 'c']);
    });

    it('stores webhooks until they are delivered, ordered by due time', () => {
      const add = (url: string, dueAt: number) =>
        store.webhooks.insert({ jobId: 'j', accountId: 'owner', url, body: `"${url}"`, dueAt });
      add('http://x:1/b', now + 1);
      add('http://me:secret@x:1/a?b=c', now);
      add('https://y/', now + 2);
      const next = (ids: number[] = [], ...receivers: string[]) => store.webhooks.next({ ids, receivers });
      const first = store.webhooks.next();
      assert.ok(first);
      const { id, ...rest } = first;
      const url = 'http://me:secret@x:1/a?b=c';
      assert.deepEqual(rest, { jobId: 'j', accountId: 'owner', receiver: 'http://x:1', url, attempts: 0, dueAt: now });
      assert.equal(store.webhooks.body(id), `"${url}"`);
      assert.equal(next([id])?.url, 'http://x:1/b');
      assert.equal(next([], 'http://x:1', 'http://z')?.url, 'https://y/');
      assert.equal(next([id], 'http://x:1', 'https://y'), undefined);

      store.webhooks.postpone(id, now + 10);
      assert.equal(next()?.url, 'http://x:1/b');
      const postponed = next([], 'https://y');
      assert.ok(postponed);
      store.webhooks.delete(postponed.id);
      assert.throws(() => store.webhooks.body(postponed.id), /does not exist/);
      const { attempts, dueAt } = next([], 'https://y') ?? {};
      assert.deepEqual([attempts, dueAt], [1, now + 10]);
      store.webhooks.limitDueAt(now + 5);
      assert.equal(next([], 'https://y')?.dueAt, now + 5);
      assert.equal(next()?.dueAt, now + 2);
    });

    it('never reuses the ID of a webhook', () => {
      const add = () => {
        store.webhooks.insert({ jobId: 'j', accountId: 'owner', url: 'http://x/', body: '{}', dueAt: now });
        return store.webhooks.next()?.id ?? assert.fail('the webhook is missing');
      };
      const first = add();
      store.webhooks.delete(first);
      assert.notEqual(add(), first);
    });

    it('returns chunks in order until they are deleted', () => {
      store.jobs.appendChunk('j', 'a');
      store.jobs.appendChunk('j', { b: 1 });
      const { chunks, last } = store.jobs.chunks('j', Infinity);
      assert.deepEqual(chunks, ['a', { b: 1 }]);
      store.jobs.appendChunk('j', 'later');
      store.jobs.deleteChunks('j', last);
      assert.deepEqual(store.jobs.chunks('j', Infinity).chunks, ['later']);
      store.jobs.deleteChunks('j');
      assert.deepEqual(store.jobs.chunks('j', Infinity).chunks, []);
    });

    it('ignores a second worker with the same ID', () => {
      store.runs.insertWorker({ id: 'again', endpointId: 'e', createdAt: now });
      store.runs.insertWorker({ id: 'again', endpointId: 'e', createdAt: now + 1 });
      assert.equal(store.runs.getWorker('e', 'again')?.createdAt, now);
    });

    it('deletes an endpoint with its jobs, but keeps its usage', () => {
      store.endpoints.insert(endpoint('e'));
      add(job('j'));
      store.runs.insertWorker({ id: 'w', endpointId: 'e', createdAt: now });
      store.runs.insert({ ...run('r', now), ...cost });
      const ts = '2026-03-01T00:00:00.000000000Z';
      const blocks = [{ source: 'system', firstTs: ts, lastTs: ts, lines: ['line'] }] as const;
      store.logs.append([{ workerId: 'w', endpointId: 'e', blocks }]);
      store.endpoints.delete('e');
      assert.deepEqual(store.endpoints.list(), []);
      assert.equal(store.jobs.get('e', 'j'), undefined);
      assert.equal(store.runs.removeWorkers('other'), false);
      while (store.runs.removeWorkers('e'));
      assert.equal(store.runs.getWorker('e', 'w'), undefined);
      assert.equal(store.logs.size('w').lines, 0);
      const query = { grain: 'hour', from: now, to: now + 3_600_000, of: 'account', kinds: ['serverlessCpu'] } as const;
      assert.deepEqual(
        [...store.usage.sums(query, now + 1000)].map(({ nanoUsd }) => nanoUsd),
        [20_000n],
      );
    });

    const run = (id: string, startedAt: number): RunRecord => ({
      ...{ id, endpointId: 'e', workerId: 'w', handle: { anything: [1, null] }, startedAt, lastSeenAt: startedAt },
    });
    const cost = { resource: 'cpu', nanoUsdPerSecond: 20_000, diskGb: 5 } as const;

    it('updates the last-seen time of runs until they end', () => {
      store.runs.insert({ ...run('a', now), ...cost });
      store.runs.insert({ ...run('b', now), ...cost });
      store.runs.end('a', now + 1);
      store.runs.touch(now + 5);
      assert.deepEqual(store.runs.listOpen(), [{ ...run('b', now), lastSeenAt: now + 5 }]);
    });

    it('stores an announced run, and charges nothing if its process never started', () => {
      const announced = { ...run('a', now), handle: 'of a run that is about to start' };
      store.runs.announce(announced);
      assert.deepEqual(store.runs.listOpen(), [announced]);
      store.runs.insert({ ...run('a', now), ...cost });
      assert.deepEqual(store.runs.listOpen(), [run('a', now)]);
      store.runs.end('a', now + 1000);
      store.runs.announce(run('b', now));
      store.runs.end('b', now + 1000);
      assert.deepEqual(store.runs.listOpen(), []);
      const query = { grain: 'hour', from: now, to: now + 3_600_000, of: 'account', kinds: ['serverlessCpu'] } as const;
      assert.deepEqual(
        [...store.usage.sums(query, now + 1000)].map(({ nanoUsd }) => nanoUsd),
        [20_000n],
      );
    });

    it('keeps the claim of a run that outlives the platform, until the run is disowned', () => {
      const claim = { version: 2, token: 'secret', gpus: ['GPU-1'], frozen: false };
      const claims = () => store.runs.listOpen().map((open) => open.claim);
      store.runs.insert({ ...run('a', now), claim, ...cost });
      assert.deepEqual(claims(), [claim]);
      store.runs.setClaim('a', { peer: '10.0.0.2' });
      store.runs.setClaim('a', { frozen: true });
      assert.deepEqual(claims(), [{ ...claim, peer: '10.0.0.2', frozen: true }]);
      store.runs.disown('a');
      store.runs.setClaim('a', { frozen: false });
      assert.deepEqual(claims(), [undefined]);
    });

    it('keeps the port of each address', () => {
      assert.equal(store.gatePorts.get('10.0.0.1'), undefined);
      store.gatePorts.set('10.0.0.1', 40_001);
      store.gatePorts.set('10.0.0.2', 40_002);
      store.gatePorts.set('10.0.0.1', 40_003);
      assert.deepEqual([store.gatePorts.get('10.0.0.1'), store.gatePorts.get('10.0.0.2')], [40_003, 40_002]);
    });

    it('knows since which version a release has its image', () => {
      for (const version of [1, 3]) store.endpoints.beginImage('e', version);
      assert.deepEqual(
        [1, 2, 3, 4].map((version) => store.endpoints.imageVersion('e', version)),
        [1, 1, 3, 3],
      );
      assert.equal(store.endpoints.imageVersion('other', 1), undefined);
    });

    describe('resources', () => {
      const template = (id: string) => templateWith({ id, name: 'größe', image: 'i', env: { A: '1' } });

      it('are listed in order of insertion, each kind separately', () => {
        for (const id of ['b', 'a']) store.resources.of('owner').templates.insert(template(id));
        store.resources.of('owner').globalVolumes.insert({ id: 'b', name: 'volume', createdAt: now });
        assert.deepEqual(store.resources.of('owner').templates.list(), [template('b'), template('a')]);
        assert.deepEqual(store.resources.of('owner').globalVolumes.list(), [
          { id: 'b', name: 'volume', createdAt: now },
        ]);
        assert.deepEqual(
          [store.resources.of('owner').registries.list(), store.resources.of('owner').networkVolumes.list()],
          [[], []],
        );
      });

      it('are found by ID until they are deleted', () => {
        store.resources.of('owner').templates.insert(template('a'));
        assert.deepEqual(store.resources.of('owner').templates.get('a'), template('a'));
        assert.equal(store.resources.of('owner').registries.get('a'), undefined);
        assert.deepEqual(
          [store.resources.of('owner').templates.delete('a'), store.resources.of('owner').templates.delete('a')],
          [true, false],
        );
        assert.equal(store.resources.of('owner').templates.get('a'), undefined);
      });

      it('keep their position when they change', () => {
        for (const id of ['b', 'a']) store.resources.of('owner').templates.insert(template(id));
        store.resources.of('owner').templates.update({ ...template('b'), disk: 1 });
        store.resources.of('owner').templates.update(template('nobody'));
        assert.deepEqual(store.resources.of('owner').templates.list(), [{ ...template('b'), disk: 1 }, template('a')]);
      });

      it('have unique IDs', () => {
        store.resources.of('owner').templates.insert(template('a'));
        assert.throws(() => store.resources.of('owner').templates.insert(template('a')));
      });
    });

    it('rolls back a failed transaction as a whole', () => {
      assert.throws(() =>
        store.transaction(() => {
          add(job('j'));
          store.transaction(() => store.jobs.appendChunk('j', 1));
          throw new Error('no');
        }),
      );
      assert.equal(store.jobs.get('e', 'j'), undefined);
      assert.deepEqual(store.jobs.chunks('j', Infinity).chunks, []);
    });
  });
}
