import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import * as z from 'zod';
import { AGENT_TOOLS } from '../../src/agents/actions/tools/index.ts';
import type { Confirmation } from '../../src/agents/actions/agentTool.ts';
import { LARGEST_OUTPUT } from '../../src/agents/model/boundedOutput.ts';
import { cleanUp, endpointBody, eventually, fixtures, repository } from '../platform/support.ts';
import { createWorker, toolNamed, toolWorld, type Outcome, type ToolWorld } from './world.ts';

const codeOf = ({ error }: Outcome) => error?.code;
/** Returns a value as the shape that a test expects. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- shorter than a cast in parentheses
const as = <Shape>(value: unknown) => value as Shape;

describe('Tools of agents on a local platform', function () {
  afterEach(cleanUp);

  describe('All tools', () => {
    it('describe themselves and their arguments for a model', () => {
      for (const tool of AGENT_TOOLS) {
        assert.match(tool.name, /^[a-z]+(_[a-z]+)+$/);
        assert.ok(tool.description.length > 100 && tool.description.length < 1_500, tool.name);
        assert.match(tool.summary, /^[A-Z].*\.$/, tool.name);
        const schema = z.toJSONSchema(tool.input, { io: 'input' }) as {
          additionalProperties: unknown;
          properties?: Record<string, { description?: string }>;
        };
        assert.equal(schema.additionalProperties, false, tool.name);
        for (const [field, { description = '' }] of Object.entries(schema.properties ?? {}))
          assert.ok(description.length > 10, `${tool.name}.${field} has a description`);
      }
    });

    it('are at most sixteen, because each takes room in the context of a model', () => {
      assert.ok(AGENT_TOOLS.length <= 16);
    });

    it('refuse wrong arguments with the names of the fields', async () => {
      const { call } = await toolWorld();
      for (const { name, input } of AGENT_TOOLS) {
        const { error } = await call(name, { surprise: 1 });
        assert.equal(error?.code, 'invalidInput', name);
        assert.match(error.message, /surprise/, name);
        const fields = Object.keys(input.shape).join(', ');
        assert.ok(
          error.message.endsWith(fields === '' ? 'The tool has no arguments.' : `The fields are ${fields}.`),
          name,
        );
      }
      const { error } = await call('scale_endpoint', { endpoint: 'a', min: 'two', max: -1 });
      assert.match(error?.message ?? '', /min: .*max: .*The fields are endpoint, min, max\./);
      const swapped = await call('scale_endpoint', { endpoint: 'a', min: 2, max: 1 });
      assert.match(swapped.error?.message ?? '', /^min: must not be greater than max\./);
    });

    it('say without a connection what to do', async () => {
      const { call, write } = await toolWorld({ isConnected: false });
      await write('a.job.json', { endpoint: 'hello', input: {} });
      const inputs: Readonly<Record<string, object>> = {
        ...{
          read_endpoints: {},
          deploy_endpoint: { action: 'create', text: 'name: a' },
          run_job: { file: 'a.job.json' },
        },
        ...{ read_logs: { endpoint: 'a' }, delete_endpoint: { endpoint: 'a' } },
        ...{ send_request: { endpoint: 'a', method: 'GET', path: '/' }, read_job: { endpoint: 'a', job: 'j' } },
      };
      for (const [name, input] of Object.entries(inputs)) {
        const { error } = await call(name, input);
        assert.equal(error?.code, 'notConnected', name);
        assert.match(error.remedy, /start_local_platform/, name);
      }
    });

    it('do nothing if the user declines', async () => {
      const { client, call } = await toolWorld();
      await createWorker(client, 'kept', { workers: { min: 0, max: 0 } });
      const agree = () => Promise.resolve(false);
      assert.equal(codeOf(await call('delete_endpoint', { endpoint: 'kept' }, { agree })), 'declined');
      assert.equal(codeOf(await call('scale_endpoint', { endpoint: 'kept', min: 0, max: 2 }, { agree })), 'declined');
      const { endpoints } = await client.listEndpoints({});
      assert.deepEqual(
        endpoints.map(({ name, workers }) => [name, workers.max]),
        [['kept', 0]],
      );
    });

    it('refuse a call that would do something else than what the user agreed to', async () => {
      const { client, call, write } = await toolWorld();
      await createWorker(client, 'a', { workers: { min: 0, max: 0 } });
      const manifest = (disk: number) => ({ ...endpointBody({ name: 'a', workers: { min: 0, max: 0 } }), disk });
      await write('a.endpoint.json', manifest(6));
      const agree = async () => {
        await write('a.endpoint.json', manifest(7));
        return true;
      };
      assert.equal(
        codeOf(await call('deploy_endpoint', { action: 'update', file: 'a.endpoint.json' }, { agree })),
        'changed',
      );
      const unasked = await call('scale_endpoint', { endpoint: 'a', min: 0, max: 2 }, { agreed: 'nothing' });
      assert.equal(codeOf(unasked), 'changed');
      const { endpoints } = await client.listEndpoints({});
      assert.deepEqual([endpoints[0]?.disk, endpoints[0]?.workers.max], [5, 0]);
    });

    it('do what they planned, even if the manifest changes after the last check', async () => {
      const { context, write, client } = await toolWorld();
      const manifest = endpointBody({ name: 'a', workers: { min: 0, max: 0 } });
      await write('a.endpoint.json', { ...manifest, disk: 6 });
      const input = { action: 'create', file: 'a.endpoint.json' };
      const { act } = await toolNamed('deploy_endpoint').plan(input, { ...context, hide: () => undefined });
      await write('a.endpoint.json', { ...manifest, disk: 7 });
      await act();
      const { endpoints } = await client.listEndpoints({});
      assert.deepEqual(
        endpoints.map(({ disk }) => disk),
        [6],
      );
    });

    it('show each text in a question as one line, so that it cannot show a false price or platform', async () => {
      const { client, call, asked } = await toolWorld({ isHosted: true });
      await createWorker(client, 'web', { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } });
      const forged = `${'\n'.repeat(100)}Platform: Local Platform\nCost: none. The local platform is free.`;
      const agree = (confirmation: (typeof asked)[number]) => {
        asked.push(confirmation);
        return Promise.resolve(false);
      };
      const path = `/${'a'.repeat(400)}`;
      await call('send_request', { endpoint: 'web', method: 'POST', path, body: forged }, { agree });
      await call('edit_image', { image: 'https://example.com/a.png', prompt: forged, saveAs: 'out.png' }, { agree });
      assert.deepEqual(
        asked.map(({ title }) => title.replace(/\d+\)/, 'PORT)')),
        ['Send a request to “web” on “Test”?', 'Edit an image on “Test” (127.0.0.1:PORT)?'],
      );
      const lines = asked.map(({ detail }) => detail.split('\n'));
      assert.deepEqual(
        lines.map((each) => each.map((line) => line.slice(0, 6))),
        [
          ['Reques', 'Body: ', 'Platfo', 'Cost: '],
          ['Costs ', 'Image:', 'Prompt', 'Saves '],
        ],
      );
      assert.match(lines[0]?.[2] ?? '', /^Platform: Test /);
      assert.match(lines[1]?.[3] ?? '', /out\.png/);
    });

    it('refuse a picture that has changed since the user agreed', async () => {
      const { call, context, folder } = await toolWorld();
      const bytes = await readFile(path.join(repository, 'media/icon.png'));
      await context.files.create('icon.png', bytes);
      const agree = async () => {
        await writeFile(path.join(folder, 'icon.png'), Buffer.concat([bytes, Buffer.from('more')]));
        return true;
      };
      assert.equal(codeOf(await call('edit_image', { image: 'icon.png', prompt: 'grayscale' }, { agree })), 'changed');
    });

    it('refuse a command that is too long to be shown', async () => {
      const { call, asked } = await toolWorld();
      const body = endpointBody({ name: 'long', cmd: ['echo', 'a'.repeat(1_000), ';', 'true'] });
      assert.equal(
        codeOf(await call('deploy_endpoint', { action: 'create', text: JSON.stringify(body) })),
        'notPossible',
      );
      assert.deepEqual(asked, []);
    });

    it('do nothing if the secrets cannot be read, because results could contain them', async () => {
      const { client, call } = await toolWorld();
      const { id } = await createWorker(client, 'a', { workers: { min: 0, max: 0 } });
      const secrets = () => Promise.reject(new Error('the keyring is locked'));
      assert.equal(codeOf(await call('read_endpoints', {}, { secrets })), 'secretsUnreadable');
      assert.equal(codeOf(await call('delete_endpoint', { endpoint: 'a' }, { secrets })), 'secretsUnreadable');
      assert.equal((await client.getEndpoint({ id })).name, 'a');
    });

    it('return the ID of a job that the history cannot store, so that it is not run again', async () => {
      const { client, call, context } = await toolWorld();
      await createWorker(client, 'a', { workers: { min: 0, max: 0 } });
      const connection = () => {
        const current = context.connection();
        Object.assign(current.jobs.history, { put: () => Promise.reject(new Error('the disk is full')) });
        return current;
      };
      for (const waitSeconds of [0, 1]) {
        const { id, status } = await call('run_job', { endpoint: 'a', input: {}, waitSeconds }, { connection });
        assert.deepEqual([typeof id, status], ['string', 'IN_QUEUE']);
      }
    });

    it('never return a secret, and ask before they change or pay anything, but not before they read', async () => {
      const stored = 'stored-secret-value-4711';
      const inEndpoint = 'q9Zk2VbT7wXc4RmN8sLd';
      const world = await toolWorld({ secrets: { TOKEN: stored } });
      const { call, write, client, apiKey, context } = world;
      const env = { API_KEY: inEndpoint, OTHER: '${secret:TOKEN}', MODE: 'fast' };
      await write('s.endpoint.json', { ...endpointBody({ name: 's' }), env });
      await write('broken.endpoint.json', { name: 's', surprise: 1, env });
      const outputs: string[] = [];
      const asking = new Set<string>();
      const record = async (name: string, input: object, changes: Parameters<typeof call>[2] = {}) => {
        const agree = (confirmation: Confirmation) => {
          asking.add(name);
          return changes.agree?.(confirmation) ?? Promise.resolve(world.asked.push(confirmation) > 0);
        };
        const value = await call(name, input, { ...changes, agree });
        outputs.push(`${name}: ${JSON.stringify(value)}`);
        return value;
      };
      await record('validate_manifest', { file: 's.endpoint.json' });
      await record('validate_manifest', { file: 'broken.endpoint.json' });
      await record('deploy_endpoint', { action: 'create', file: 's.endpoint.json' });
      // The worker returns its environment, as a worker with a defect can do.
      const { id, output, isFinished } = await record('run_job', { endpoint: 's', input: { do: 'environment' } });
      assert.equal(isFinished, true);
      assert.equal(as<{ MODE: string }>(output).MODE, 'fast');
      const base64 = Buffer.from(`key ${inEndpoint} and ${stored} and ${apiKey}\n`).toString('base64');
      await record('run_job', { endpoint: 's', input: { do: 'write', base64 } });
      await record('read_job', { endpoint: 's', job: id, log: true });
      const { lines } = await record('read_logs', { endpoint: 's' });
      assert.match(as<string[]>(lines).join('\n'), /key … and … and …/);
      await record('read_logs', { endpoint: 's', query: 'key' });
      await record('read_logs', { endpoint: 's', query: stored });
      await record('read_endpoints', {});
      await record('read_endpoints', { workers: true });
      await record('read_endpoints', { endpoint: 's' });
      await record('cancel_job', { endpoint: 's', job: id });
      await record('run_job', { endpoint: 's', retry: id });
      // The question about these arguments repeats them, because the user decides whether they are sent.
      const agree = { agree: () => Promise.resolve(true) };
      await record('run_job', { endpoint: 's', input: { do: 'echo', value: { echoed: stored, key: apiKey } } }, agree);
      await record('deploy_endpoint', { action: 'update', file: 's.endpoint.json', endpoint: 's' });
      await write('s.endpoint.json', { ...endpointBody({ name: 's' }), env: { ...env, MODE: 'slow' } });
      await record('deploy_endpoint', { action: 'update', file: 's.endpoint.json' });
      await record('scale_endpoint', { endpoint: 's', min: 0, max: 0 });
      const { id: waiting } = await record('run_job', { endpoint: 's', input: {}, waitSeconds: 0 });
      await record('cancel_job', { endpoint: 's', job: waiting });
      const balanced = { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 }, env } as const;
      await createWorker(client, 'web', { ...balanced, cmd: [process.execPath, 'server.mjs'] });
      const { status, body } = await record(
        'send_request',
        {
          endpoint: 'web',
          method: 'POST',
          path: '/echo',
          body: { key: stored },
        },
        agree,
      );
      assert.equal(status, 200);
      assert.equal(as<{ env: { MODE: string } }>(body).env.MODE, 'fast');
      for (const name of ['read_billing', 'read_local_platform']) await record(name, {});
      await record('start_local_platform', {}, { localPlatform: { ...context.localPlatform, isRunning: false } });
      await record('estimate_costs', { endpoint: 's', jobsPerDay: 10, secondsPerJob: 1 });
      await context.files.create('icon.png', await readFile(path.join(repository, 'media/icon.png')));
      await record('edit_image', { image: 'icon.png', prompt: 'grayscale', negativePrompt: stored });
      await write('seed.yaml', { keys: [{ name: stored }], jobs: [{ endpoint: 's', output: { stored, inEndpoint } }] });
      const { keysCreated } = await record('change_local_platform', { seed: { file: 'seed.yaml' } });
      assert.equal(keysCreated, 1);
      await record('change_local_platform', {
        faults: { add: { operation: 'listBilling', status: 500, detail: stored, count: 1 } },
      });
      await record('read_billing', {});
      await record('change_local_platform', { clock: { advanceMs: 1_000 } });
      await record('delete_endpoint', { endpoint: 's' });
      for (const { name } of AGENT_TOOLS)
        assert.ok(
          outputs.some((text) => text.startsWith(`${name}:`)),
          `${name} is tested`,
        );
      const changing = AGENT_TOOLS.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
      assert.deepEqual([...asking].toSorted(), changing.toSorted());
      const questions = world.asked.map(({ title, detail }) => `${title}\n${detail}`);
      for (const text of [...outputs, ...questions, ...world.reports])
        for (const secret of [stored, inEndpoint, apiKey]) assert.ok(!text.includes(secret), text);
      assert.ok(
        questions.some((text) => text.includes('Sends secrets: TOKEN')),
        questions.join('\n\n'),
      );
    });
  });

  describe('Endpoints', () => {
    it('are created from a manifest, with a question about the command and the cost', async () => {
      const { call, write, asked, folder } = await toolWorld();
      const manifest =
        'name: hello\ntype: QUEUE\nscaling: { type: QUEUE_DELAY, queueDelay: 1 }\nworkers: { min: 0, max: 1 }\ncpu: [{ id: cpu3c, vcpuCount: 2 }]\n' +
        'x-local: { directory: worker, command: node handler.mjs }\n';
      await write('hello.endpoint.yaml', manifest);
      const { created } = await call('deploy_endpoint', { action: 'create', file: 'hello.endpoint.yaml' });
      assert.equal(as<{ name: string }>(created).name, 'hello');
      const [question] = asked;
      assert.equal(question?.title, 'Create endpoint “hello” on “Test”?');
      assert.match(
        question.detail,
        /Manifest: hello\.endpoint\.yaml\nPlatform: Test \(127\.0\.0\.1:\d+\), on this machine/,
      );
      assert.match(question.detail, /Runs a command as a process on this machine: node handler\.mjs/);
      assert.ok(question.detail.includes(`Directory: ${folder}`));
      assert.match(question.detail, /Cost: none\. The local platform is free\./);
      assert.equal(
        codeOf(await call('deploy_endpoint', { action: 'create', file: 'hello.endpoint.yaml' })),
        'nameTaken',
      );
      const second = await call('deploy_endpoint', { action: 'createAnother', file: 'hello.endpoint.yaml' });
      assert.notEqual(as<{ id: string }>(second['created']).id, as<{ id: string }>(created).id);
      assert.equal(codeOf(await call('read_endpoints', { endpoint: 'hello' })), 'ambiguous');
      const named = { action: 'create', file: 'hello.endpoint.yaml', endpoint: 'other' };
      assert.equal(codeOf(await call('deploy_endpoint', named)), 'invalidInput');
    });

    it('cost money on a hosted platform, and the question says how much', async () => {
      const { call, write, asked, client } = await toolWorld({ isHosted: true });
      const body = { ...endpointBody({ name: 'paid' }), image: 'docker.io/library/worker:1', cpu: undefined };
      await write('paid.endpoint.json', { ...body, gpu: { pools: ['ADA_24'] }, workers: { min: 1, max: 2 } });
      await call('deploy_endpoint', { action: 'create', file: 'paid.endpoint.json', verifySeconds: 0 });
      assert.match(
        asked[0]?.detail ?? '',
        /Workers: 1 to 2, of which 1 always run[^]*Cost: up to \$[\d.]+\/h for each worker/,
      );
      const { endpoints } = await client.listEndpoints({});
      assert.equal(endpoints.length, 1);
      await createWorker(client, 'queue', { workers: { min: 0, max: 0 }, timeout: 60_000 });
      const job = { endpoint: 'queue', input: { prompt: 'hi' }, waitSeconds: 0 };
      await call('run_job', job);
      assert.match(
        asked.at(-1)?.detail ?? '',
        /^Input: \{"prompt":"hi"\}\nPlatform: Test \(.*\)\nCost: up to \$[\d.]+\/h, at most \$[\d.]+ for an execution of 1 min\./,
      );
      await call('run_job', { ...job, policy: { executionTimeout: 5_000 } });
      assert.match(asked.at(-1)?.detail ?? '', /for an execution of 5 s/);
    });

    it('are updated with exactly the differences, which the question shows', async () => {
      const { call, write, asked, client } = await toolWorld();
      const before = await createWorker(client, 'u', { workers: { min: 0, max: 1 }, env: { OLD: '1' } });
      const body = endpointBody({ name: 'u', workers: { min: 0, max: 2 }, env: { NEW: 'a value' } });
      await write('u.endpoint.json', body);
      const { updated, changes } = await call('deploy_endpoint', { action: 'update', file: 'u.endpoint.json' });
      assert.equal(updated, true);
      assert.deepEqual(as<string[]>(changes).toSorted(), ['env: remove OLD, add NEW', 'workers.max: 1 → 2'].toSorted());
      assert.match(asked[0]?.detail ?? '', /env: remove OLD, add NEW/);
      assert.ok(!asked[0]?.detail.includes('a value'));
      const after = await client.getEndpoint({ id: before.id });
      assert.deepEqual([after.workers.max, after.env], [2, { NEW: 'a value' }]);
      asked.length = 0;
      assert.equal((await call('deploy_endpoint', { action: 'update', file: 'u.endpoint.json' }))['updated'], false);
      assert.deepEqual(asked, []);
      const other = { ...body, type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } };
      await write('u.endpoint.json', other);
      assert.equal(codeOf(await call('deploy_endpoint', { action: 'update', file: 'u.endpoint.json' })), 'notPossible');
    });

    it('are deployed only once they work, and else have the reason', async () => {
      const { call, write, asked, client } = await toolWorld();
      const deploy = async (action: string, body: object, changes: object = {}) => {
        await write('v.endpoint.json', { ...endpointBody({ name: 'v', workers: { min: 0, max: 1 } }), ...body });
        const result = await call('deploy_endpoint', { action, file: 'v.endpoint.json', ...changes });
        return [result['deployed'], as<{ outcome: string }>(result['verification']).outcome, result] as const;
      };
      const echoes = (output: unknown) => ({ input: { do: 'echo', value: 1 }, expect: { output } });
      assert.deepEqual((await deploy('create', {})).slice(0, 2), [true, 'accepted']);
      assert.doesNotMatch(asked.at(-1)?.detail ?? '', /x-verify/);
      const passed = await deploy('update', { timeout: 60_000, 'x-verify': echoes(1) });
      assert.deepEqual(passed.slice(0, 2), [true, 'passed']);
      assert.match(asked.at(-1)?.detail ?? '', /^Then runs the job of x-verify\.$/m);
      await write('v.job.json', echoes(2));
      const [deployed, outcome, { verification, next }] = await deploy('update', { 'x-verify': { job: 'v.job.json' } });
      assert.deepEqual([deployed, outcome], [false, 'unmet']);
      assert.match(JSON.stringify(verification), /\$\.output: expected 2, but it is 1/);
      assert.match(String(next), /Do not say that it is deployed/);
      const skipped = await deploy('update', { timeout: 90_000, 'x-verify': echoes(1) }, { verifySeconds: 0 });
      assert.deepEqual(skipped.slice(0, 2), [false, 'skipped']);
      assert.doesNotMatch(asked.at(-1)?.detail ?? '', /x-verify/);
      const cmd = [process.execPath, '-e', 'console.error("no model file"); process.exit(3)'];
      const crashing = await deploy('update', { cmd, workers: { min: 1, max: 1 } });
      assert.deepEqual(crashing.slice(0, 2), [false, 'failed']);
      assert.match(JSON.stringify(crashing[2]['verification']), /no model file/);
      assert.equal((await client.listEndpoints({})).endpoints.length, 1);
    });

    it('are verified with the requests of a file, which stays in the workspace', async () => {
      const { call, write } = await toolWorld();
      const balanced = { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } } as const;
      const deploy = async (request: string) => {
        const body = endpointBody({ name: 'w', ...balanced, workers: { min: 0, max: 1 } });
        const cmd = [process.execPath, 'server.mjs'];
        await write('w.endpoint.json', { ...body, cmd, 'x-verify': { request } });
        return call('deploy_endpoint', { action: 'createAnother', file: 'w.endpoint.json' });
      };
      await write('w.http', '# @expect body {"method": "GET"}\nGET /echo\n');
      assert.deepEqual([(await deploy('w.http'))['deployed']], [true]);
      for (const file of ['../w.http', '/etc/hostname']) {
        const { error } = await deploy(file);
        assert.equal(error?.code, 'invalidInput');
        assert.match(error.message, /^x-verify\.request: /);
      }
      await write('w.http', '# @expect status 200\nPOST /size\n\n< /etc/hostname\n');
      const { deployed, verification } = await deploy('w.http');
      assert.equal(deployed, false);
      assert.match(JSON.stringify(verification), /cannot be read/);
    });

    it('are scaled, listed, and deleted by name or ID', async () => {
      const { call, asked, client } = await toolWorld();
      const { id } = await createWorker(client, 's', { workers: { min: 0, max: 0 } });
      const scaled = await call('scale_endpoint', { endpoint: id, min: 0, max: 3 });
      assert.equal(as<{ max: number }>(scaled['after']).max, 3);
      assert.match(asked[0]?.detail ?? '', /^Now: 0 to 0 workers\nNo workers while idle, up to 3 under load\.\n/);
      const { count } = await call('read_endpoints', { nameContains: 'S' });
      assert.equal(count, 1);
      assert.equal((await call('read_endpoints', { nameContains: 'x' }))['count'], 0);
      assert.equal(codeOf(await call('read_endpoints', { nameContains: 's', endpoint: 's' })), 'invalidInput');
      const { error } = await call('delete_endpoint', { endpoint: 'S' });
      assert.equal(error?.code, 'notFound');
      assert.ok(error.message.includes(`“s” (${id})`));
      await call('delete_endpoint', { endpoint: 's' });
      assert.match(asked.at(-1)?.detail ?? '', /This cannot be undone/);
      assert.equal((await client.listEndpoints({})).endpoints.length, 0);
    });

    it('are explained with the cause, the evidence, and the tools for the next steps', async () => {
      const { call, client } = await toolWorld();
      await createWorker(client, 'broken', { cmd: [process.execPath, '-e', 'throw new Error("no model")'] });
      const explained = await eventually('the crash is seen', async () => {
        const found = await call('read_endpoints', { endpoint: 'broken' });
        return found['cause'] === 'crashLoop' && found;
      });
      assert.match(JSON.stringify(explained['evidence']), /no model/);
      assert.ok(Array.isArray(explained['activeWorkers']));
      const steps = as<{ tool: string }[]>(explained['nextSteps']).map(({ tool }) => tool);
      assert.deepEqual(steps.toSorted(), ['deploy_endpoint', 'read_logs', 'scale_endpoint']);
    });
  });

  describe('Manifests', () => {
    it('are validated with positions and fixes', async () => {
      const { call, write } = await toolWorld();
      await write(
        'm.endpoint.yaml',
        'name: m\ntype: QEUE\nscaling: { type: QUEUE_DELAY, queueDelay: 4 }\nworker: { max: 1 }\n',
      );
      const checked = await call('validate_manifest', { file: 'm.endpoint.yaml' });
      assert.equal(checked['valid'], false);
      assert.equal(checked['hardwareChecked'], true);
      const problems = as<{ line: number; column: number; code: string; fixes?: { title: string }[] }[]>(
        checked['problems'],
      );
      const ofType = problems.find(({ line }) => line === 2);
      assert.equal(ofType?.column, 7);
      assert.match(ofType.fixes?.[0]?.title ?? '', /QUEUE/);
      assert.match(String(checked['textWithPreferredFixes']), /type: QUEUE\n/);
      const valid = JSON.stringify(endpointBody({ name: 'valid' }));
      assert.equal((await call('validate_manifest', { text: valid }))['valid'], true);
      assert.equal(codeOf(await call('validate_manifest', {})), 'invalidInput');
      assert.equal(codeOf(await call('validate_manifest', { file: '../m.yaml' })), 'outsideWorkspace');
      assert.equal(codeOf(await call('validate_manifest', { file: 'none.yaml' })), 'noFile');
      await write('.env', 'PASSWORD=hush');
      assert.equal(codeOf(await call('validate_manifest', { file: '.env' })), 'invalidInput');
    });

    it('are refused if they are invalid or lack a secret', async () => {
      const { call, client } = await toolWorld();
      const invalid = await call('deploy_endpoint', { action: 'create', text: 'name: m\n' });
      assert.equal(invalid.error?.code, 'invalidManifest');
      assert.match(invalid.error.remedy, /validate_manifest/);
      const body = { ...endpointBody({ name: 'm' }), env: { TOKEN: '${secret:NOWHERE}' } };
      const unresolved = await call('deploy_endpoint', { action: 'create', text: JSON.stringify(body) });
      assert.equal(unresolved.error?.code, 'unresolvedReferences');
      assert.match(unresolved.error.message, /\$\{secret:NOWHERE\}/);
      assert.equal((await client.listEndpoints({})).endpoints.length, 0);
    });
  });

  describe('Jobs', () => {
    it('run with an input or a file, and return the output', async () => {
      const { call, client, write } = await toolWorld();
      await createWorker(client, 'q');
      const ran = await call('run_job', { endpoint: 'q', input: { do: 'echo', value: [1, 2] } });
      assert.deepEqual([ran['status'], ran['output'], ran['isFinished']], ['COMPLETED', [1, 2], true]);
      await write('jobs/one.job.json', { endpoint: 'q', input: { do: 'echo', value: 'from the file' } });
      assert.equal((await call('run_job', { file: 'jobs/one.job.json' }))['output'], 'from the file');
      await write('jobs/bad.job.json', '{ "endpoint": "q",\n "input": 3 }');
      const { error } = await call('run_job', { file: 'jobs/bad.job.json' });
      assert.equal(error?.code, 'invalidInput');
      assert.match(error.message, /^jobs\/bad\.job\.json:2:11: input: must be an object/);
      await write('jobs/none.job.json', { input: {} });
      assert.equal(codeOf(await call('run_job', { file: 'jobs/none.job.json' })), 'invalidInput');
      assert.equal(codeOf(await call('run_job', { file: '/etc/passwd' })), 'outsideWorkspace');
      assert.equal(codeOf(await call('run_job', { endpoint: 'q' })), 'invalidInput');
      assert.equal(
        codeOf(await call('run_job', { endpoint: 'q', input: {}, file: 'jobs/one.job.json' })),
        'invalidInput',
      );
    });

    it('that fail return the error and their last log lines, and can be retried', async () => {
      const { call, client, asked } = await toolWorld();
      await createWorker(client, 'q');
      const failed = await call('run_job', { endpoint: 'q', input: { do: 'fail' } });
      assert.equal(failed['status'], 'FAILED');
      assert.match(JSON.stringify(failed['jobError']), /as asked/);
      const retried = await call('run_job', { endpoint: 'q', retry: failed['id'] });
      assert.deepEqual([retried['id'], retried['status']], [failed['id'], 'FAILED']);
      const begun = await call('run_job', { endpoint: 'q', retry: failed['id'], waitSeconds: 0 });
      assert.equal(begun['isFinished'], false);
      const again = await call('read_job', { endpoint: 'q', job: failed['id'], waitSeconds: 30 });
      assert.equal(again['status'], 'FAILED');
      for (const wrong of [{ retry: failed['id'] }, { endpoint: 'q', retry: failed['id'], input: {} }])
        assert.equal(codeOf(await call('run_job', wrong)), 'invalidInput');
      const traced = await call('read_job', { endpoint: 'q', job: failed['id'], timeline: true });
      const { isComplete, spans } = traced['timeline'] as {
        isComplete: boolean;
        spans: { kind: string; outcome?: string }[];
      };
      assert.equal(isComplete, true);
      assert.equal(spans.find(({ kind }) => kind === 'running')?.outcome, 'failed');
      assert.equal(codeOf(await call('read_job', { endpoint: 'q', job: 'nowhere' })), 'notFound');
      const { id } = await call('run_job', { endpoint: 'q', input: { do: 'echo' } });
      const questions = asked.length;
      assert.equal(codeOf(await call('run_job', { endpoint: 'q', retry: id })), 'notPossible');
      assert.equal(asked.length, questions, 'asks nothing for a job that succeeded');
    });

    it('that take long continue, and can be read and canceled', async () => {
      const { call, client } = await toolWorld();
      await createWorker(client, 'q');
      const begun = await call('run_job', { endpoint: 'q', input: { do: 'hang' }, waitSeconds: 1 });
      assert.equal(begun['isFinished'], false);
      const { canceled, status } = await call('cancel_job', { endpoint: 'q', job: begun['id'] });
      assert.deepEqual([canceled, status], [true, 'CANCELLED']);
      assert.equal((await call('cancel_job', { endpoint: 'q', job: begun['id'] }))['canceled'], false);
      const submitted = await call('run_job', { endpoint: 'q', input: { do: 'echo', value: 1 }, waitSeconds: 0 });
      const read = await call('read_job', { endpoint: 'q', job: submitted['id'], waitSeconds: 30 });
      assert.equal(read['output'], 1);
    });

    it('are canceled on the platform if the call is canceled', async () => {
      const { call, client, reports } = await toolWorld();
      const { id: endpointId } = await createWorker(client, 'q');
      const abort = new AbortController();
      const running = call('run_job', { endpoint: 'q', input: { do: 'hang' } }, { signal: abort.signal });
      await eventually('the job runs', () => reports.some((text) => text.includes('running')));
      abort.abort();
      const { id } = await running;
      const { status } = await client.getJobStatus({ endpointId, jobId: String(id) });
      assert.equal(status, 'CANCELLED');
    });

    it('that run again are canceled on the platform if the call is canceled', async () => {
      const { call, client, reports } = await toolWorld();
      const { id: endpointId } = await createWorker(client, 'q');
      const { id } = await call('run_job', { endpoint: 'q', input: { do: 'fail' } });
      await call('scale_endpoint', { endpoint: 'q', min: 0, max: 0 });
      const abort = new AbortController();
      reports.length = 0;
      const running = call('run_job', { endpoint: 'q', retry: id }, { signal: abort.signal });
      await eventually('the job waits', () => reports.length > 0);
      abort.abort();
      assert.equal((await running)['id'], id);
      assert.equal((await client.getJobStatus({ endpointId, jobId: String(id) })).status, 'CANCELLED');
    });

    it('that had ended when the user could have been asked are not canceled if they run again', async () => {
      const { call, client, context } = await toolWorld();
      await createWorker(client, 'q');
      const { id } = await call('run_job', { endpoint: 'q', input: { do: 'fail' } });
      await call('scale_endpoint', { endpoint: 'q', min: 0, max: 0 });
      const cancel = { endpoint: 'q', job: id };
      const { question, act } = await toolNamed('cancel_job').plan(cancel, { ...context, hide: () => undefined });
      assert.equal(question, undefined);
      await call('run_job', { endpoint: 'q', retry: id, waitSeconds: 0 });
      const { canceled, status } = as<Outcome>(await act());
      assert.deepEqual([canceled, status], [false, 'IN_QUEUE']);
    });

    it('run twice at once', async () => {
      const { call, client } = await toolWorld();
      await createWorker(client, 'q');
      const input = { endpoint: 'q', input: { do: 'echo', value: 'both' } };
      const [one, other] = await Promise.all([call('run_job', input), call('run_job', input)]);
      assert.deepEqual([one['output'], other['output']], ['both', 'both']);
      assert.notEqual(one['id'], other['id']);
    });

    it('return a bounded output', async () => {
      const { call, client } = await toolWorld();
      await createWorker(client, 'q');
      const value = Array.from({ length: 20_000 }, (_, index) => `item ${index}`);
      const large = await call('run_job', { endpoint: 'q', input: { do: 'echo', value } });
      assert.ok(JSON.stringify(large).length <= LARGEST_OUTPUT);
      assert.equal(large['status'], 'COMPLETED');
      assert.match(String(as<unknown[]>(large['output']).at(-1)), /^\d+ more items left out$/);
    });

    it('are refused by a load-balanced endpoint', async () => {
      const { call, client } = await toolWorld();
      const web = { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } } as const;
      await createWorker(client, 'web', { ...web, workers: { min: 0, max: 0 } });
      const { error } = await call('run_job', { endpoint: 'web', input: {} });
      assert.equal(error?.code, 'notPossible');
      assert.match(error.message, /send_request/);
    });
  });

  describe('Logs', () => {
    async function printed(): Promise<ToolWorld> {
      const world = await toolWorld();
      await createWorker(world.client, 'q', { workers: { min: 1, max: 1 } });
      await world.call('run_job', { endpoint: 'q', input: { do: 'print', lines: 1_000 } });
      return world;
    }

    it('are read from their end, with a limit', async () => {
      const { call } = await printed();
      const read = await call('read_logs', { endpoint: 'q', lines: 20, source: 'container' });
      const lines = as<string[]>(read['lines']);
      assert.equal(lines.length, 20);
      assert.match(lines.join('\n'), /line 1000$/m);
      const { count, olderLinesLeftOut } = await call('read_logs', { endpoint: 'q', lines: 500 });
      assert.equal(Number(count) + Number(olderLinesLeftOut), 500);
      const [worker] = as<string[]>(read['workers']);
      assert.equal(
        as<string[]>((await call('read_logs', { endpoint: 'q', worker, since: '1h' }))['lines']).length,
        100,
      );
      assert.equal(codeOf(await call('read_logs', { endpoint: 'q', since: 'yesterday' })), 'invalidInput');
      const gone = await call('read_logs', { endpoint: 'q', worker: 'nowhere' });
      assert.deepEqual(gone['withoutLog'], ['nowhere']);
    });

    it('are searched for text and expressions, even for those that take exponential time', async () => {
      const { call, client } = await printed();
      const found = await call('read_logs', { endpoint: 'q', query: 'LINE 77' });
      assert.equal(found['hits'], 11);
      assert.equal((await call('read_logs', { endpoint: 'q', query: '/line 9\\d{2}$/' }))['hits'], 100);
      assert.equal(codeOf(await call('read_logs', { endpoint: 'q', query: '/(/' })), 'invalidInput');
      const base64 = Buffer.from(`${'a'.repeat(40)}!\n`).toString('base64');
      await call('run_job', { endpoint: 'q', input: { do: 'write', base64 } });
      const slow = await call('read_logs', { endpoint: 'q', query: '/^.*\\s(a+)+$|^(a+)+$/' });
      assert.equal(slow['linesTooSlowToSearch'], 1);
      assert.ok((await client.listEndpoints({})).endpoints.length === 1);
    });

    it('of an endpoint without workers are empty, with a hint', async () => {
      const { call, client } = await toolWorld();
      await createWorker(client, 'paused', { workers: { min: 0, max: 0 } });
      const { hint, lines } = await call('read_logs', { endpoint: 'paused' });
      assert.deepEqual([hint, lines], ['The endpoint has no active workers. A job or request starts one.', []]);
    });
  });

  describe('The local platform', () => {
    it('is changed in one way for each question', async () => {
      const { call, asked } = await toolWorld();
      const clock = { frozen: true };
      for (const wrong of [{}, { clock, faults: { remove: 'all' } }, { seed: {} }, { seed: { file: 'a', jobs: [] } }])
        assert.equal(codeOf(await call('change_local_platform', wrong)), 'invalidInput');
      assert.deepEqual(asked, []);
      await call('change_local_platform', { clock });
      assert.deepEqual(
        asked.map(({ title }) => title),
        ['Change the clock of the local platform: freeze?'],
      );
    });
  });

  describe('Requests', () => {
    const web = {
      ...({ type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } } as const),
      image: `process:${fixtures}`,
      cmd: [process.execPath, 'server.mjs'],
    };

    it('wait for a worker, and return the status, the headers, and the body', async () => {
      const { call, client, asked } = await toolWorld();
      await createWorker(client, 'web', web);
      const request = { endpoint: 'web', method: 'POST', path: '/echo?a=1', body: { hello: 'world' } };
      const sent = await call('send_request', {
        ...request,
        headers: { 'X-Test': 'yes', Authorization: 'Bearer mine' },
      });
      assert.equal(sent['status'], 200);
      const body = as<{ method: string; url: string; headers: Record<string, string>; body: string }>(sent['body']);
      assert.deepEqual([body.method, body.url, body.body], ['POST', '/echo?a=1', '{"hello":"world"}']);
      assert.equal(body.headers['x-test'], 'yes');
      assert.equal(body.headers['content-type'], 'application/json');
      assert.match(
        asked[0]?.detail ?? '',
        /^Request: POST \/echo\?a=1\nHeaders: X-Test, Authorization\nBody: \{"hello":"world"\}\n/,
      );
      assert.equal(
        (await call('send_request', { endpoint: 'web', method: 'GET', path: '/status/418' }))['status'],
        418,
      );
      const get = { endpoint: 'web', method: 'GET', path: '/x', body: 'text' };
      assert.equal(codeOf(await call('send_request', get)), 'invalidInput');
      const leaving = await call('send_request', { endpoint: 'web', method: 'GET', path: '/../../v2/serverless' });
      assert.equal(codeOf(leaving), 'validation');
    });

    it('end when the call is canceled', async () => {
      const { call, client } = await toolWorld();
      await createWorker(client, 'web', web);
      await call('send_request', { endpoint: 'web', method: 'GET', path: '/status/200' });
      const abort = new AbortController();
      const hanging = call(
        'send_request',
        { endpoint: 'web', method: 'GET', path: '/silent' },
        { signal: abort.signal },
      );
      const isReceived = async () => {
        const { endpoints } = await call('read_endpoints', { workers: true });
        return as<{ activeWorkers: unknown[] }[]>(endpoints).some(({ activeWorkers }) => activeWorkers.length > 0);
      };
      await eventually('the request is sent', isReceived);
      abort.abort();
      assert.equal(codeOf(await hanging), 'canceled');
    });

    it('end if no response begins in time, and at once if the endpoint is paused', async () => {
      const { call, client } = await toolWorld();
      await createWorker(client, 'paused', { ...web, workers: { min: 0, max: 0 } });
      const request = { method: 'GET', path: '/silent', waitSeconds: 1 };
      assert.equal(codeOf(await call('send_request', { ...request, endpoint: 'paused' })), 'notPossible');
      await createWorker(client, 'web', web);
      assert.equal(codeOf(await call('send_request', { ...request, endpoint: 'web' })), 'timeout');
    });
  });
});
