import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Confirmation } from '../../src/agents/actions/agentTool.ts';
import { filesOf } from '../../src/features/volumes/actions/fileTree.ts';
import { cleanUp, endpointBody, repository } from '../platform/support.ts';
import { createWorker, toolNamed, toolWorld, type Outcome } from './world.ts';

/* Members of results and lines of questions that depend on the arguments of a call. */

const codeOf = ({ error }: Outcome) => error?.code;

describe('Results of tools', () => {
  afterEach(cleanUp);

  it('of an edit are next to the image, unless the call names another file', async () => {
    const { call, folder, write, asked } = await toolWorld();
    await write('pictures/new/a.txt', 'makes the folder');
    await writeFile(path.join(folder, 'pictures/new/a.png'), await readFile(path.join(repository, 'media/icon.png')));
    const edit = { image: 'pictures/new/a.png', prompt: 'grayscale' };
    assert.equal((await call('edit_image', edit))['path'], 'pictures/new/a-edited-1.png');
    assert.equal((await call('edit_image', { ...edit, format: 'jpeg' }))['path'], 'pictures/new/a-edited-1.jpg');
    const saved = await call('edit_image', { ...edit, saveAs: 'b.png' });
    assert.deepEqual([saved['path'], saved['saveProblem']], ['b.png', undefined]);
    const questions = asked.length;
    assert.equal(codeOf(await call('edit_image', { ...edit, saveAs: 'b.png' })), 'fileExists');
    assert.equal(asked.length, questions, 'asks nothing for a file that exists');
    assert.match(asked[0]?.detail ?? '', /Costs nothing[^]*Sends the file/);
  });

  it('of a list are all endpoints, or those with a text in their names, and have their workers on request', async () => {
    const { call, client } = await toolWorld();
    for (const name of ['Alpha', 'beta']) await createWorker(client, name, { workers: { min: 0, max: 0 } });
    const listed = async (input: object) => {
      const { count, endpoints } = await call('read_endpoints', input);
      const found = endpoints as { readonly name: string; readonly activeWorkers?: unknown }[];
      return [count, ...found.map(({ name, activeWorkers }) => [name, activeWorkers])];
    };
    assert.deepEqual(await listed({}), [2, ['Alpha', undefined], ['beta', undefined]]);
    assert.deepEqual(await listed({ nameContains: 'ALPHA', workers: true }), [1, ['Alpha', []]]);
    assert.equal(codeOf(await call('read_endpoints', { endpoint: 'beta', nameContains: 'b' })), 'invalidInput');
  });

  it('list volumes and their folders, and contain the text of small files only', async () => {
    const { call, client, context } = await toolWorld();
    const volume = await client.createNetworkVolume({ body: { name: 'models', size: 10, dataCenter: 'EU-RO-1' } });
    const { s3 } = context.connection();
    assert.ok(s3);
    const files = filesOf(context, s3, volume);
    await files.put('llama/config.json', new TextEncoder().encode('{"layers":2}'));
    await files.put('llama/weights.bin', new Uint8Array([0xff, 0]));
    await files.put('llama/large.txt', new Uint8Array(70_000).fill(0x61));
    const { volumes } = await call('read_endpoints', { volumes: true });
    assert.deepEqual(volumes, [{ id: volume.id, name: 'models', sizeGb: 10, dataCenter: 'EU-RO-1', type: 'STANDARD' }]);
    const pathsIn = async (path?: string) => {
      const { entries } = await call('read_endpoints', { volume: 'models', path });
      return (entries as { path: string }[]).map((entry) => entry.path);
    };
    assert.deepEqual(await pathsIn(), ['llama/']);
    assert.deepEqual(await pathsIn('llama'), ['llama/config.json', 'llama/large.txt', 'llama/weights.bin']);
    const textOf = async (path: string) => (await call('read_endpoints', { volume: volume.id, path }))['text'];
    assert.equal(await textOf('llama/config.json'), '{"layers":2}');
    assert.equal(await textOf('llama/weights.bin'), 'binary data');
    assert.match(String(await textOf('llama/large.txt')), /not returned, because it exceeds 64 KB/);
    for (const [input, code] of [
      [{ volume: 'none' }, 'notFound'],
      [{ volume: 'models', path: 'none' }, 'notFound'],
      [{ path: 'llama' }, 'invalidInput'],
      [{ volume: 'models', volumes: true }, 'invalidInput'],
    ] as const)
      assert.equal(codeOf(await call('read_endpoints', input)), code);
  });

  it('of test data are the created objects, and seeds without any are refused', async () => {
    const { call, write } = await toolWorld();
    const seed = (data: object) => call('change_local_platform', { seed: data });
    const usage = [{ kind: 'serverlessGpu', resource: 'x', usd: 1, at: '-2h' }];
    assert.equal('keysCreated' in (await seed({ usage })), false);
    await write('empty.yaml', 'usage: []\n');
    for (const empty of [{ usage: [] }, { file: 'empty.yaml' }])
      assert.equal(codeOf(await seed(empty)), 'invalidInput');
  });

  it('of an estimate name the hardware, and come from exactly one of endpoint, file, and text', async () => {
    const { call, client } = await toolWorld();
    await createWorker(client, 'q', { workers: { min: 0, max: 1 } });
    const times = { jobsPerDay: 10, secondsPerJob: 1 };
    for (const subject of [{}, { endpoint: 'q', text: 'name: a' }])
      assert.equal(codeOf(await call('estimate_costs', { ...times, ...subject })), 'invalidInput');
    const { timeIsMetered, secondsPerJob, offers } = await call('estimate_costs', { ...times, endpoint: 'q' });
    assert.deepEqual([timeIsMetered, secondsPerJob], [false, 1]);
    const own = (offers as { id: string; kind: string; ownHardware: boolean }[]).find((offer) => offer.ownHardware);
    assert.deepEqual([own?.kind, own?.id], ['cpu', 'cpu3c']);
  });

  it('of an estimate of a manifest have the name of the endpoint', async () => {
    const { call } = await toolWorld();
    const { workers: _, ...body } = endpointBody({ name: 'planned' });
    const estimated = (manifest: object) =>
      call('estimate_costs', { jobsPerDay: 10, secondsPerJob: 1, text: JSON.stringify(manifest) });
    assert.equal((await estimated(body))['of'], 'planned');
    assert.equal(codeOf(await estimated({ ...body, type: 'QEUE' })), 'invalidInput');
  });

  it('of an estimate tell the memory and the stock of hardware, and the conditions that it does not satisfy', async () => {
    const { call, client } = await toolWorld();
    const { id } = await client.createNetworkVolume({ body: { name: 'v', size: 10, dataCenter: 'EU-RO-1' } });
    const { cpu: _, workers: __, ...body } = endpointBody({ mounts: { network: [{ volumeId: id, path: '/data' }] } });
    const text = JSON.stringify({ ...body, gpu: { pools: ['AMPERE_24'] } });
    const { offers } = await call('estimate_costs', { jobsPerDay: 10, secondsPerJob: 1, memoryGb: 40, text });
    const facts = (wanted: string) => {
      const { memoryGb, stock, inStockAt, unsatisfied } =
        (offers as Record<string, unknown>[]).find((offer) => offer['id'] === wanted) ?? {};
      return { memoryGb, stock, inStockAt, unsatisfied };
    };
    const stocked = { stock: 'HIGH', inStockAt: ['EU-RO-1'] };
    assert.deepEqual(facts('AMPERE_24'), { memoryGb: { least: 24, most: 24 }, ...stocked, unsatisfied: ['memory'] });
    assert.deepEqual(facts('AMPERE_48'), { memoryGb: { least: 48, most: 48 }, ...stocked, unsatisfied: [] });
  });

  it('of an estimate with the metered time of jobs add no starts and no idle time', async () => {
    const { call, client } = await toolWorld();
    await createWorker(client, 'q', { workers: { min: 0, max: 1 } });
    const metered = { endpoint: 'q', jobsPerDay: 10 };
    assert.equal(codeOf(await call('estimate_costs', metered)), 'invalidInput');
    const usage = [{ kind: 'serverlessCpu', resource: 'q', usd: 0.01, at: '-2h' }];
    const jobs = [{ endpoint: 'q', status: 'COMPLETED', at: '-2h', delayTime: 0, executionTime: 1_000 }];
    await call('change_local_platform', { seed: { jobs, usage } });
    const { timeIsMetered, secondsPerJob, billedSecondsPerDay } = await call('estimate_costs', metered);
    const time = 10 * Number(secondsPerJob);
    assert.ok(timeIsMetered === true && time > 0);
    assert.deepEqual(billedSecondsPerDay, {
      ...{ pattern: 'startPerJob', jobs: time, starts: 10, starting: 0, idle: 0, total: time },
    });
  });

  it('of bills have buckets of a size that the period allows', async () => {
    const { call } = await toolWorld();
    assert.equal(codeOf(await call('read_billing', { period: 'day', bucketSize: 'month' })), 'invalidInput');
    assert.equal((await call('read_billing', { period: 'day', bucketSize: 'hour' }))['bucketSize'], 'hour');
    assert.equal('forecast' in (await call('read_billing', { period: 'lastMonth' })), false);
  });

  it('of bills are about the calendar month of the platform, whose clock can be ahead', async () => {
    const { call } = await toolWorld();
    // The clock can advance by ten years.
    const year = new Date().getUTCFullYear() + 2;
    await call('change_local_platform', { clock: { frozen: true, now: `${year}-03-01T12:00:00Z` } });
    const { start, end, forecast } = await call('read_billing', { period: 'thisMonth' });
    assert.deepEqual([start, end], [`${year}-03-01T00:00:00.000Z`, `${year}-03-02T00:00:00.000Z`]);
    assert.equal((forecast as { month: string }).month, `${year}-03`);
    assert.equal((await call('read_billing', { period: 'lastMonth' }))['start'], `${year}-02-01T00:00:00.000Z`);
  });

  it('of the local platform say that it does not run, or have the requests that failed', async () => {
    const { call, context, client } = await toolWorld();
    const stopped = { ...context.localPlatform, isRunning: false };
    assert.equal((await call('read_local_platform', {}, { localPlatform: stopped }))['running'], false);
    await assert.rejects(client.getEndpoint({ id: 'none' }));
    for (let sent = 0; sent < 21; sent++) await client.listEndpoints({});
    const statusesOf = ({ requests }: Outcome) => (requests as { status: number }[]).map(({ status }) => status);
    const all = await call('read_local_platform');
    assert.equal(all['running'], true);
    assert.deepEqual(statusesOf(all), Array(20).fill(200));
    assert.deepEqual(statusesOf(await call('read_local_platform', { failedOnly: true })), [404]);
  });

  it('of a deployment do not repeat the values of environment variables', async () => {
    const { call, context } = await toolWorld();
    const values = { ...context.values, variable: () => 'value-of-4711' } as typeof context.values;
    const body = endpointBody({ name: 'in value-of-4711', env: { MODE: '${env:MODE}' }, workers: { min: 0, max: 0 } });
    const deploy = (action: string, changes: object = {}) =>
      call('deploy_endpoint', { action, text: JSON.stringify({ ...body, ...changes }) }, { values });
    const { created } = await deploy('create');
    assert.equal((created as { name: string }).name, 'in …');
    assert.match((await deploy('create')).error?.message ?? '', /the name “in …”/);
    const { endpoint } = await deploy('update', { disk: 6 });
    assert.equal((endpoint as { name: string }).name, 'in …');
  });

  it('of a job have its log only if the call asks for it or the job failed', async () => {
    const { call, client } = await toolWorld();
    await createWorker(client, 'q');
    const { id: job } = await call('run_job', { endpoint: 'q', input: { do: 'print', lines: 2 } });
    assert.equal('log' in (await call('read_job', { endpoint: 'q', job })), false);
    const { log } = await call('read_job', { endpoint: 'q', job, log: true });
    assert.match(String((log as string[]).at(-1)), /line 2$/);
  });
});

