import assert from 'node:assert/strict';
import { appendFile, cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '../../../../../src/client/apiError.ts';
import { systemClock } from '../../../../../src/client/clock.ts';
import { runSample, type SampleOptions } from '../../../../../src/features/local/firstSteps/actions/runSample.ts';
import { SampleError, type SampleErrorCode } from '../../../../../src/features/local/firstSteps/actions/sampleError.ts';
import { submitting } from '../../../jobs/actions/world.ts';
import { cleanUp, dataDirectory, repository } from '../../../../platform/support.ts';
import { storeOnPlatform } from '../../../storeOnPlatform.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

const isCanceled = (error: unknown) => error instanceof ApiError && error.kind === 'canceled';
const failsWith = (code: SampleErrorCode) => (error: unknown) => error instanceof SampleError && error.code === code;

/** Options of a sample on a local platform. `events` contains the steps and the calls of the observer. */
async function world(change: Partial<SampleOptions> = {}) {
  const { client, store } = await storeOnPlatform();
  const stop = new AbortController();
  const events: string[] = [];
  const { services, recorded } = submitting(client, systemClock);
  const options: SampleOptions = {
    source: SAMPLE,
    folder: path.join(await dataDirectory(), 'hello-queue'),
    signal: stop.signal,
    connect: () => Promise.resolve(client),
    store,
    jobs: services,
    observer: {
      step: (step) => events.push(step),
      ready: ({ name }) => Promise.resolve(void events.push(`ready ${name}`)),
      onWaiting: ({ status }) => events.push(status),
    },
    ...change,
  };
  return { client, store, stop, events, recorded, options };
}

/** Writes a copy of the sample in which a text of a file is replaced. */
async function changedCopy(folder: string, file: string, from: string, to: string): Promise<void> {
  await cp(SAMPLE, folder, { recursive: true });
  const changed = path.join(folder, file);
  const text = await readFile(changed, 'utf8');
  assert.ok(text.includes(from));
  await writeFile(changed, text.replace(from, to));
}

describe('runSample', () => {
  afterEach(cleanUp);

  it('copies the sample, starts the platform, creates the endpoint, and runs the job', async () => {
    const { options, events, recorded } = await world();
    const { endpoint, job } = await runSample(options);
    assert.deepEqual(events.slice(0, 6), ['copy', 'start', 'create', 'ready hello', 'run', 'IN_QUEUE']);
    assert.equal(endpoint.image, `process:${path.join(options.folder, 'hello')}`);
    assert.deepEqual([job.status, job.output], ['COMPLETED', { greeting: 'Hello, world!' }]);
    assert.equal(recorded.at(-1)?.status, 'COMPLETED');
  });

  it('uses the copy and the endpoint of an earlier call', async () => {
    const { options, store } = await world();
    const first = await runSample(options);
    const second = await runSample(options);
    assert.equal(second.endpoint.id, first.endpoint.id);
    assert.notEqual(second.job.id, first.job.id);
    assert.equal(store.endpoints.length, 1);
  });

  it('starts no platform if the folder contains other files', async () => {
    const { options, events } = await world({ connect: () => assert.fail('must not connect') });
    await cp(path.join(SAMPLE, 'README.md'), path.join(options.folder, 'README.md'));
    await assert.rejects(runSample(options), failsWith('notEmpty'));
    assert.deepEqual(events, ['copy']);
  });

  it('passes on the error of a platform that does not start, and keeps the copy', async () => {
    const failure = new Error('the port is in use');
    const { options } = await world({ connect: () => Promise.reject(failure) });
    await assert.rejects(runSample(options), (error) => error === failure);
    assert.deepEqual((await readdir(options.folder)).sort(), (await readdir(SAMPLE)).sort());
  });

  it('stops at once if it is canceled while the platform starts', async () => {
    const { options, stop } = await world({ connect: () => new Promise(() => stop.abort()) });
    await assert.rejects(runSample(options), isCanceled);
  });

  it('runs no job if it is canceled before', async () => {
    const { options, stop, recorded, store } = await world();
    const ready = () => {
      stop.abort();
      return Promise.resolve();
    };
    await assert.rejects(runSample({ ...options, observer: { ...options.observer, ready } }), isCanceled);
    assert.deepEqual(recorded, []);
    assert.equal(store.endpoints.length, 1);
  });

  it('cancels the running job', async () => {
    const { options, stop, recorded } = await world();
    const onWaiting: SampleOptions['observer']['onWaiting'] = ({ status }) => {
      if (status === 'IN_PROGRESS') stop.abort();
    };
    await assert.rejects(runSample({ ...options, observer: { ...options.observer, onWaiting } }), isCanceled);
    assert.equal(recorded.at(-1)?.status, 'CANCELLED');
  });

  it('reports a copy whose files are no longer valid, with the reason', async () => {
    for (const [file, from, to, reason] of [
      ['hello.endpoint.yaml', 'type: QUEUE\n', 'type: HEAP\n', /^hello\.endpoint\.yaml: .*QUEUE/],
      ['hello.job.json', '"input"', '"inputs"', /^hello\.job\.json: .*input/],
    ] as const) {
      const { options } = await world();
      await changedCopy(options.folder, file, from, to);
      await assert.rejects(runSample(options), (error) => {
        assert.ok(error instanceof SampleError && error.code === 'changed');
        assert.match(error.reason ?? '', reason);
        return true;
      });
    }
  });

  it('ends the wait for a worker that cannot run, and cancels its job', async () => {
    const { options, recorded } = await world();
    await changedCopy(options.folder, 'hello.endpoint.yaml', 'node handler.mjs', 'no-such-program handler.mjs');
    await assert.rejects(runSample(options), (error) => {
      assert.ok(error instanceof SampleError && error.code === 'workerFailed');
      assert.equal(typeof error.endpointId, 'string');
      return true;
    });
    assert.equal(recorded.at(-1)?.status, 'CANCELLED');
  });

  it('returns a failed job as its result', async () => {
    const { options } = await world();
    await cp(SAMPLE, options.folder, { recursive: true });
    await writeFile(path.join(options.folder, 'hello.job.json'), '{"input": {"fail": true, "seconds": 0}}');
    await appendFile(path.join(options.folder, 'README.md'), '\n');
    const { job } = await runSample(options);
    assert.equal(job.status, 'FAILED');
  });
});
