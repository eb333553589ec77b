import assert from 'node:assert/strict';
import type { ConnectedPlatform } from '../../../../src/account/connectedPoller.ts';
import { createClient, type Client } from '../../../../src/client/client.ts';
import {
  measuredOrObserved,
  measuredSource,
  type MetricsSource,
} from '../../../../src/features/endpoints/metrics/actions/metricsSource.ts';
import { ObservationState, observedSource } from '../../../../src/features/endpoints/metrics/actions/observedSource.ts';
import { MetricsStore } from '../../../../src/features/endpoints/metrics/metricsStore.ts';
import type { OwnJob } from '../../../../src/features/endpoints/metrics/model/observation.ts';
import { Emitter } from '../../../../src/kit/emitter.ts';
import type { MetricsSelection } from '../../../../src/webviews/metrics/messages.ts';
import { json, startScriptedServer, type Received, type Script } from '../../../client/scriptedServer.ts';
import { cleanUp, eventually } from '../../../platform/support.ts';
import { endpoint, health as healthOf, releases, workers as workersOf } from '../sample.ts';
import { steppedClock } from '../../steppedClock.ts';

/** Time of the platform, which is not that of the machine. */
const NOW = '2025-11-21T14:30:05.000Z';
const metrics = {
  step: 10,
  points: [{ at: '2025-11-21T14:30:00.000Z', arrivals: 3 }],
  total: { arrivals: 3 },
  markers: [],
};
const workers = workersOf('RUNNING');
const health = healthOf({ completed: 5, inProgress: 1, inQueue: 2 });
const job = { id: 'slow', status: 'COMPLETED', createdAt: NOW, finishedAt: NOW };

const answers = (path: string): unknown => {
  if (path.includes('/metrics?')) return metrics;
  if (path.includes('/ended-jobs?')) return { jobs: [job] };
  if (path.endsWith('/clock')) return { now: NOW, frozen: false, aheadMs: 0 };
  if (path.includes('/releases')) return releases;
  if (path.includes('/workers')) return workers;
  return path.endsWith('/health') ? health : { ...endpoint, id: 'ep1' };
};
const answerAll: Script = ({ path }, answer) => json(answer, 200, answers(path));
const problem = { title: 'Not Found', status: 404, detail: 'no such endpoint' };

interface Options {
  readonly selection?: MetricsSelection;
  readonly source?: (
    clock: ReturnType<typeof steppedClock>['clock'],
    platform: ConnectedPlatform,
  ) => Promise<MetricsSource> | MetricsSource;
}

