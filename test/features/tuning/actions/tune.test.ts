import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient, type Client } from '../../../../src/client/client.ts';
import { operations } from '../../../../src/contract/operations.ts';
import type { Endpoint } from '../../../../src/contract/endpoint.ts';
import { readLoad } from '../../../../src/features/tuning/actions/readLoad.ts';
import { planTuning, runTuning, type TunedSubject } from '../../../../src/features/tuning/actions/tune.ts';
import { PRESENT } from '../../../../src/features/tuning/model/candidates.ts';
import { subjectOfEndpoint } from '../../../../src/features/tuning/model/subjects.ts';
import { givenTime } from '../../../../src/features/tuning/model/times.ts';
import { loadOfPattern, type CompleteLoad } from '../../../../src/features/tuning/model/tunedLoad.ts';
import { json, startScriptedServer } from '../../../client/scriptedServer.ts';
import { cleanUp, eventually, platformForTest, type Api } from '../../../platform/support.ts';
import { SIMULATION_PROGRAM } from '../../../support/programs.ts';

const { signal } = new AbortController();

describe('the tuning of an endpoint of a local platform', () => {
  let api: Api;
  let client: Client;
  let endpoint: Endpoint;

  before(async () => {
    ({ api } = await platformForTest());
    client = createClient({ connection: api.addresses, fetch: globalThis.fetch, honorsIdempotencyKeys: true });
    endpoint = await api.createEndpoint({ name: 'tuned', workers: { min: 1, max: 2, idleTimeout: 30 } });
  });

  after(cleanUp);

  const load: CompleteLoad = {
    ...loadOfPattern({ kind: 'rate', rate: 0.2, rampTo: 0.2, seconds: 600, arrivals: 'poisson', seed: 1 }),
    ...{ executions: givenTime(2), coldStarts: givenTime(5) },
  };
  const subject = (changes: Partial<TunedSubject> = {}): TunedSubject => {
    const found = subjectOfEndpoint(endpoint);
    assert.ok(found);
    return { ...found, ...changes };
  };

  it('knows no load before the first job', async () => {
    assert.equal(await readLoad(client, endpoint, { jobs: () => Promise.resolve([]) }, signal), undefined);
  });

  it('reads the jobs that the platform ran, with their times and cold starts', async () => {
    for (let index = 0; index < 5; index++) {
      const body = { input: { do: 'echo', value: index } };
      const { id: jobId } = await api.call(operations.runJob, { parameters: { endpointId: endpoint.id }, body });
      const parameters = { endpointId: endpoint.id, jobId };
      await eventually('the job is completed', async () => {
        const { status } = await api.call(operations.getJobStatus, { parameters });
        return status === 'COMPLETED';
      });
    }
    let read: Awaited<ReturnType<typeof readLoad>>;
    await eventually('the jobs are measured', async () => {
      read = await readLoad(client, endpoint, undefined, signal);
      return read?.arrivals.ms.length === 5 && read.coldStarts !== undefined;
    });
    assert.deepEqual([read?.arrivals.origin, read?.executions?.origin, read?.executions?.count], ['jobs', 'jobs', 5]);
    assert.equal(read?.coldStarts?.origin, 'percentiles');
  });

  it('simulates about a thousand settings on the hardware whose execution times are known', async () => {
    const plan = await planTuning(client, subject(), load, { signal });
    assert.ok('candidates' in plan);
    assert.equal(plan.candidates[0]?.id, PRESENT);
    assert.ok(plan.unknownHardware.length > 0);
    const progress: number[] = [];
    const tuned = await runTuning(plan, {
      script: SIMULATION_PROGRAM,
      signal,
      onProgress: (done) => progress.push(done),
    });
    assert.ok('points' in tuned);
    assert.equal(progress.at(-1), plan.candidates.length);
    assert.ok(tuned.present && tuned.present.usdPerMonth > 0);
    const { frontier } = tuned;
    assert.ok(frontier.length > 1);
    for (const [index, one] of frontier.slice(1).entries()) {
      const before = frontier[index];
      assert.ok(before && one.usdPerMonth > before.usdPerMonth && one.waitMs < before.waitMs);
    }
  });

  it('includes other hardware with a given factor', async () => {
    const plain = await planTuning(client, subject(), load, { signal });
    assert.ok('candidates' in plain);
    const [other = ''] = plain.unknownHardware;
    const plan = await planTuning(client, subject(), load, { factors: { [other]: 1.5 }, signal });
    assert.ok('candidates' in plan);
    assert.ok(!plan.unknownHardware.includes(other));
    const found = plan.candidates.find(({ hardware }) => hardware.id === other);
    assert.equal(found?.hardware.executionFactor, 1.5);
  });

  it('refuses a paused endpoint, and hardware without a price', async () => {
    const { settings } = subject();
    const paused = subject({ settings: { ...settings, max: 0 } });
    assert.deepEqual(await planTuning(client, paused, load, { signal }), { obstacle: 'paused' });
    const unknown = subject({ hardware: { gpu: { pools: ['NO_SUCH_POOL'] } } });
    assert.deepEqual(await planTuning(client, unknown, load, { signal }), { obstacle: 'noPrice' });
  });

  it('stops when it is canceled', async () => {
    const plan = await planTuning(client, subject(), load, { signal });
    assert.ok('candidates' in plan);
    const controller = new AbortController();
    const end = await runTuning(plan, {
      script: SIMULATION_PROGRAM,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    assert.deepEqual(end, { kind: 'canceled' });
  });

  it('returns why a simulation ended early', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-tune-'));
    const dying = path.join(folder, 'dying.mjs');
    await writeFile(dying, 'console.error("out of memory"); process.exit(1);');
    const plan = await planTuning(client, subject(), load, { signal });
    assert.ok('candidates' in plan);
    assert.deepEqual(await runTuning(plan, { script: dying, signal }), { kind: 'died', detail: 'out of memory' });
    await rm(folder, { recursive: true });
  });
});

describe('the load of an endpoint of a hosted platform', () => {
  it('is that of the jobs that the user ran, because the platform does not measure', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 404, { title: 'Not Found' }));
    const { client } = server;
    const jobs = [{ status: 'COMPLETED', submittedAt: Date.now() - 60_000, executionTime: 900, delayTime: 20 }];
    const read = await readLoad(client, { id: 'x' }, { jobs: () => Promise.resolve(jobs) }, signal);
    assert.deepEqual([read?.arrivals.origin, read?.executions?.ms], ['ownJobs', [900]]);
  });
});
