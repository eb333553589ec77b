import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { operations } from '../../../src/contract/operations.ts';
import type { LoadReport } from '../../../src/features/load/model/report.ts';
import { report } from '../../features/load/loadReport.ts';
import { balanced } from '../../platform/balancerSupport.ts';
import { cleanUp, eventually, helloWorker, type Api } from '../../platform/support.ts';
import { CliWorld } from '../cliWorld.ts';

describe('The command load', () => {
  let api: Api;
  let queue: Endpoint;
  let world: CliWorld;

  before(async () => {
    ({ world, api } = await CliWorld.onPlatform());
    queue = await api.createEndpoint({ name: 'echo', workers: { min: 1, max: 2 } });
    await api.createEndpoint({ name: 'routes', ...balanced() });
    await world.write({
      'echo.job.json': { endpoint: 'echo', input: { do: 'echo', value: 1 } },
      'fail.job.json': { endpoint: 'echo', input: { do: 'fail' } },
      'hang.job.json': { endpoint: 'echo', input: { do: 'hang' } },
      'routes.http': [
        'GET {{endpoint:routes}}/echo?id={{$guid}}',
        '###',
        'POST {{endpoint:routes}}/echo',
        '',
        '{"n": {{$randomInt}}}',
      ].join('\n'),
      'none.http': '# nothing\n',
      'times.csv': 'at\n0\n20\n40\n',
    });
  });

  after(cleanUp);

  const place = (name: string) => path.join(world.folder, name);
  const load = (file: string, ...flags: string[]) => world.run(['load', place(file), ...flags]);
  const jobsOf = async ({ id: endpointId }: Endpoint) =>
    (await api.call(operations.getEndpointHealth, { parameters: { endpointId } })).jobs;
  const openJobs = async () => {
    const { inProgress, inQueue } = await jobsOf(queue);
    return inProgress + inQueue;
  };
  const reportOf = (stdout: string) => JSON.parse(stdout) as LoadReport & { readonly comparison?: object };

  it('runs jobs at a rate, and reports percentiles, costs, and settings', async () => {
    const { code, stdout, stderr } = await load('echo.job.json', '--rate', '20', '--duration', '2', '--json');
    assert.equal(code, 0, stderr);
    const { counts, latency, execution, cost, settings, changes, profile, end } = reportOf(stdout);
    assert.deepEqual(counts, { due: 40, completed: 40, failed: 0, timedOut: 0, unanswered: 0, notSent: 0 });
    assert.deepEqual([end, changes], ['profile', []]);
    assert.deepEqual(profile, { kind: 'rate', rate: 20, rampTo: 20, seconds: 2, arrivals: 'constant', seed: 1 });
    assert.ok((latency.p50 ?? 0) > 0 && (latency.p50 ?? 0) <= (latency.p99 ?? 0), JSON.stringify(latency));
    assert.ok((execution.max ?? NaN) <= (latency.max ?? 0));
    assert.ok(cost && cost.usd > 0 && cost.perThousand !== undefined, JSON.stringify(cost));
    assert.deepEqual([settings['workers.max'], settings['scaling.type']], [2, 'QUEUE_DELAY']);
    assert.match(stderr, /^sending 40 jobs or requests to echo, at an estimated cost of up to \$/);
  });

  it('sends the requests of a file in turn, with new values of their variables', async () => {
    const { code, stdout, stderr } = await load('routes.http', '--rate', '10', '--duration', '1', '--json');
    assert.equal(code, 0, stderr);
    const { counts, endpoint } = reportOf(stdout);
    assert.deepEqual([counts.due, counts.completed, endpoint.name], [10, 10, 'routes']);
  });

  it('prints a report for people, and compares it with an earlier one', async () => {
    const file = place('earlier.json');
    const first = await load('echo.job.json', '--trace', place('times.csv'), '--report', file);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /3 recorded arrivals in 0 s/);
    const earlier = reportOf(await readFile(file, 'utf8'));
    assert.deepEqual(earlier.profile, { kind: 'trace', offsets: [0, 20, 40] });
    const { code, stdout, stderr } = await load('echo.job.json', '--trace', file, '--compare', file);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Completed +3, /);
    assert.ok(stdout.includes(`Compared with ${earlier.startedAt}\n`), stdout);
  });

  it('fails if a threshold is violated', async () => {
    const flags = ['--trace', place('times.csv'), '--threshold', 'errors<1%', '--threshold', 'p99<60s', '--json'];
    assert.equal((await load('echo.job.json', ...flags)).code, 0);
    const { code, stdout, stderr } = await load('fail.job.json', ...flags);
    assert.equal(code, 1);
    const { failures, thresholds } = reportOf(stdout);
    assert.deepEqual(failures, { FAILED: 3 });
    assert.deepEqual(
      thresholds.map(({ text, holds }) => [text, holds]),
      [
        ['errors<1%', false],
        ['p99<60s', false],
      ],
    );
    assert.match(stderr, /errors<1% is violated: 100 %/);
  });

  it('refuses a load test that could cost more than the cap', async () => {
    const before = await jobsOf(queue);
    const { code, stdout, stderr } = await load('echo.job.json', '--rate', '1', '--max-cost', '0.000001');
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /the estimated cost \(\$[\d.]+\) is larger than --max-cost/);
    assert.deepEqual(await jobsOf(queue), before);
  });

  it('ends once the cost would exceed the cap', async () => {
    await api.createEndpoint({
      ...{ name: 'slow', image: `process:${helloWorker}`, cmd: [process.execPath, 'handler.mjs'] },
      workers: { min: 0, max: 3, idleTimeout: 1 },
    });
    // An earlier load test had quick jobs, so the estimate of about one second of a worker, 0.00002 USD, is below the cap.
    await world.write({
      'quick.json': report({ execution: { mean: 5 } }),
      'slow.job.json': { endpoint: 'slow', input: { name: 'x', seconds: 1 } },
    });
    const flags = ['--rate', '1', '--duration', '20', '--max-cost', '0.00004', '--json'];
    const { code, stdout, stderr } = await load('slow.job.json', '--compare', place('quick.json'), ...flags);
    assert.equal(code, 2, stderr);
    const { end, counts, cost } = reportOf(stdout);
    assert.deepEqual([end, cost?.cap], ['cap', 0.00004]);
    assert.ok(counts.due < 20, `${counts.due} jobs`);
    assert.match(stderr, /the cost cap ended the load test/);
  });

  it('waits for results after an interruption, and cancels the rest after a second one only if asked', async () => {
    for (const cancels of [true, false]) {
      const flags = ['--rate', '50', '--duration', '600', ...(cancels ? ['--cancel-rest'] : [])];
      const { child, exit, told } = world.start(['load', place('hang.job.json'), ...flags]);
      await told('sending ');
      await eventually('a job is submitted', async () => (await openJobs()) > 0);
      child.kill('SIGINT');
      await told('waiting for results; interrupt again to stop');
      child.kill('SIGINT');
      const { code, stdout, stderr } = await exit;
      assert.equal(code, 130, stderr);
      assert.match(stdout, /Ended by +a cancellation/);
      assert.match(stderr, cancels ? /canceling \d+ without a result/ : /\d+ have no result yet/);
      if (cancels) await eventually('no job is left', async () => (await openJobs()) === 0);
      else {
        assert.ok((await openJobs()) > 0);
        await api.call(operations.purgeQueue, { parameters: { endpointId: queue.id } });
      }
    }
  });

  it('names what is wrong with its arguments', async () => {
    for (const [args, code, message] of [
      [['none.job.json'], 2, /none\.job\.json cannot be read/],
      [['times.csv'], 2, /is neither a job file/],
      [['none.http'], 2, /has no request for a load test/],
      [['echo.job.json', '--endpoint', 'routes'], 2, /routes is load-balanced/],
      [['echo.job.json', '--threshold', 'p99'], 64, /--threshold p99 is invalid/],
      [['echo.job.json', '--rate', '0'], 64, /must be more than 0/],
      [['echo.job.json', '--rate', '1', '--trace', 'x'], 64, /cannot be used with/],
      [['echo.job.json', '--trace', place('none.http')], 2, /none\.http: line 1 has no time of an arrival/],
      [['echo.job.json', '--compare', place('times.csv')], 2, /is not the report of a load test/],
    ] as const) {
      const { code: found, stderr } = await load(...(args as readonly [string, ...string[]]));
      assert.match(stderr, message);
      assert.equal(found, code, stderr);
    }
  });
});
