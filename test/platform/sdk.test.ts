import assert from 'node:assert/strict';
import path from 'node:path';
import process from 'node:process';
import type { JobInput } from '../../src/contract/job.ts';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { TRACE_PARENT_HEADER, TRACE_PARENT_MEMBER } from '../../src/contract/headers.ts';
import { sharedStateWarning } from '../../src/platform/runtimes/workerEnvironment.ts';
import type { Platform } from '../../src/platform/daemon/start.ts';
import { hasPythonSdk, python } from './pythonSdk.ts';
import { cleanUp, dataDirectory, eventually, fastClock, fixtures, platformForTest, type Api } from './support.ts';

/*
 * Tests workers of the public Python SDK. The same expectations apply to a worker that imitates the SDK, and to the SDK itself if it is
 * installed. The SDK runs in `python3` or the interpreter in PYTHON, with PYTHONPATH.
 */

const sdk = path.join(fixtures, 'sdk');
const pythonPath: Record<string, string> =
  process.env['PYTHONPATH'] === undefined ? {} : { PYTHONPATH: process.env['PYTHONPATH'] };

const TRACE_PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

interface Kind {
  readonly cmd: string[];
  readonly env: Record<string, string>;
}
const imitation: Kind = { cmd: [process.execPath, path.join(sdk, 'worker.mjs')], env: {} };
const installed: Kind = { cmd: [python, path.join(sdk, 'handler.py')], env: pythonPath };

describe('Workers that imitate the public Python SDK', () => {
  expectations(imitation);

  it('keep a process that can drop a canceled or overdue job', async () => {
    const { api, endpoint } = await start(imitation, 'coroutine');
    const pid = await output(api, endpoint, { do: 'pid' });
    const canceled = await api.run(endpoint, { do: 'wait' });
    await api.jobWithStatus(endpoint, canceled.id, 'IN_PROGRESS');
    await cancel(api, endpoint, canceled.id);
    const overdue = await api.run(endpoint, { do: 'wait' }, { policy: { executionTimeout: 5_000 } });
    await api.jobWithStatus(endpoint, overdue.id, 'TIMED_OUT');
    assert.equal(await output(api, endpoint, { do: 'pid' }), pid);
  });

  it('cancel one of several jobs without the others', async () => {
    const { api, endpoint } = await start(imitation, 'concurrent', { env: { PING_MS: '200' } });
    const [first, second] = [
      await api.run(endpoint, { do: 'wait' }),
      await api.run(endpoint, { do: 'wait', seconds: 2 }),
    ];
    for (const { id } of [first, second]) await api.jobWithStatus(endpoint, id, 'IN_PROGRESS');
    const pid = await output(api, endpoint, { do: 'pid' });
    await cancel(api, endpoint, first.id);
    await api.jobWithStatus(endpoint, second.id, 'COMPLETED');
    assert.equal(await output(api, endpoint, { do: 'pid' }), pid, 'the process was not replaced');
  });

  it('replace the process of an SDK that cannot drop a job, and then accept jobs', async () => {
    const { api, endpoint } = await start(imitation, 'coroutine', { env: { VERSION: '1.8.1' } });
    const pid = await output(api, endpoint, { do: 'pid' });
    const { id } = await api.run(endpoint, { do: 'wait' });
    await api.jobWithStatus(endpoint, id, 'IN_PROGRESS');
    await cancel(api, endpoint, id);
    assert.notEqual(await output(api, endpoint, { do: 'pid' }), pid);
  });

  it('fail the job of a chunk that is not valid JSON', async () => {
    const { api, endpoint } = await start(imitation, 'generator');
    const { id } = await api.run(endpoint, { values: [1, 'not a number', 3] });
    assert.match(String((await api.jobWithStatus(endpoint, id, 'FAILED')).error), /NaN/);
  });

  it('log a warning if the SDK cannot share a directory', async () => {
    const { api, endpoint } = await start(imitation, 'coroutine', {
      env: { VERSION: '1.7.13' },
      workers: { min: 1, max: 2 },
    });
    const { id } = await api.worker(endpoint, 'IDLE');
    const logs = await api.logsUntil(endpoint, id, ({ line }) => line.includes('keeps its jobs in a file'));
    assert.equal(logs.at(-1)?.source, 'system');
  });

  it('recognize the versions of the SDK that share a file in their directory', () => {
    const affected = (version: string, max = 2) =>
      sharedStateWarning(`RunPod-Python-SDK/${version} (Linux) Language/Python 3.11`, max) !== undefined;
    const versions = ['1.7.10', '1.7.11', '1.7.13', '1.8.0', '1.9.1', '1.10.0', '1.10.1', '1.12.0', '2.0.0'];
    assert.deepEqual(
      versions.filter((version) => affected(version)),
      ['1.7.11', '1.7.13', '1.8.0', '1.9.1', '1.10.0'],
    );
    assert.equal(affected('1.8.0', 1), false, 'a single worker shares the directory with no other');
    assert.equal(sharedStateWarning('node', 2), undefined);
  });
});

