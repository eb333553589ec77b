import assert from 'node:assert/strict';
import type { Client } from '../../../../../src/client/client.ts';
import type { Endpoint } from '../../../../../src/contract/endpoint.ts';
import type { JobFile } from '../../../../../src/contract/jobFile.ts';
import {
  findStartFailure,
  startFailureWords,
} from '../../../../../src/features/jobs/expectations/actions/findStartFailure.ts';
import { readWorkerLogSince } from '../../../../../src/features/jobs/actions/workerLogSince.ts';
import {
  restartWorkers,
  runExpectation,
  runExpectations,
  type ExpectationRun,
} from '../../../../../src/features/jobs/expectations/actions/runExpectation.ts';
import { cleanUp, endpointBody } from '../../../../platform/support.ts';
import { createPaused, storeOnPlatform } from '../../../storeOnPlatform.ts';

describe('Running the expectations of a job file', () => {
  let client: Client;
  let endpoint: Endpoint;

  before(async () => {
    ({ client } = await storeOnPlatform());
    endpoint = await client.createEndpoint({ body: endpointBody() });
  });

  after(cleanUp);

  const signal = new AbortController().signal;
  const source = { uri: 'file:///jobs/a.job.json', readText: () => Promise.reject(new Error('no file')) };
  const runOf = (file: JobFile, changes: Partial<ExpectationRun> = {}): ExpectationRun => ({
    endpointId: endpoint.id,
    executionTimeout: endpoint.timeout,
    file,
    source,
    signal,
    ...changes,
  });

  it('returns the job without mismatches if it meets them', async () => {
    const seen: string[] = [];
    const expect = { output: { a: 1 }, schema: { required: ['b'] }, maxExecutionTime: 60_000 };
    const { job, mismatches, durationMs } = await runExpectation(
      client,
      runOf({ input: { do: 'echo', value: { a: 1, b: 2 } }, expect }, { onJob: ({ status }) => seen.push(status) }),
    );
    assert.deepEqual([job.status, mismatches], ['COMPLETED', []]);
    assert.ok(durationMs >= 0);
    assert.deepEqual([seen[0], seen.at(-1)], ['IN_QUEUE', 'COMPLETED']);
  });

  it('returns each mismatch, of the schema too', async () => {
    const expect = { output: { a: 2 }, schema: { required: ['b'] } };
    const { mismatches } = await runExpectation(client, runOf({ input: { do: 'echo', value: { a: 1 } }, expect }));
    assert.deepEqual(
      mismatches.map(({ code }) => code),
      ['wrongValue', 'schemaViolation'],
    );
  });

  it('accepts an expected failure', async () => {
    const { job, mismatches } = await runExpectation(
      client,
      runOf({ input: { do: 'fail' }, expect: { error: 'as asked' } }),
    );
    assert.deepEqual([job.status, mismatches], ['FAILED', []]);
  });

  it('cancels a job that does not end within the time limit', async () => {
    const { job, mismatches } = await runExpectation(client, runOf({ input: { do: 'hang' } }, { limitMs: 300 }));
    assert.equal(job.status, 'CANCELLED');
    assert.deepEqual(
      mismatches.map(({ code, expected }) => [code, expected]),
      [['neverEnded', 300]],
    );
  });

  it('does not accept the cancellation of such a job as the expected status', async () => {
    const file = { input: { do: 'hang' }, expect: { status: 'CANCELLED' } } as const;
    const { mismatches } = await runExpectation(client, runOf(file, { limitMs: 50 }));
    assert.deepEqual(
      mismatches.map(({ code }) => code),
      ['neverEnded'],
    );
  });

  it('cancels the job when the signal is aborted', async () => {
    const canceling = new AbortController();
    let id = '';
    const onJob = ({ id: jobId, status }: { id: string; status: string }) => {
      id = jobId;
      if (status === 'IN_PROGRESS') canceling.abort();
    };
    const run = runOf({ input: { do: 'hang' } }, { signal: canceling.signal, onJob });
    await assert.rejects(runExpectation(client, run), { name: 'AbortError' });
    assert.equal((await client.getJobStatus({ endpointId: endpoint.id, jobId: id })).status, 'CANCELLED');
  });

  it('runs a bounded number of files at a time, and continues after an error', async () => {
    let running = 0;
    let most = 0;
    const outcomes = new Map<number, string>();
    await runExpectations(client, [0, 1, 2, 3, 4], {
      concurrency: 2,
      prepare: (item) => {
        most = Math.max(most, ++running);
        return runOf({ input: { do: 'echo', value: item } }, item === 1 ? { endpointId: 'unknown' } : {});
      },
      ended: (item, outcome) => {
        running--;
        outcomes.set(item, outcome.kind);
      },
    });
    assert.equal(most, 2);
    assert.deepEqual(
      [0, 1, 2, 3, 4].map((item) => outcomes.get(item)),
      ['ran', 'error', 'ran', 'ran', 'ran'],
    );
  });

  it('can read the lines that the worker wrote for the job', async () => {
    await runExpectation(client, runOf({ input: { do: 'print', lines: 2 } }));
    const since = Date.now();
    const { job } = await runExpectation(client, runOf({ input: { do: 'print', lines: 1 } }));
    const log = await readWorkerLogSince(client, { endpointId: endpoint.id, workerId: job.workerId ?? '', since });
    assert.deepEqual(
      log.filter((event) => event.source === 'container').map(({ line }) => line),
      ['line 1'],
    );
  });

  it('can replace the workers of an endpoint, also with FlashBoot', async () => {
    const body = endpointBody({ name: 'restarted', flashboot: 'FLASHBOOT', workers: { min: 1, max: 1 } });
    const restarted = await client.createEndpoint({ body });
    const run = runOf({ input: { do: 'pid' } }, { endpointId: restarted.id });
    const before = (await runExpectation(client, run)).job.output;
    await restartWorkers(client, restarted);
    const after = (await runExpectation(client, run)).job.output;
    assert.equal(typeof after, 'number');
    assert.notEqual(after, before);
    const { workers, flashboot } = await client.getEndpoint({ id: restarted.id });
    assert.deepEqual([workers.min, workers.max, flashboot], [1, 1, 'FLASHBOOT']);
  });

  it('finds no start failure of a worker that is ready', async () => {
    assert.equal(await findStartFailure(client, endpoint.id, signal), undefined);
  });

  it('finds the reason of a worker that exits at its start', async () => {
    const cmd = [process.execPath, '-e', 'console.error("no model file"); process.exit(3)'];
    const broken = await client.createEndpoint({ body: endpointBody({ name: 'broken', cmd }) });
    const failure = await findStartFailure(client, broken.id, signal);
    assert.equal(failure?.finding?.kind, 'crash');
    assert.equal(startFailureWords(failure.finding), 'the worker exited at its start (exit code 3): no model file');
  });

  it('finds the reason of a command that cannot be started', async () => {
    const broken = await client.createEndpoint({ body: endpointBody({ name: 'none', cmd: ['no-such-command-here'] }) });
    const failure = await findStartFailure(client, broken.id, signal);
    assert.equal(failure?.finding?.kind, 'notStarted');
    assert.match(startFailureWords(failure.finding), /cannot be started: .*no-such-command-here/);
  });

  it('stops looking for a failure when the signal is aborted', async () => {
    const paused = await createPaused(client, 'paused');
    const stopping = new AbortController();
    const looking = findStartFailure(client, paused.id, stopping.signal);
    stopping.abort();
    assert.equal(await looking, undefined);
  });
});
