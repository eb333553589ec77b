import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { CreateEndpointBody } from '../../../src/contract/endpoint.ts';
import { Engine } from '../../../src/platform/endpoints/engine.ts';
import type { RunSpec } from '../../../src/platform/runtimes/runSpec.ts';
import {
  StartError,
  type RunningWorker,
  type Runtime,
  type StartOptions,
} from '../../../src/platform/runtimes/runtime.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import { HostCapacity } from '../../../src/platform/workers/hostCapacity.ts';
import { stubRuntime, stubDependencies, stubWorker } from '../stubRuntime.ts';
import { endpointBody, eventually, manualClock } from '../support.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const PULL_MS = 60_000;

describe('WorkerRun', () => {
  let store: Store;
  let engine: Engine;

  type Start = (spec: RunSpec, options: StartOptions) => Promise<RunningWorker>;

  /** Creates an engine with one endpoint, whose worker is started by `start`. */
  function open(start: Start, changes: Partial<CreateEndpointBody> = {}, runtime: Partial<Runtime> = {}) {
    const clock = manualClock(NOW);
    store = openSqliteStore(':memory:');
    engine = new Engine({
      ...{
        store,
        clock,
        realClock: clock,
        runtime: { ...stubRuntime(start), ...runtime },
        capacity: new HostCapacity(1),
      },
      ...{ ...stubDependencies, log: pino({ enabled: false }), graceMs: 0 },
      referencesOf: () => ({ findTemplate: () => undefined, exists: () => true, mayRunProcesses: true }),
    });
    engine.start();
    const workers = { min: 1, max: 1 };
    const { id } = engine.createEndpoint(endpointBody({ workers, ...changes }), { id: 'endpoint1' });
    return { clock, endpoint: engine.endpoint(id) };
  }

  afterEach(async () => {
    await engine.close();
    store.close();
  });

  const workerId = (): Promise<string> =>
    eventually('a worker exists', () => engine.endpoint('endpoint1').views()[0]?.id);

  function systemLog(id: string): string[] {
    // The clock of the test does not store the lines after a time.
    engine.logs.flush();
    const lines: string[] = [];
    const query = { workerId: id, source: 'system' } as const;
    for (let page = engine.logs.pageAfter(query, ''); page; page = engine.logs.pageAfter(query, page.last)) {
      const frames = Buffer.from(page.bytes).toString().split('\n\n').slice(0, -1);
      lines.push(...frames.map((frame) => (JSON.parse(frame.slice(frame.indexOf('{'))) as { line: string }).line));
    }
    return lines;
  }

  const logged = (id: string, line: string): Promise<boolean> =>
    eventually(`the log contains: ${line}`, () => systemLog(id).includes(line));

  it('starts again as soon as the engine that could not be reached answers, but not sooner than after 1 s', async () => {
    let [starts, back] = [0, Promise.withResolvers<void>()];
    const start: Start = () => {
      starts++;
      return Promise.reject(new StartError('it is down.', { problem: 'engineUnreachable' }));
    };
    const untilReachable = (): Promise<void> => back.promise;
    const { clock } = open(start, {}, { untilReachable });
    const id = await workerId();
    for (const [failures, seconds] of [1, 2, 4, 8].entries()) {
      await logged(id, `worker is unhealthy (failure ${failures + 1} in a row); next start in ${seconds} s`);
      if (seconds < 8) clock.advance(seconds * 1_000);
    }
    const before = starts;
    const answered = back;
    back = Promise.withResolvers();
    answered.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(starts, before);
    clock.advance(1_000);
    await eventually('it starts again', () => starts > before);
    const again = 'worker is unhealthy (failure 1 in a row); next start in 1 s';
    await eventually('its failures are forgotten', () => systemLog(id).filter((line) => line === again).length === 2);
  });

  it('writes the progress of a start and the label of the process to the system log', async () => {
    const pulled = Promise.withResolvers<void>();
    const { clock, endpoint } = open(async (_, { onProgress }) => {
      onProgress({ kind: 'pulling' });
      onProgress({ kind: 'pulling', percent: 43 });
      await pulled.promise;
      return stubWorker({ label: 'container worker-1' });
    });
    const id = await workerId();
    await logged(id, 'pulling the image: 40 %');
    assert.equal(endpoint.views()[0]?.startedAt, undefined);
    clock.advance(PULL_MS);
    pulled.resolve();
    await logged(id, 'container worker-1 started');
    assert.deepEqual(systemLog(id).slice(-3), [
      'pulling the image',
      'pulling the image: 40 %',
      'container worker-1 started',
    ]);
    assert.equal(endpoint.views()[0]?.startedAt, NOW + PULL_MS, 'the time of a pull is not charged');
    assert.equal(store.runs.listOpen()[0]?.startedAt, NOW + PULL_MS);
  });

  it('is UNHEALTHY while the engine cannot be reached, and keeps its process and its work', async () => {
    const options = Promise.withResolvers<StartOptions>();
    const { endpoint } = open((_, given) => {
      options.resolve(given);
      return Promise.resolve(stubWorker());
    });
    const { onReachable } = await options.promise;
    const id = await workerId();
    await logged(id, 'process 1 started');
    onReachable('connect ECONNREFUSED');
    const [lost] = endpoint.views();
    assert.deepEqual([lost?.failed, lost?.startedAt !== undefined], [true, true]);
    await logged(id, 'worker is unhealthy: the engine that runs it cannot be reached: connect ECONNREFUSED');
    onReachable(undefined);
    assert.equal(endpoint.views()[0]?.failed, false);
    await logged(id, 'the engine that runs the worker can be reached again');
    assert.equal(store.runs.listOpen().length, 1);
  });

  it('ignores the engine of an earlier process', async () => {
    const started: StartOptions[] = [];
    const workers = [stubWorker(), stubWorker()];
    const { clock, endpoint } = open((_, given) => {
      started.push(given);
      return Promise.resolve(workers[started.length - 1] ?? assert.fail('two starts are expected'));
    });
    const id = await workerId();
    await logged(id, 'process 1 started');
    workers[0]?.end({ code: 1, signal: null });
    await eventually('the worker pauses', () => endpoint.views()[0]?.failed);
    clock.advance(1_000);
    await eventually('the next process is up', () => endpoint.views()[0]?.startedAt !== undefined);
    started[0]?.onReachable('too late');
    assert.ok(!systemLog(id).some((line) => line.includes('too late')));
  });

  it('dates output with the time of the engine, in the order of its arrival and never in the future', async () => {
    const options = Promise.withResolvers<StartOptions>();
    const { clock } = open((_, given) => {
      options.resolve(given);
      return Promise.resolve(stubWorker());
    });
    const { onOutput } = await options.promise;
    const id = await workerId();
    await logged(id, 'process 1 started');
    clock.advance(30_000);
    const write = (text: string, after?: number) =>
      onOutput('stdout', Buffer.from(text), after === undefined ? undefined : NOW + after);
    write('first\n', 10_000);
    write('part of ', 15_000);
    write('a line\n', 20_000);
    write('earlier\n', 5_000);
    write('future\n', 90_000);
    write('unknown\n');
    engine.logs.flush();
    const page = engine.logs.pageAfter({ workerId: id, source: 'container' }, '');
    assert.ok(page);
    const frames = Buffer.from(page.bytes).toString().split('\n\n').slice(0, -1);
    const dated = frames.map((frame) => {
      const { ts, line } = JSON.parse(frame.slice(frame.indexOf('{'))) as { ts: string; line: string };
      return [line, Date.parse(ts) - NOW];
    });
    assert.deepEqual(dated, [
      ['first', 10_000],
      ['part of a line', 20_000],
      ['earlier', 20_000],
      ['future', 30_000],
      ['unknown', 30_000],
    ]);
  });

  it('aborts a long start when the worker is stopped', async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const { endpoint } = open(async (_, { signal }) => {
      asked.resolve(signal);
      // Simulates a long pull, which ends only when the signal is aborted.
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      return assert.fail('the start never ends');
    });
    const signal = await asked.promise;
    const id = await workerId();
    assert.equal(store.runs.listOpen().length, 1, 'the run is announced');
    await endpoint.close('no longer needed');
    assert.ok(signal.aborted);
    assert.deepEqual(store.runs.listOpen(), []);
    assert.equal(systemLog(id).at(-1), 'stop worker: no longer needed', 'an aborted start does not count as a failure');
  });

  it('ends a process that comes up after its start was aborted', async () => {
    const worker = stubWorker();
    const { endpoint } = open(async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return worker;
    });
    const id = await workerId();
    await eventually('the start is announced', () => store.runs.listOpen().length === 1);
    await endpoint.close('no longer needed');
    assert.deepEqual(await worker.exited, { code: 0, signal: null });
    assert.deepEqual(systemLog(id).slice(-3), [
      'stop worker: no longer needed',
      'process 1 started',
      'process exited with code 0',
    ]);
    assert.deepEqual(store.runs.listOpen(), []);
  });

  it('stores the preliminary handle of a run, then the handle of the process', async () => {
    const started = Promise.withResolvers<RunningWorker>();
    let runId = '';
    const { endpoint } = open((spec) => {
      runId = spec.labels.runId;
      return started.promise;
    });
    await eventually('the worker starts', () => runId !== '');
    const handles = () => store.runs.listOpen().map(({ id, handle }) => [id, handle]);
    assert.deepEqual(handles(), [[runId, { runId }]]);
    started.resolve(stubWorker({ handle: { container: 'abc' } }));
    await eventually('the worker is up', () => endpoint.views()[0]?.startedAt);
    assert.deepEqual(handles(), [[runId, { container: 'abc' }]]);
  });

  it('writes the reason for an exit to the system log', async () => {
    const worker = stubWorker();
    open(() => Promise.resolve(worker));
    const id = await workerId();
    await logged(id, 'process 1 started');
    worker.end({ code: 137, signal: null, reason: 'outOfMemory' });
    await logged(id, "the worker's process exited with code 137 (out of memory) after 0.0 s, without any output");
  });

  it('is replaced if its address on a load-balanced endpoint is unknown', async () => {
    const unreachable = stubWorker({ address: () => Promise.reject(new Error('the engine is gone')) });
    const next = stubWorker({ label: 'process 2' });
    const runs = [unreachable, next];
    open(() => Promise.resolve(runs.shift() ?? stubWorker()), {
      type: 'LOAD_BALANCER',
      scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
    });
    const id = await workerId();
    await logged(id, 'restart worker: its address is unknown: the engine is gone');
    await logged(id, 'process 2 started');
  });
});