describe(`Workers of the public Python SDK${hasPythonSdk() ? '' : ' (skipped: the SDK is not installed)'}`, function () {
  before(function () {
    if (!hasPythonSdk()) this.skip();
  });
  expectations(installed);
});

function expectations(kind: Kind): void {
  afterEach(cleanUp);

  it('deliver results of every kind', async () => {
    const { api, endpoint } = await start(kind, 'concurrent');
    const values = [{ text: 'ä€😀' }, [1, null], 'text', '', 1.5, 0, true, false];
    const jobs = await Promise.all(values.map((value) => api.run(endpoint, { do: 'echo', value })));
    const outputs = await Promise.all(jobs.map(({ id }) => completed(api, endpoint, id)));
    assert.deepEqual(outputs, values);
    assert.equal(await output(api, endpoint, { do: 'nothing' }), null);
    const { id } = await api.run(endpoint, { do: 'echo', value: {} });
    assert.equal('output' in (await api.jobWithStatus(endpoint, id, 'COMPLETED', WAIT_MS)), false);
  });

  it('receive any input, and the other members of the request', async () => {
    const { api, endpoint } = await start(kind, 'concurrent');
    const inputs = [{}, { text: 'ä€😀' }, { list: ['list', 1] }, { nothing: null, zero: 0 }];
    const jobs = await Promise.all(inputs.map((input) => api.run(endpoint, input)));
    const outputs = await Promise.all(jobs.map(({ id }) => completed(api, endpoint, id)));
    assert.deepEqual(
      outputs,
      inputs.map((got) => ({ got })),
    );
    const request = { policy: { executionTimeout: 60_000 }, s3Config: { bucketName: 'b' }, extra: { a: 1 } };
    const { id } = await api.run(endpoint, { do: 'job' }, request);
    assert.deepEqual(await completed(api, endpoint, id), { ...request, input: { do: 'job' }, id });
    const traced = await api.call(operations.runJob, {
      parameters: { endpointId: endpoint.id },
      body: { input: { do: 'job' } },
      headers: { [TRACE_PARENT_HEADER]: TRACE_PARENT },
    });
    const job = (await completed(api, endpoint, traced.id)) as Record<string, unknown>;
    assert.equal(job[TRACE_PARENT_MEMBER], TRACE_PARENT);
  });

  it('fail a job whose handler returns or raises an error', async () => {
    const { api, endpoint } = await start(kind, 'concurrent');
    const failure = async (input: JobInput) => {
      const { id } = await api.run(endpoint, input);
      return api.jobWithStatus(endpoint, id, 'FAILED', WAIT_MS);
    };
    const partial = await failure({ do: 'echo', value: { error: 'half done', done: 1 } });
    assert.deepEqual([partial.error, partial.output], ['half done', { done: 1 }]);
    assert.deepEqual(JSON.parse(String((await failure({ do: 'echo', value: { error: { code: 1 } } })).error)), {
      code: 1,
    });
    const raised = JSON.parse(String((await failure({ do: 'raise' })).error)) as Record<string, unknown>;
    assert.ok(raised['error_message']);
    assert.ok(raised['error_traceback']);
    assert.equal(raised['worker_id'], (await api.workers(endpoint))[0]?.id);
  });

  it('fail a job whose result cannot be written as JSON, with a message', async () => {
    const { api, endpoint } = await start(kind, 'coroutine');
    for (const [action, why] of [
      ['unwritable', /without a result/],
      ['nan', /NaN/],
    ] as const) {
      const { id } = await api.run(endpoint, { do: action });
      assert.match(String((await api.jobWithStatus(endpoint, id, 'FAILED', WAIT_MS)).error), why);
    }
    assert.equal(await output(api, endpoint, { do: 'echo', value: 'next' }), 'next');
  });

  it('fail a job whose result exceeds the limit of its call', async () => {
    const { api, endpoint } = await start(kind, 'coroutine');
    const large = { do: 'large', bytes: 11 * 1_048_576 };
    const { id } = await api.run(endpoint, large);
    assert.match(String((await api.jobWithStatus(endpoint, id, 'FAILED', WAIT_MS)).error), /larger than/);
    const sync = await api.runSync(endpoint, large);
    const whole = await api.jobWithStatus(endpoint, sync.id, 'COMPLETED', WAIT_MS);
    assert.equal(String(whole.output).length, large.bytes, 'the limit of runsync is larger');
  });

  it('stream the values of a generator', async () => {
    const { api, endpoint } = await start(kind, 'generator');
    const values = [1, 'two', { three: 3 }];
    const streamed = await stream(api, endpoint, { values });
    assert.deepEqual([streamed.chunks, streamed.job.status, streamed.job.output], [values, 'COMPLETED', []]);
    const raised = await stream(api, endpoint, { values: [1, 'raise', 2] });
    assert.deepEqual([raised.chunks, raised.job.status], [[1], 'FAILED']);
    assert.match(String(raised.job.error), /as asked/);
    const yielded = await stream(api, endpoint, { values: [1, { error: 'yielded' }, 2] });
    assert.deepEqual([yielded.chunks, yielded.job.status, yielded.job.error], [[1], 'FAILED', 'yielded']);
  });

  it('return all values of a generator on request', async () => {
    const { api, endpoint } = await start(kind, 'aggregate');
    const streamed = await stream(api, endpoint, { values: [1, { two: 2 }] });
    assert.deepEqual(
      [streamed.chunks, streamed.job.output],
      [
        [1, { two: 2 }],
        [1, { two: 2 }],
      ],
    );
  });

  it('show progress, and continue after the job is canceled', async () => {
    const { api, endpoint } = await start(kind, 'coroutine');
    const { id } = await api.run(endpoint, { do: 'report', value: { percent: 50 } });
    await eventually('the job has progress', async () => (await api.job(endpoint, id)).output, WAIT_MS);
    assert.deepEqual((await api.job(endpoint, id)).output, { percent: 50 });
    await cancel(api, endpoint, id);
    assert.equal((await api.job(endpoint, id)).status, 'CANCELLED');
    assert.equal(await output(api, endpoint, { do: 'echo', value: 'next' }), 'next');
  });

  it('end a job that exceeds the time limit, even if it blocks its worker', async () => {
    const { api, endpoint } = await start(kind, 'coroutine');
    for (const action of ['wait', 'block']) {
      const { id } = await api.run(endpoint, { do: action }, { policy: { executionTimeout: 5_000 } });
      await api.jobWithStatus(endpoint, id, 'TIMED_OUT', WAIT_MS);
    }
    assert.equal(await output(api, endpoint, { do: 'echo', value: 'next' }), 'next');
  });

  it('receive as many jobs as they have room for', async () => {
    const { api, endpoint } = await start(kind, 'concurrent');
    // The jobs wait before the worker starts. Up to version 1.9.0, the SDK takes no further job while one runs.
    const jobs = await Promise.all([1, 2, 3].map(() => api.run(endpoint, { do: 'meet', of: 3 })));
    for (const { id } of jobs) assert.equal(await completed(api, endpoint, id), 3);
  });

  it('replace their process on request, in the result or always', async () => {
    const { api, endpoint } = await start(kind, 'coroutine');
    const { pid } = (await output(api, endpoint, { do: 'refresh' })) as { pid: number };
    assert.notEqual(await output(api, endpoint, { do: 'pid' }), pid);
    const { api: other, endpoint: refreshing } = await start(kind, 'refreshing');
    const pids = [await output(other, refreshing, { do: 'pid' }), await output(other, refreshing, { do: 'pid' })];
    assert.notEqual(pids[0], pids[1]);
  });

  it('restart after their process has died, and accept jobs', async () => {
    const { api, endpoint } = await start(kind, 'coroutine');
    const { id } = await api.run(endpoint, { do: 'die' });
    assert.match(String((await api.jobWithStatus(endpoint, id, 'FAILED', WAIT_MS)).error), /lost 3 times.*SIGKILL/);
    assert.equal(await output(api, endpoint, { do: 'echo', value: 'next' }), 'next');
  });

  it('exit by themselves on request', async () => {
    // If pending requests were not answered, the exit would take the whole grace period, and the test would fail.
    const { api, endpoint, platform } = await start(kind, 'coroutine', {}, 20 * 120_000);
    await api.worker(endpoint, 'IDLE');
    await platform.close();
  });
}