/** Creates a store with a scripted server, in a window that has the focus. */
async function watch(script: Script, { selection, source = () => measuredSource('ep1') }: Options = {}) {
  const server = await startScriptedServer(script);
  const changed = new Emitter<void>();
  const connection = { client: server.client as Client | undefined, onDidChange: changed.event };
  const time = steppedClock();
  const store = new MetricsStore({
    ...{ connections: connection, clock: time.clock, endpointId: 'ep1', selection },
    source: (platform) => source(time.clock, platform),
    deployments: () => Promise.resolve(() => undefined),
  });
  store.setFocused(true);
  const requests = (part: string) => server.received.map(({ path }) => path).filter((path) => path.includes(part));
  return {
    ...{ store, time, requests, server },
    use: (client: Client | undefined) => {
      connection.client = client;
      changed.fire();
    },
    /** Resolves once a round is complete. */
    read: async () => {
      store.setVisible(true);
      await eventually('the store waits', () => !store.state.busy && time.sleeping === 1);
    },
    [Symbol.asyncDispose]: async () => {
      store.dispose();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Returns the query of a request. */
const queryOf = (path = '') => Object.fromEntries(new URL(path, 'http://localhost').searchParams);

describe('MetricsStore', () => {
  afterEach(cleanUp);

  it('reads an hour of the time of the platform, and again while the view is visible', async () => {
    await using watched = await watch(answerAll);
    const { store, read, requests, time } = watched;
    assert.equal(requests('').length, 0, 'a hidden view reads nothing');
    await read();
    assert.deepEqual(queryOf(requests('/metrics')[0]), {
      start: '2025-11-21T13:30:10.000Z',
      end: '2025-11-21T14:30:10.000Z',
      step: '10',
    });
    assert.equal(store.state.reading.value?.metrics.points[0]?.arrivals, 3);
    const { isQueue, releases: versions } = store.state.facts.value ?? {};
    assert.deepEqual({ isQueue, versions }, { isQueue: true, versions: [2, 1] });
    time.advance(5_000);
    await eventually('the next round', () => requests('/metrics').length === 2 && time.sleeping === 1);
    assert.equal(requests('/releases').length, 1, 'facts are read each minute');
    store.setVisible(false);
    time.advance(60_000);
    assert.equal(requests('/metrics').length, 2);
  });

  it('reads the period before with the same buckets, and only when it moves', async () => {
    const selection = { period: 'sixHours', duration: 'endToEnd', compare: 'before' } as const;
    await using watched = await watch(answerAll, { selection });
    const { read, requests, time } = watched;
    await read();
    const [current, before] = requests('/metrics').map(queryOf);
    assert.deepEqual([before?.['end'], before?.['step']], [current?.['start'], current?.['step']]);
    time.advance(15_000);
    await eventually('the next round', () => requests('/metrics').length === 3 && time.sleeping === 1);
    assert.equal(queryOf(requests('/metrics')[2])['end'], current?.['end']);
  });

  it('reads another release to compare with, and the selected one', async () => {
    const selection = { period: 'week', duration: 'endToEnd', compare: 1, release: 2 } as const;
    await using watched = await watch(answerAll, { selection });
    await watched.read();
    assert.deepEqual(
      watched.requests('/metrics').map((path) => queryOf(path)['release']),
      ['2', '1'],
    );
  });

  it('never shows the numbers of the previous period', async () => {
    await using watched = await watch(answerAll);
    const { store, read, requests } = watched;
    await read();
    store.select({ period: 'year' });
    assert.equal(store.state.reading.value, undefined);
    await eventually('the year is read', () => store.state.reading.value?.window.step === 3_600_000);
    assert.equal(queryOf(requests('/metrics').at(-1))['step'], '3600');
  });

  it('shows another duration without a request', async () => {
    await using watched = await watch(answerAll);
    await watched.read();
    const before = watched.requests('').length;
    watched.store.select({ duration: 'execution' });
    assert.ok(watched.store.state.reading.value);
    assert.equal(watched.requests('').length, before);
  });

  it('lists the jobs of a bucket, and closes the list', async () => {
    await using watched = await watch(answerAll);
    const { store, read, requests } = watched;
    await read();
    const start = Date.parse('2025-11-21T14:00:00.000Z');
    await store.listJobs({ start, end: start + 10_000 });
    assert.deepEqual(queryOf(requests('/ended-jobs')[0]), {
      start: '2025-11-21T14:00:00.000Z',
      end: '2025-11-21T14:00:10.000Z',
    });
    assert.equal(store.state.jobs?.value?.[0]?.id, 'slow');
    store.closeJobs();
    assert.equal(store.state.jobs, undefined);
  });

  it('keeps the numbers when a later request fails, and reports the failure', async () => {
    let fails = false;
    await using watched = await watch(({ path }, answer) => {
      if (fails && path.includes('/metrics')) json(answer, 404, problem, 'application/problem+json');
      else json(answer, 200, answers(path));
    });
    const { store, read, time } = watched;
    await read();
    fails = true;
    time.advance(5_000);
    await eventually('the failure', () => store.state.reading.error !== undefined);
    assert.equal(store.state.reading.error?.kind, 'notFound');
    assert.ok(store.state.reading.value);
  });

  it('discards the numbers of a connection that is not the current one any more', async () => {
    await using watched = await watch(answerAll);
    await watched.read();
    watched.use(undefined);
    assert.equal(watched.store.state.reading.value, undefined);
    watched.use(createClient({ connection: watched.server.connection, fetch: globalThis.fetch }));
    await eventually('the numbers are read again', () => watched.store.state.reading.value !== undefined);
  });
});

describe('MetricsStore on a platform that does not measure', () => {
  afterEach(cleanUp);

  const memory = () => {
    const values = new Map<string, unknown>();
    return {
      keys: () => [...values.keys()],
      get: (key: string) => values.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void values.set(key, value)),
    };
  };

  /** Responds as a hosted platform, which has no metrics. */
  const hosted: Script = ({ path }, answer) => {
    if (path.startsWith('/control/')) json(answer, 404, problem, 'application/problem+json');
    else json(answer, 200, answers(path));
  };

  it('uses the metrics of a hosted connection whose platform measures', async () => {
    await using watched = await watch(answerAll, {
      source: (clock, platform) =>
        measuredOrObserved(
          platform,
          measuredSource('ep1', () => clock.now()),
          () => assert.fail(),
        ),
    });
    await watched.read();
    assert.equal(watched.store.state.reading.value?.metrics.points[0]?.arrivals, 3);
    assert.equal(watched.store.state.observedSince, undefined);
    assert.deepEqual(watched.requests('/clock'), [], 'only the owner of a platform may read its clock');
  });

  it('does not observe a platform only because it cannot be reached', async () => {
    let isDown = true;
    await using watched = await watch(
      ({ path }, answer) => (isDown ? void answer.destroy() : answerAll({ path } as Received, answer)),
      {
        source: (clock, platform) =>
          measuredOrObserved(
            platform,
            measuredSource('ep1', () => clock.now()),
            () => assert.fail(),
          ),
      },
    );
    await watched.read();
    assert.equal(watched.store.state.reading.error?.kind, 'network');
    isDown = false;
    watched.store.refresh();
    await eventually('the metrics', () => watched.store.state.reading.value?.isObserved === false);
  });

  it('samples health and workers, stores them, and requests metrics only once', async () => {
    const storage = memory();
    const own: OwnJob[] = [];
    const observed = (clock: ReturnType<typeof steppedClock>['clock']) =>
      observedSource({
        ...{ connectionId: 'hosted', endpointId: 'ep1', clock },
        state: new ObservationState(storage, () => clock.now()),
        ownJobs: () => Promise.resolve(own),
      });
    const source: Options['source'] = (clock, platform) =>
      measuredOrObserved(
        platform,
        measuredSource('ep1', () => clock.now()),
        () => observed(clock),
      );
    await using watched = await watch(hosted, { source });
    const { store, read, requests, time } = watched;
    await read();
    const [point] = store.state.reading.value?.metrics.points ?? [];
    assert.deepEqual([point?.queueDepth, point?.workers?.running, point?.arrivals], [2, 1, undefined]);
    assert.equal(store.state.observedSince, 960_000, 'the minute of the first sample');
    assert.equal(store.state.reading.value?.isObserved, true);
    time.advance(60_000);
    await eventually('another sample', () => store.state.reading.value?.metrics.points.length === 2);
    assert.equal(requests('/control/').length, 1);

    await using again = await watch(hosted, { source });
    await again.read();
    assert.equal(again.store.state.observedSince, 960_000, 'earlier observations are kept');
  });
});
