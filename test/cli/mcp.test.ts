import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { AGENT_TOOLS } from '../../src/agents/actions/tools/index.ts';
import { LARGEST_OUTPUT } from '../../src/agents/model/boundedOutput.ts';
import { eventually, fixtures } from '../platform/support.ts';
import { ALLOW, codeOf, McpWorld, type Answer, type Era, type McpClient } from './mcpWorld.ts';

describe('MCP server', function () {
  let world: McpWorld;

  beforeEach(async () => {
    world = await McpWorld.create();
  });

  afterEach(() => world.remove());

  /** A manifest whose worker runs the action that a job selects: see test/platform/fixtures/worker.mjs. */
  const manifest = (changes: object = {}) => ({
    name: 'test',
    type: 'QUEUE',
    scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
    workers: { min: 0, max: 2 },
    cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    disk: 5,
    'x-local': { directory: fixtures, command: [process.execPath, 'worker.mjs'] },
    ...changes,
  });

  function ok(answer: Answer): Answer['value'] {
    assert.equal(answer.isError, false, answer.text);
    return answer.value;
  }

  for (const era of ['legacy', 'modern'] as const satisfies readonly Era[])
    describe(`with a client of the ${era} protocol`, () => {
      it('lists all tools with schemas and hints', async () => {
        const { client } = await world.connect({ era });
        assert.equal((client.getNegotiatedProtocolVersion() ?? '') >= '2026', era === 'modern');
        const { tools } = await client.listTools();
        assert.deepEqual(
          tools.map(({ name }) => name),
          AGENT_TOOLS.map(({ name }) => name),
        );
        for (const tool of tools) {
          const { effect } = AGENT_TOOLS.find(({ name }) => name === tool.name) ?? assert.fail(tool.name);
          assert.equal(tool.inputSchema.type, 'object');
          assert.ok((tool.description ?? '').length > 80, `${tool.name} has a description for a model`);
          const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
          assert.deepEqual([readOnlyHint, destructiveHint], [effect === 'read', effect === 'destroy'], tool.name);
        }
      });

      it('goes from a manifest to a result, its logs, and its bill, and asks before each change', async () => {
        const questions: ElicitRequest['params'][] = [];
        const { call } = bound(
          await world.connect({
            era,
            onQuestion: (question) => {
              questions.push(question);
              return ALLOW;
            },
          }),
        );
        await world.write('test.endpoint.json', manifest());
        assert.equal(codeOf(await call('read_endpoints')), 'notConnected');
        ok(await call('start_local_platform'));
        assert.equal(ok(await call('validate_manifest', { file: 'test.endpoint.json' }))['valid'], true);
        ok(await call('deploy_endpoint', { action: 'create', file: 'test.endpoint.json' }));
        const job = ok(await call('run_job', { endpoint: 'test', input: { do: 'print', lines: 3 } }));
        assert.match(JSON.stringify(job), /COMPLETED/);
        assert.match((await call('read_logs', { endpoint: 'test' })).text, /line 3/);
        assert.equal(ok(await call('read_billing', { period: 'day' }))['isLocal'], true);
        assert.ok('forecast' in ok(await call('read_billing', { period: 'thisMonth' })));
        const estimate = ok(await call('estimate_costs', { endpoint: 'test', jobsPerDay: 1_000, secondsPerJob: 2 }));
        assert.ok((estimate['offers'] as { readonly ownHardware: boolean }[]).some(({ ownHardware }) => ownHardware));
        const asked = questions.map(({ message }) => message.split('\n')[0]);
        assert.equal(asked.length, 3, asked.join('\n'));
        assert.match(questions[1]?.message ?? '', /worker\.mjs/, 'the question shows the command that runs');
      });

      it('does nothing if the user declines, closes the question, or does not decide', async () => {
        const answers = [
          { action: 'decline' },
          { action: 'cancel' },
          { action: 'accept', content: { decision: 'deny' } },
        ] as const satisfies readonly ElicitResult[];
        let answer: ElicitResult = answers[0];
        const { call } = bound(await world.connect({ era, onQuestion: () => answer }));
        for (answer of answers) {
          assert.equal(codeOf(await call('start_local_platform')), 'declined');
          assert.equal(ok(await call('read_local_platform'))['running'], false);
        }
      });

      it('asks again if what a call does changes while the user reads the question', async () => {
        const commands: string[] = [];
        const { call } = bound(
          await world.connect({
            era,
            onQuestion: async ({ message }) => {
              const [command] = /\w+\.mjs/.exec(message) ?? [];
              if (command === undefined) return ALLOW;
              commands.push(command);
              if (commands.length > 1) return { action: 'decline' };
              await world.write('test.endpoint.json', withCommand('other.mjs'));
              return ALLOW;
            },
          }),
        );
        const withCommand = (file: string) =>
          manifest({ 'x-local': { directory: fixtures, command: [process.execPath, file] } });
        ok(await call('start_local_platform'));
        await world.write('test.endpoint.json', withCommand('worker.mjs'));
        assert.equal(
          codeOf(await call('deploy_endpoint', { action: 'create', file: 'test.endpoint.json' })),
          'declined',
        );
        assert.deepEqual(commands, ['worker.mjs', 'other.mjs']);
        assert.equal(ok(await call('read_endpoints'))['count'], 0);
      });

      it('changes nothing if the client cannot ask, unless it was started with --allow-changes', async () => {
        const refused = await (await world.connect({ era })).call('start_local_platform');
        assert.equal(codeOf(refused), 'notAllowed');
        assert.match(refused.text, /Start the local platform.*--allow-changes/);
        const { call } = bound(await world.connect({ era, flags: ['--allow-changes'] }));
        ok(await call('start_local_platform'));
        ok(await call('change_local_platform', { clock: { frozen: true } }));
        const { clock } = ok(await call('read_local_platform')) as { readonly clock: { readonly frozen: boolean } };
        assert.equal(clock.frozen, true);
      });

      it('never deploys in production if the client cannot ask, also with --allow-changes', async () => {
        const { call } = bound(await world.connect({ era, flags: ['--allow-changes'] }));
        ok(await call('start_local_platform'));
        const text = JSON.stringify({ ...manifest(), 'x-environments': { staging: {}, production: {} } });
        const refused = await call('deploy_endpoint', { action: 'create', text, environment: 'production' });
        assert.equal(codeOf(refused), 'notPossible');
        assert.equal(ok(await call('read_endpoints'))['count'], 0);
        ok(await call('deploy_endpoint', { action: 'create', text, environment: 'staging' }));
        assert.equal(ok(await call('read_endpoints'))['count'], 1);
      });

      it('cancels the job of a canceled call, and reports progress', async () => {
        const { call } = bound(await world.connect({ era, flags: ['--allow-changes', '--workspace', world.folder] }));
        ok(await call('start_local_platform'));
        ok(await call('deploy_endpoint', { action: 'create', text: JSON.stringify(manifest()) }));
        const stop = new AbortController();
        const progress: string[] = [];
        const running = call(
          'run_job',
          { endpoint: 'test', input: { do: 'hang' } },
          {
            signal: stop.signal,
            onprogress: ({ message = '' }) => {
              progress.push(message);
              if (/progress|running/i.test(message)) stop.abort();
            },
          },
        );
        await assert.rejects(running);
        assert.ok(progress.length > 0);
        await eventually('the job is canceled', async () => {
          const { text } = await call('read_endpoints', { endpoint: 'test' });
          const { requests } = ok(await call('read_local_platform')) as {
            readonly requests: readonly { readonly operation?: string; readonly status?: number }[];
          };
          assert.ok(text);
          return requests.some(({ operation, status }) => operation === 'cancelJob' && status === 200);
        });
      });
    });

  it('accepts an answer only for the call that asked for it, and not without its question', async () => {
    const { client, call } = bound(await world.connect({ era: 'modern', onQuestion: () => ALLOW }));
    ok(await call('start_local_platform'));
    const ask = (frozen: boolean, answer: object = {}) =>
      client.callTool(
        { name: 'change_local_platform', arguments: { clock: { frozen } }, ...answer },
        { allowInputRequired: true },
      ) as Promise<{ readonly resultType?: string; readonly requestState?: string; readonly isError?: boolean }>;
    const { requestState } = await ask(true);
    assert.ok(requestState !== undefined);
    const inputResponses = { consent: ALLOW };
    for (const [frozen, answer] of [
      [true, { inputResponses }],
      [false, { inputResponses, requestState }],
    ] as const)
      assert.notEqual((await ask(frozen, answer)).requestState, undefined, 'asks again');
    const done = await ask(true, { inputResponses, requestState });
    assert.deepEqual([done.requestState, done.isError ?? false], [undefined, false]);
  });

  /** Each step depends on the previous one. */
  describe('with --allow-changes and a workspace', () => {
    let shared: McpWorld;
    let call: McpClient['call'];

    before(async () => {
      shared = await McpWorld.create();
      ({ call } = bound(await shared.connect({ flags: ['--allow-changes', '--workspace', shared.folder] })));
    });

    after(() => shared.remove());

    it('adds test data and faults to the local platform, and refuses a seed that runs a command', async () => {
      assert.equal(codeOf(await call('change_local_platform', { clock: { frozen: true } })), 'notRunning');
      ok(await call('start_local_platform'));
      await shared.write('seed.yaml', 'usage:\n  - { kind: serverlessGpu, resource: x, usd: 2.5, at: -2h }\n');
      ok(await call('change_local_platform', { seed: { file: 'seed.yaml' } }));
      assert.equal(ok(await call('read_billing', { period: 'day' }))['totalUsd'], 2.5);
      await shared.write('keys.yaml', 'keys:\n  - name: ci\n');
      const keys = await call('change_local_platform', { seed: { file: 'keys.yaml' } });
      assert.deepEqual([ok(keys)['keysCreated'], 'keys' in (ok(keys)['created'] as object)], [1, false]);
      const process = { ...manifest(), image: `process:${fixtures}`, 'x-local': undefined };
      await shared.write('bad.yaml', { endpoints: [process] });
      assert.equal(codeOf(await call('change_local_platform', { seed: { file: 'bad.yaml' } })), 'invalidInput');
      const fault = { operation: 'listEndpoints', status: 418, count: 1 };
      ok(await call('change_local_platform', { faults: { add: fault } }));
      assert.equal((await call('read_endpoints')).isError, true);
      ok(await call('read_endpoints'));
      assert.deepEqual(ok(await call('change_local_platform', { faults: { remove: 'all' } }))['faults'], []);
    });

    it('refuses files outside the workspace, and creates files only inside', async () => {
      const outside = path.join(shared.folder, '..', 'outside.endpoint.json');
      for (const file of [outside, '../outside.endpoint.json', '/etc/passwd', pathToFileURL('/etc/passwd').href])
        assert.equal(codeOf(await call('validate_manifest', { file })), 'outsideWorkspace', file);
      await shared.write('image.png', await readFile(path.join(import.meta.dirname, '../../media/icon.png')));
      const edit = { image: 'image.png', prompt: 'grayscale' };
      assert.equal(codeOf(await call('edit_image', { ...edit, saveAs: '../edited.png' })), 'outsideWorkspace');
      assert.equal(codeOf(await call('edit_image', { ...edit, saveAs: 'image.png' })), 'fileExists');
      const { path: first, seed } = ok(await call('edit_image', edit));
      assert.equal(first, 'image-edited-1.png');
      assert.equal(ok(await call('edit_image', { ...edit, seed }))['path'], 'image-edited-2.png');
      assert.equal(codeOf(await call('edit_image', { ...edit, prompt: 'sing a song' })), 'editFailed');
    });

    it('runs two calls at once', async () => {
      ok(
        await call('deploy_endpoint', {
          action: 'create',
          text: JSON.stringify(manifest({ workers: { min: 2, max: 2 } })),
        }),
      );
      const both = await Promise.all(
        ['a', 'b'].map((value) => call('run_job', { endpoint: 'test', input: { do: 'echo', value } })),
      );
      assert.deepEqual(
        both.map((answer) => (ok(answer), /"output":"(.)"/.exec(answer.text)?.[1])),
        ['a', 'b'],
      );
    });
  });

  it('names the wrong argument, and reports an unknown tool', async () => {
    const { client, call } = bound(await world.connect());
    const wrong = await call('change_local_platform', { clock: { advanceMs: -1 } });
    assert.equal(codeOf(wrong), 'invalidInput');
    assert.match(wrong.text, /advanceMs/);
    assert.equal(codeOf(await call('read_billing', { period: 'decade' })), 'invalidInput');
    await assert.rejects(client.callTool({ name: 'format_disk' }), /Unknown tool: format_disk/);
  });

  it('follows the folders of the client', async () => {
    await world.write('a/one.endpoint.json', manifest());
    await world.write('b/two.endpoint.json', manifest());
    let folder = 'a';
    const roots = () => [pathToFileURL(path.join(world.folder, folder)).href];
    const { client, call } = bound(await world.connect({ roots, flags: [] }));
    ok(await call('validate_manifest', { file: 'one.endpoint.json' }));
    assert.equal(codeOf(await call('validate_manifest', { file: '../b/two.endpoint.json' })), 'outsideWorkspace');
    folder = 'b';
    await client.notification({ method: 'notifications/roots/list_changed' });
    ok(await call('validate_manifest', { file: 'two.endpoint.json' }));
  });

  it('shares the platform of another program, which keeps running', async () => {
    const flags = ['--allow-changes'];
    const first = bound(await world.connect({ flags }));
    ok(await first.call('start_local_platform'));
    ok(await first.call('deploy_endpoint', { action: 'create', text: JSON.stringify(manifest()) }));
    const second = bound(await world.connect());
    assert.equal(ok(await second.call('read_endpoints'))['count'], 1);
    await first.client.close();
    assert.equal(ok(await second.call('read_endpoints'))['count'], 1);
  });

  it('never returns keys, values of references, or more than the maximum size', async () => {
    const secret = 'tiger-stripes-4711';
    const env = { TEST_SECRET: secret, CLOUD_COMPUTE_API_KEY: 'key-of-a-hosted-platform' };
    const { call } = bound(await world.connect({ flags: ['--allow-changes'], env }));
    ok(await call('start_local_platform'));
    const text = JSON.stringify(manifest({ env: { TOKEN: '${secret:TEST_SECRET}' } }));
    const answers = [await call('deploy_endpoint', { action: 'create', text })];
    answers.push(await call('run_job', { endpoint: 'test', input: { do: 'environment' } }));
    const basic = ['', 'a', 'ab'].map((user) => Buffer.from(`${user}:${secret}`).toString('base64'));
    const hex = Buffer.from(secret).toString('hex');
    const encoded = await call('run_job', { endpoint: 'test', input: { do: 'echo', value: [...basic, hex] } });
    assert.match(encoded.text, /"output":\["\w{0,4}…=*","\w{0,4}…=*","\w{0,4}…=*","…"\]/);
    const long = 'x'.repeat(200_000);
    answers.push(await call('run_job', { endpoint: 'test', input: { do: 'echo', value: long } }));
    for (const name of ['read_endpoints', 'read_local_platform']) answers.push(await call(name));
    answers.push(await call('read_endpoints', { endpoint: 'test' }), await call('read_logs', { endpoint: 'test' }));
    for (const answer of answers) {
      ok(answer);
      assert.doesNotMatch(answer.text, /tiger-stripes|key-of-a-hosted/);
      assert.ok(answer.text.length <= LARGEST_OUTPUT);
    }
    const stolen = JSON.stringify(manifest({ name: 'thief', env: { TOKEN: '${env:CLOUD_COMPUTE_API_KEY}' } }));
    assert.equal(codeOf(await call('deploy_endpoint', { action: 'create', text: stolen })), 'unresolvedReferences');
  });

  it('explains a hosted platform that is not configured, and still starts', async () => {
    const { call, server } = bound(
      await world.connect({ env: { CLOUD_COMPUTE_BASE_URL: 'https://api.example.com/v2' } }),
    );
    const answer = await call('read_endpoints');
    assert.equal(codeOf(answer), 'notConnected');
    for (const text of [answer.text, server.stderr]) assert.match(text, /CLOUD_COMPUTE_API_KEY is missing/);
  });

  it('ends with standard input, and leaves no processes', async () => {
    const { client, call } = bound(await world.connect({ flags: ['--allow-changes'] }));
    ok(await call('start_local_platform'));
    ok(
      await call('deploy_endpoint', {
        action: 'create',
        text: JSON.stringify(manifest({ workers: { min: 1, max: 1 } })),
      }),
    );
    await client.close();
    await eventually('no process is left', async () => (await world.leftProcesses()).length === 0);
  });

  const ENDS: Readonly<Record<string, (child: ChildProcess) => void>> = {
    'its client closes standard input': (child) => child.stdin?.end(),
    'its client closes standard output': (child) => {
      child.stdout?.destroy();
      child.stdin?.write(line({ id: 9, method: 'ping' }));
    },
    // Standard input stays open.
    'a line is longer than 10 MB': (child) => child.stdin?.write('x'.repeat(11 * 1024 * 1024)),
    'it is killed': (child) => child.kill('SIGKILL'),
  };
  for (const [cause, end] of Object.entries(ENDS))
    it(`leaves no process, and no platform that it started, when ${cause}`, async () => {
      const child = world.start(['--allow-changes']);
      await startPlatform(child);
      const exited = once(child, 'exit');
      end(child);
      await exited;
      await eventually('no process is left', async () => (await world.leftProcesses()).length === 0);
    });

  it('leaves no process, and no platform that it started, when its client is killed', async () => {
    const client = world.startBehind(['--allow-changes']);
    await startPlatform(client);
    assert.equal((await world.leftProcesses()).length, 3, 'the client, the server, and the platform run');
    client.kill('SIGKILL');
    await eventually('no process is left', async () => (await world.leftProcesses()).length === 0);
  });

  it('stops a platform that is still starting', async () => {
    const child = world.start(['--allow-changes']);
    child.stdin?.write(line(INITIALIZE) + line(START));
    await eventually('the platform starts', async () => (await world.leftProcesses()).length === 2);
    child.stdin?.end();
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal(code, 0);
    assert.deepEqual(await world.leftProcesses(), []);
  });

  const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  const INITIALIZE = {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const START = { id: 2, method: 'tools/call', params: { name: 'start_local_platform', arguments: {} } };

  /** Starts the platform through the protocol. Resolves with the answer. */
  async function startPlatform(child: ChildProcess): Promise<void> {
    child.stdin?.on('error', () => undefined);
    child.stdin?.write(line(INITIALIZE) + line(START));
    let stdout = '';
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    await eventually('the platform runs', () => stdout.includes('"id":2'));
    assert.match(stdout, /"isError":false/);
  }

  it('writes only the protocol to standard output, and exits with 0', async () => {
    const child = world.start();
    let stdout = '';
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stdin?.write('this is not JSON\n');
    const request = { jsonrpc: '2.0', id: 1, method: 'ping' };
    child.stdin?.write(`${JSON.stringify(request)}\n`);
    await eventually('an answer', () => stdout.includes('\n'));
    child.stdin?.end();
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal(code, 0);
    for (const line of stdout.trim().split('\n'))
      assert.equal((JSON.parse(line) as { jsonrpc: string }).jsonrpc, '2.0');
  });

  it('stops the platform when it is interrupted', async () => {
    const child = world.start();
    await once(child.stderr ?? child, 'data');
    child.kill('SIGTERM');
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal(code, 143);
  });

  it('reports invalid arguments, and prints its usage', async () => {
    for (const [flags, expected, text] of [
      [['--workspace', ''], 64, /--workspace <dir>.* It needs a value/],
      [['--help'], 0, /^Usage: cloud-compute mcp/],
    ] as const) {
      const child = world.start(flags);
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number | null];
      assert.equal(code, expected);
      assert.match(output, text);
    }
  });

  function bound(server: Awaited<ReturnType<McpWorld['connect']>>) {
    return { server, client: server.client, call: server.call.bind(server) };
  }
});