/** The real SDK waits one second between requests. */
const WAIT_MS = 20_000;

async function start(
  { cmd, env }: Kind,
  form: string,
  changes: Partial<CreateEndpointBody> = {},
  graceMs = 10_000,
): Promise<{ api: Api; endpoint: Endpoint; platform: Platform }> {
  // A separate directory, which is removed after the platform is closed, because the SDK writes into it.
  const image = `process:${await dataDirectory()}`;
  const { api, platform } = await platformForTest({ clock: fastClock, graceMs });
  const endpoint = await api.createEndpoint({
    workers: { min: 1, max: 1 },
    ...changes,
    image,
    cmd,
    env: { KIND: form, ...env, ...changes.env },
  });
  return { api, endpoint, platform };
}

async function completed(api: Api, endpoint: Endpoint, id: string): Promise<unknown> {
  return (await api.jobWithStatus(endpoint, id, 'COMPLETED', WAIT_MS)).output;
}

async function output(api: Api, endpoint: Endpoint, input: JobInput): Promise<unknown> {
  return completed(api, endpoint, (await api.run(endpoint, input)).id);
}

async function cancel(api: Api, { id: endpointId }: Endpoint, jobId: string): Promise<void> {
  await api.call(operations.cancelJob, { parameters: { endpointId, jobId } });
}

async function stream(api: Api, endpoint: Endpoint, input: JobInput) {
  const { id } = await api.run(endpoint, input);
  const chunks: unknown[] = [];
  const job = await eventually(
    'the stream has ended',
    async () => {
      const part = await api.call(operations.streamJob, { parameters: { endpointId: endpoint.id, jobId: id } });
      chunks.push(...part.stream.map(({ output: chunk }) => chunk));
      const over = ['COMPLETED', 'FAILED'].includes(part.status) && part.stream.length === 0;
      return over && api.job(endpoint, id);
    },
    WAIT_MS,
  );
  return { chunks, job };
}