describe('Errors of the platform', () => {
  afterEach(cleanUp);

  /** Returns a world whose platform refuses the next call of an operation. */
  async function refusing(operation: string) {
    const world = await toolWorld();
    const refuse = () =>
      world.call('change_local_platform', { faults: { add: { operation, status: 403, detail: 'not now', count: 1 } } });
    return { ...world, refuse };
  }

  it('reach the agent if a job is not canceled', async () => {
    const { call, client, refuse } = await refusing('cancelJob');
    const { id: endpointId } = await createWorker(client, 'q', { workers: { min: 0, max: 0 } });
    const { id: job } = await call('run_job', { endpoint: 'q', input: {}, waitSeconds: 0 });
    await refuse();
    const { error } = await call('cancel_job', { endpoint: 'q', job });
    assert.deepEqual([error?.code, error?.message], ['forbidden', 'not now']);
    assert.equal((await client.getJobStatus({ endpointId, jobId: String(job) })).status, 'IN_QUEUE');
  });

  it('reach the agent if an endpoint is not deleted', async () => {
    const { call, client, refuse } = await refusing('deleteEndpoint');
    const { id } = await createWorker(client, 'q', { workers: { min: 0, max: 0 } });
    await refuse();
    const { error } = await call('delete_endpoint', { endpoint: 'q' });
    assert.deepEqual([error?.code, error?.message], ['forbidden', 'not now']);
    assert.equal((await client.getEndpoint({ id })).name, 'q');
  });

  it('do not hide a creation that succeeded before them', async () => {
    const { context, refuse } = await refusing('listEndpoints');
    const input = { action: 'create', text: JSON.stringify(endpointBody({ name: 'new' })) };
    const { act } = await toolNamed('deploy_endpoint').plan(input, { ...context, hide: () => undefined });
    await refuse();
    const { created } = (await act()) as { created: { name: string } };
    assert.equal(created.name, 'new');
  });
});

