import assert from 'node:assert/strict';
import path from 'node:path';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import type { JobInput } from '../../src/contract/job.ts';
import { isAlive } from '../../src/machine/processTable.ts';
import { cleanUp, dataDirectory, eventually, type Api } from '../platform/support.ts';
import { seed } from '../support/seed.ts';
import { ended, faultyEndpoint, launchBuilt, readEffects, scaled } from './support.ts';
import { seededRandom } from '../support/seededRandom.ts';

describe('Platform with faulty workers', () => {
  let api: Api;
  let effects: string;

  beforeEach(async function () {
    effects = path.join(await dataDirectory(), 'effects');
    api = await (await launchBuilt(['--json', '--data-dir', await dataDirectory()])).api();
  });

  afterEach(cleanUp);

  const create = (changes: Parameters<typeof faultyEndpoint>[1] = {}): Promise<Endpoint> =>
    api.createEndpoint(faultyEndpoint(effects, changes));

  /** Runs jobs of a bad endpoint next to jobs of a good one. Asserts that the good jobs complete. @returns the bad jobs */
  async function runNextToGoodJobs(bad: Endpoint, inputs: readonly JobInput[], withinMs: number) {
    const good = await create({ name: 'good' });
    const submitted = await Promise.all(inputs.map((input) => api.run(bad, input)));
    const values = inputs.map((_, index) => index);
    const goodJobs = await Promise.all(values.map((value) => api.run(good, { do: 'echo', value })));
    for (const [value, { id }] of goodJobs.entries()) {
      const { status, output } = await ended(api, good, id, withinMs);
      assert.equal(status, 'COMPLETED');
      assert.equal((output as { value: number }).value, value);
    }
    return Promise.all(submitted.map(({ id }) => ended(api, bad, id, withinMs)));
  }

  it('fails jobs with invalid results, and protects the jobs of other workers', async function () {
    const bad = await create({ name: 'bad', timeout: 60_000 });
    const victims = await create({ name: 'victims' });
    const victim = await api.run(victims, { do: 'echo', ms: 3_000, value: 'mine' });
    const rounds = Array.from({ length: scaled(20, 2) }, () => [
      ...['text', 'notANumber', 'huge', 'halfClosed', 'wrongToken'].map((name) => ({ do: name })),
      { do: 'strangers', victim: victim.id, value: 'own' },
    ]);
    const inputs = rounds.flat();
    const jobs = await runNextToGoodJobs(bad, inputs, 90_000);
    const expected: Readonly<Record<string, (job: (typeof jobs)[number]) => void>> = {
      text: ({ status, error }) => assert.match(`${status} ${String(error)}`, /^FAILED .*not valid JSON/),
      notANumber: ({ status, error }) => assert.match(`${status} ${String(error)}`, /^FAILED .*NaN/),
      huge: ({ status, error }) => assert.match(`${status} ${String(error)}`, /^FAILED .*larger than/),
      halfClosed: ({ status }) => assert.equal(status, 'FAILED'),
      wrongToken: ({ status, output }) => assert.equal(`${status} ${String(output)}`, 'COMPLETED 401'),
      strangers: ({ status, output }) =>
        assert.equal(`${status} ${(output as { value: string }).value}`, 'COMPLETED own'),
    };
    for (const [index, job] of jobs.entries()) expected[inputs[index]?.do ?? '']?.(job);
    const { status, output } = await ended(api, victims, victim.id);
    assert.equal(status, 'COMPLETED');
    assert.equal((output as { value: string }).value, 'mine');
  });

  it('times out jobs that hang, and replaces their workers', async function () {
    const bad = await create({ name: 'bad', timeout: 500 });
    const jobs = await runNextToGoodJobs(bad, Array(scaled(10, 2)).fill({ do: 'hang' }), 50_000);
    for (const { status, error } of jobs) assert.match(`${status} ${String(error)}`, /^TIMED_OUT .*500 ms/);
    const after = await api.run(bad, { do: 'echo', value: 'back' });
    assert.equal((await ended(api, bad, after.id)).status, 'COMPLETED');
  });

  it('repeats the jobs of killed workers, and completes each once', async function () {
    this.timeout(300_000);
    const random = seededRandom(seed);
    const endpoint = await create({ workers: { min: 3, max: 3 } });
    const jobs = await Promise.all(
      Array.from({ length: scaled(400, 60) }, (_, value) => api.run(endpoint, { do: 'echo', value, ms: 20 })),
    );
    for (let kill = 0; kill < scaled(20, 3); kill++) {
      // The delay before a restart grows with each crash.
      const { pids } = await eventually(
        'a worker is up',
        async () => {
          const seen = await readEffects(effects);
          return seen.pids.some(isAlive) && seen;
        },
        90_000,
      );
      const alive = pids.filter(isAlive);
      process.kill(alive[Math.floor(random() * alive.length)] ?? 0, 'SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, random() * 100));
    }
    for (const [value, { id }] of jobs.entries()) {
      const job = await ended(api, endpoint, id, 90_000);
      // A job fails if three workers in a row were killed while they ran it.
      if (job.status === 'COMPLETED') assert.equal((job.output as { value: number }).value, value);
      else assert.match(`${job.status} ${String(job.error)}`, /^FAILED .*lost 3 times/, `seed ${seed}`);
    }
    const { acknowledged } = await readEffects(effects);
    assert.deepEqual(
      [...acknowledged].filter(([, times]) => times > 1),
      [],
      `results were acknowledged twice, seed ${seed}`,
    );
  });
});
