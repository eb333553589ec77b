import assert from 'node:assert/strict';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { DebugEvent } from '../../src/contract/control/controlWorkers.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { Hold } from './debugHold.ts';
import { connectToInspector, type Inspector } from './inspector.ts';
import { afterwards, type Api, cleanUp, eventually, platformForTest } from './support.ts';

const { attachedDebugger, debugWorker, restartWorkers, setClock } = controlOperations;

describe('debugWorker with a condition', () => {
  let api: Api;
  let endpoint: Endpoint;

  beforeEach(async () => {
    ({ api } = await platformForTest());
  });

  afterEach(cleanUp);

  const create = async (changes: Parameters<Api['createEndpoint']>[0] = {}) => {
    endpoint = await api.createEndpoint({ workers: { min: 2, max: 2 }, ...changes });
  };
  const hold = (condition: string) => new Hold(api, endpoint, { condition });
  const attach = async ({ debuggerId = '' }: DebugEvent) => {
    await api.call(attachedDebugger, { parameters: { endpointId: endpoint.id, debuggerId } });
  };
  const inspectorAt = async ({ port = 0 }: DebugEvent): Promise<Inspector> => {
    const inspector = await connectToInspector(port);
    afterwards(() => inspector.close());
    await inspector.breakAt('worker.mjs', 'value ?? null');
    return inspector;
  };
  const run = (value: unknown) => api.run(endpoint, { do: 'echo', value });
  const status = async ({ id }: { readonly id: string }) => (await api.job(endpoint, id)).status;
  const completes = (job: { readonly id: string }) =>
    eventually(`job ${job.id} completes`, async () => (await status(job)) === 'COMPLETED');

  it('stops only the job that meets the condition, while other workers run all others', async () => {
    await create();
    const debugging = hold('job.input.value == 42');
    const ready = await debugging.event('ready');
    const inspector = await inspectorAt(ready);
    await attach(ready);
    const before = await Promise.all([1, 2, 3].map(run));
    const matching = await run(42);
    const after = await Promise.all([4, 5, 6, 7, 8].map(run));
    assert.equal(await inspector.paused(), 'echo');
    const { jobId, workerId } = await debugging.event('matched');
    assert.deepEqual([jobId, workerId], [matching.id, ready.workerId]);
    await Promise.all([...before, ...after].map(completes));
    assert.equal(await status(matching), 'IN_PROGRESS');
    await inspector.resume();
    await completes(matching);
    assert.equal((await api.job(endpoint, matching.id)).workerId, ready.workerId);
  });

  it('lets the job wait until the debugger is attached, and other jobs run in the meantime', async () => {
    await create({ workers: { min: 1, max: 1 } });
    const debugging = hold('job.input.value == 42');
    const ready = await debugging.event('ready');
    const matching = await run(42);
    await Promise.all((await Promise.all([1, 2, 3].map(run))).map(completes));
    assert.equal(await status(matching), 'IN_QUEUE');
    await attach(ready);
    await completes(matching);
    assert.equal((await api.job(endpoint, matching.id)).workerId, ready.workerId);
    // The further worker does not count for the maximum.
    assert.equal((await api.workers(endpoint)).length, 2);
  });

  it('returns a waiting job to all workers when the stream ends, and runs it once', async () => {
    await create();
    const debugging = hold('job.input.value == 42');
    const { workerId, debuggerId = '' } = await debugging.event('ready');
    const matching = await run(42);
    await completes(await run(1));
    assert.equal(await status(matching), 'IN_QUEUE');
    await debugging.close();
    await completes(matching);
    const { workerId: ran, retries } = await api.job(endpoint, matching.id);
    assert.notEqual(ran, workerId);
    assert.equal(retries ?? 0, 0);
    await api.refused(404, attachedDebugger, { parameters: { endpointId: endpoint.id, debuggerId } });
  });

  it('finishes the stopped job in the same worker when the stream ends, and replaces that worker', async () => {
    await create();
    const debugging = hold('job.input.value == 42');
    const ready = await debugging.event('ready');
    const inspector = await inspectorAt(ready);
    await attach(ready);
    const matching = await run(42);
    await inspector.paused();
    await debugging.close();
    await inspector.resume();
    await completes(matching);
    assert.equal((await api.job(endpoint, matching.id)).workerId, ready.workerId);
    await eventually('the further worker has ended', async () =>
      (await api.workers(endpoint)).every(({ id }) => id !== ready.workerId),
    );
  });

  it('lets the job wait for the next debugger if the process ends, and runs it once more', async () => {
    await create();
    const debugging = hold('job.input.debugged == true');
    const ready = await debugging.event('ready');
    await attach(ready);
    const matching = await api.run(endpoint, { do: 'die', debugged: true });
    const next = await debugging.event('ready', 2);
    assert.notEqual(next.debuggerId, ready.debuggerId);
    assert.equal(await status(matching), 'IN_QUEUE');
    await completes(await run(1));
    await debugging.close();
    await eventually('the job has run three times', async () => (await status(matching)) === 'FAILED');
  });

  it('starts no worker for a job that waits for its debugger', async () => {
    await create({ workers: { min: 0, max: 3, idleTimeout: 1 } });
    const debugging = hold('job.input.value == 42');
    const { workerId } = await debugging.event('ready');
    const matching = await run(42);
    await api.call(setClock, { body: { advanceMs: 600_000 } });
    await completes(await run(1));
    await api.call(setClock, { body: { advanceMs: 600_000 } });
    await eventually('the other worker has ended', async () => {
      const ids = (await api.workers(endpoint)).map(({ id }) => id);
      return ids.length === 1 && ids[0] === workerId;
    });
    assert.equal(await status(matching), 'IN_QUEUE');
  });

  it('holds back at most 20 jobs, and lets other workers run the rest', async () => {
    await create();
    await hold('true').event('ready');
    const jobs = await Promise.all(Array.from({ length: 60 }, (_, value) => run(value)));
    await Promise.all(jobs.slice(20).map(completes));
    const held = await Promise.all(jobs.slice(0, 20).map(status));
    assert.deepEqual(new Set(held), new Set(['IN_QUEUE']));
  });

  it('keeps a canceled job canceled, and lets the next one take its place', async () => {
    await create();
    const debugging = hold('job.input.value == 42');
    const ready = await debugging.event('ready');
    const [first, second] = [await run(42), await run(42)];
    await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: first.id } });
    await attach(ready);
    await completes(second);
    assert.equal(await status(first), 'CANCELLED');
  });

  it('gives a chosen worker only jobs that meet the condition, also after its restart', async () => {
    await create();
    const { id: workerId } = await api.worker(endpoint, 'IDLE');
    const debugging = new Hold(api, endpoint, { condition: 'job.input.value == 42', workerId });
    await attach(await debugging.event('ready'));
    await api.call(restartWorkers, { body: { files: [`${endpoint.image?.slice('process:'.length)}/worker.mjs`] } });
    const again = await debugging.event('ready', 2);
    const matching = await run(42);
    await Promise.all((await Promise.all([1, 2, 3, 4].map(run))).map(completes));
    assert.equal(await status(matching), 'IN_QUEUE');
    await attach(again);
    await completes(matching);
    assert.equal((await api.workers(endpoint)).length, 2);
  });

  it('refuses a text that is no condition, and an endpoint without jobs', async () => {
    await create();
    const parameters = { endpointId: endpoint.id };
    await api.refused(422, debugWorker, { parameters, body: { condition: 'job.input.value = 42' } });
    await api.refused(422, debugWorker, { parameters, body: { condition: 'process.exit()' } });
    const balanced = await api.createEndpoint({
      ...{ type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 }, workers: { min: 0, max: 1 } },
      cmd: [process.execPath, 'server.mjs'],
    });
    assert.equal((await new Hold(api, balanced, { condition: 'true' }).event('failed')).problem, 'notQueue');
  });
});