describe('Questions of tools', () => {
  afterEach(cleanUp);

  const declining = (asked: Confirmation[]) => (confirmation: Confirmation) => {
    asked.push(confirmation);
    return Promise.resolve(false);
  };

  it('show where the result of a job is sent', async () => {
    const { call, client, asked, write } = await toolWorld();
    await createWorker(client, 'q', { workers: { min: 0, max: 0 } });
    const webhook = 'https://example.com/hook';
    await write('a.job.json', { endpoint: 'q', input: {}, webhook });
    await call('run_job', { file: 'a.job.json', waitSeconds: 0 });
    assert.match(
      asked[0]?.detail ?? '',
      /^Job file: a\.job\.json\n.*\nSends the result to https:\/\/example\.com\/hook\n/,
    );
  });

  it('show the workers of a manifest without them, and how long a job can take', async () => {
    const { call, client, asked } = await toolWorld({ isHosted: true });
    const { workers: _, ...body } = endpointBody({ name: 'new', image: 'example.com/image', cmd: undefined });
    await call('deploy_endpoint', { action: 'create', text: JSON.stringify(body) }, { agree: declining(asked) });
    assert.match(asked.pop()?.detail ?? '', /\nWorkers: 0 to 3\n/);
    const { id } = await createWorker(client, 'q', { workers: { min: 0, max: 0 } });
    const question = async (input: object) => {
      await call('run_job', { endpoint: 'q', input: {}, ...input }, { agree: declining(asked) });
      return asked.pop();
    };
    const [without, limited] = [await question({}), await question({ policy: { executionTimeout: 7_200_000 } })];
    assert.notEqual(without?.detail, limited?.detail);
    assert.match(limited?.detail ?? '', /2 h/);
    assert.equal(limited?.content, JSON.stringify([id, { input: {}, policy: { executionTimeout: 7_200_000 } }]));
  });

  it('show the headers and the body of a request', async () => {
    const { call, client, asked } = await toolWorld();
    await createWorker(client, 'web', { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } });
    const request = { endpoint: 'web', method: 'POST', path: '/' };
    const shown = async (input: object) => {
      await call('send_request', { ...request, ...input }, { agree: declining(asked) });
      return asked.pop()?.detail.split('\n').slice(1, -2);
    };
    assert.deepEqual(await shown({}), []);
    assert.deepEqual(await shown({ headers: { 'x-a': '1' }, body: 'a "text"' }), ['Headers: x-a', 'Body: a "text"']);
    assert.deepEqual(await shown({ body: { a: 1 } }), ['Body: {"a":1}']);
    const longest = 'x'.repeat(500);
    assert.deepEqual(await shown({ body: longest }), [`Body: ${longest}`]);
    assert.deepEqual(await shown({ body: `${longest}x` }), [`Body: ${longest}…`]);
    assert.equal(codeOf(await call('send_request', { ...request, method: 'GET', body: '' })), 'invalidInput');
  });

  it('show each change of the clock and of the faults', async () => {
    const { call, asked } = await toolWorld();
    const change = async (input: object): Promise<string> => {
      await call('change_local_platform', input);
      const { title = '', detail = '' } = asked.pop() ?? {};
      return `${title}\n${detail}`;
    };
    assert.match(
      await change({ clock: { frozen: true, advanceMs: 3_600_000 } }),
      /: advance by 1 h 0 min and freeze\?\n/,
    );
    assert.match(await change({ clock: { frozen: false } }), /: unfreeze\?\n/);
    assert.match(await change({ clock: { now: '2100-01-01T00:00:00Z' } }), /: advance to 2100-01-01T00:00:00Z\?\n/);
    assert.match(await change({ faults: { remove: 'all' } }), /\nRemoves all faults\./);
    assert.match(await change({ faults: { remove: 'f1' } }), /\nRemoves the fault f1\./);
    const added = await change({ faults: { add: { operation: 'listEndpoints', status: 418, count: 1 } } });
    assert.match(added, /\nAdds a fault: .*418/);
    assert.doesNotMatch(added, /Removes/);
  });
});
