import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { inputs } from './inputs.ts';
import { jobDocument, JobWorld } from './jobWorld.ts';
import { extension, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;

interface Contributions {
  readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
}

/** The error of a tool, as its message contains it. */
interface ToolFailure {
  readonly error: { readonly code: string; readonly message: string; readonly remedy: string };
}

/** Invokes a tool as an agent without a chat. In tests, the editor answers its question with yes. */
async function invoke(name: string, input: object, token?: vscode.CancellationToken): Promise<Record<string, unknown>> {
  const options = { input, toolInvocationToken: undefined };
  const { content } = await vscode.lm.invokeTool(`cloudCompute_${name}`, options, token);
  const [part, ...others] = content;
  assert.equal(others.length, 0);
  assert.ok(part instanceof vscode.LanguageModelTextPart);
  return JSON.parse(part.value) as Record<string, unknown>;
}

/** Resolves with the error of a tool. */
async function failureOf(call: Promise<unknown>): Promise<ToolFailure['error']> {
  const error = await call.then(
    () => assert.fail('the tool succeeded'),
    (reason: unknown) => reason as Error,
  );
  const json = /\{.*\}/s.exec(error.message)?.[0];
  assert.ok(json, error.message);
  return (JSON.parse(json) as ToolFailure).error;
}

const written: vscode.Uri[] = [];

async function write(name: string, content: string): Promise<void> {
  const uri = vscode.Uri.joinPath(workspaceFolder(), name);
  written.push(uri);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(content));
}

/** Other tests look for the endpoint of a job file in the manifests of the workspace. */
async function deleteWritten(): Promise<void> {
  await executeCommand('workbench.action.closeAllEditors');
  for (const uri of written.splice(0)) await vscode.workspace.fs.delete(uri);
}

describe('Language-model tools', () => {
  it('are those of package.json, for agents in trusted workspaces', async () => {
    await extension().activate();
    const { contributes } = extension().packageJSON as Contributions;
    const registered = vscode.lm.tools.filter(({ name }) => name.startsWith('cloudCompute_'));
    const sorted = (names: readonly string[]) => names.toSorted();
    assert.deepEqual(
      sorted(registered.map(({ name }) => name)),
      sorted(contributes.languageModelTools.map(({ name }) => name)),
    );
    for (const { description, inputSchema } of registered) {
      assert.ok(description.length > 100);
      assert.equal((inputSchema as { type: string }).type, 'object');
    }
  });

  it('tell an agent without a connection to start the local platform', async () => {
    const { code, remedy } = await failureOf(invoke('read_endpoints', {}));
    assert.equal(code, 'notConnected');
    assert.match(remedy, /start_local_platform/);
  });

  describe('on the local platform', () => {
    const world = new JobWorld();
    before(() => world.start());
    after(() => world.stop());
    afterEach(async () => {
      await deleteWritten();
      await world.reset();
    });

    it('list, explain, scale, and delete endpoints', async () => {
      const id = await world.endpoint('agent', { workers: { min: 0, max: 1 } });
      const { count, endpoints } = await invoke('read_endpoints', {});
      assert.equal(count, 1);
      assert.equal((endpoints as { name: string }[])[0]?.name, 'agent');
      const { cause } = await invoke('read_endpoints', { endpoint: 'agent' });
      assert.equal(cause, 'fine');
      await invoke('scale_endpoint', { endpoint: 'agent', min: 0, max: 2 });
      assert.equal((await world.client.getEndpoint({ id })).workers.max, 2);
      await invoke('delete_endpoint', { endpoint: 'agent' });
      assert.equal((await world.client.listEndpoints({})).endpoints.length, 0);
    });

    it('create and update an endpoint from a manifest, and read the editor instead of the file', async () => {
      const manifest = (max: number) =>
        `name: made\ntype: QUEUE\nscaling: { type: QUEUE_DELAY, queueDelay: 1 }\nworkers: { min: 0, max: ${max} }\n` +
        `cpu: [{ id: cpu3c, vcpuCount: 2 }]\ndisk: 5\nx-local: { directory: ${JSON.stringify(world.directory)}, command: node handler.mjs }\n`;
      await write('made.endpoint.yaml', manifest(1));
      const input = { file: 'made.endpoint.yaml' };
      assert.equal((await invoke('validate_manifest', input))['valid'], true);
      await invoke('deploy_endpoint', { action: 'create', ...input });
      const uri = vscode.Uri.joinPath(workspaceFolder(), 'made.endpoint.yaml');
      const editor = await vscode.window.showTextDocument(uri);
      const { document } = editor;
      const all = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
      await editor.edit((edit) => edit.replace(all, manifest(3)));
      assert.equal((await invoke('deploy_endpoint', { action: 'update', ...input }))['updated'], true);
      assert.equal((await world.client.listEndpoints({})).endpoints[0]?.workers.max, 3);
      await document.save();
    });

    it('ask again with a dialog of their own before a deployment in production, whatever the user allows in general', async () => {
      const name = `production-${Date.now()}`;
      await write(
        'production.endpoint.yaml',
        `name: ${name}\ntype: QUEUE\nscaling: { type: QUEUE_DELAY, queueDelay: 1 }\ncpu: [{ id: cpu3c, vcpuCount: 2 }]\n` +
          'workers: { min: 0, max: 0 }\nx-local: { directory: ., command: node worker.mjs }\n' +
          'x-environments: { staging: { patch: { timeout: 60000 } }, production: {} }\n',
      );
      const deploy = (environment: string) =>
        invoke('deploy_endpoint', { action: 'create', file: 'production.endpoint.yaml', environment });
      const no = inputs();
      assert.equal((await failureOf(deploy('production'))).code, 'declined');
      no.done();
      assert.equal(no.asked.length, 1);
      assert.match(no.asked[0] ?? '', /Environment: production, which is PRODUCTION/);
      const yes = inputs({ confirm: 'Deploy' });
      const { created } = await deploy('production');
      yes.done();
      const { id } = created as { readonly id: string };
      await invoke('delete_endpoint', { endpoint: id });
      const none = inputs();
      const { created: staging } = await deploy('staging');
      none.done();
      assert.deepEqual(none.asked, []);
      await invoke('delete_endpoint', { endpoint: (staging as { readonly id: string }).id });
    });

    it('run jobs, read them, retry them, and read and search their logs', async () => {
      await world.endpoint('jobs');
      const ran = await invoke('run_job', { endpoint: 'jobs', input: { do: 'echo', value: 7 } });
      assert.deepEqual([ran['status'], ran['output']], ['COMPLETED', 7]);
      const failed = await invoke('run_job', { endpoint: 'jobs', input: { do: 'raise' } });
      assert.equal(failed['status'], 'FAILED');
      assert.match(JSON.stringify(failed['jobError']), /no prompt/);
      await invoke('run_job', { endpoint: 'jobs', retry: failed['id'] });
      const again = await invoke('read_job', { endpoint: 'jobs', job: failed['id'], waitSeconds: 30 });
      assert.equal(again['status'], 'FAILED');
      const { activeWorkers } = await invoke('read_endpoints', { endpoint: 'jobs' });
      assert.equal((activeWorkers as unknown[]).length, 1);
      const { lines } = await invoke('read_logs', { endpoint: 'jobs' });
      assert.match((lines as string[]).join('\n'), /worker is ready|started/);
      assert.ok(Number((await invoke('read_logs', { endpoint: 'jobs', query: 'start' }))['hits']) > 0);
      // The job is in the history, so that the user can open it.
      const row = { kind: 'job', connectionId: 'local', jobId: ran['id'] };
      await executeCommand('cloudCompute.jobs.openResult', row);
      assert.match((await jobDocument('.json', /"output": 7/)).getText(), /COMPLETED/);
    });

    it('run a job file of the workspace, and refuse a file outside', async () => {
      await world.endpoint('files');
      await write('agent.job.json', JSON.stringify({ endpoint: 'files', input: { do: 'echo', value: 'file' } }));
      assert.equal((await invoke('run_job', { file: 'agent.job.json' }))['output'], 'file');
      for (const file of ['../outside.job.json', '/etc/passwd'])
        assert.equal((await failureOf(invoke('run_job', { file }))).code, 'outsideWorkspace');
    });

    it('send requests to load-balanced endpoints', async () => {
      await world.endpoint('web', {
        ...({ type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } } as const),
        image: `process:${extension().extensionPath}/test/platform/fixtures`,
        cmd: ['node', 'server.mjs'],
      });
      const { status, body } = await invoke('send_request', {
        ...{ endpoint: 'web', method: 'POST', path: '/size', body: 'four' },
      });
      assert.deepEqual([status, body], [200, 4]);
    });

    it('refuse wrong arguments with the names of the fields', async () => {
      const { code, message } = await failureOf(invoke('scale_endpoint', { endpoint: 'a', min: 2, max: 1 }));
      assert.equal(code, 'invalidInput');
      assert.match(message, /min: must not be greater than max/);
    });

    it('run twice at once', async () => {
      await world.endpoint('twice');
      const input = { endpoint: 'twice', input: { do: 'echo', value: 'both' } };
      const both = await Promise.all([invoke('run_job', input), invoke('run_job', input)]);
      assert.deepEqual(
        both.map(({ output }) => output),
        ['both', 'both'],
      );
      assert.notEqual(both[0]['id'], both[1]['id']);
    });

    it('cancel the job on the platform if the call is canceled', async () => {
      const endpointId = await world.endpoint('canceled');
      const canceled = new vscode.CancellationTokenSource();
      const call = invoke('run_job', { endpoint: 'canceled', input: { do: 'wait' } }, canceled.token);
      const ended = assert.rejects(call);
      for (;;) {
        const { jobs } = await world.client.getEndpointHealth({ endpointId });
        if (jobs.inProgress > 0) break;
        await new Promise((resolve) => setImmediate(resolve));
      }
      canceled.cancel();
      await ended;
      for (;;) {
        const { jobs } = await world.client.getEndpointHealth({ endpointId });
        if (jobs.inProgress === 0) break;
        await new Promise((resolve) => setImmediate(resolve));
      }
      const { jobs } = await world.client.getEndpointHealth({ endpointId });
      assert.deepEqual([jobs.completed, jobs.failed, jobs.inQueue], [0, 0, 0]);
    });

    it('are refused in an untrusted workspace', async () => {
      await world.endpoint('untrusted');
      const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, 'isTrusted');
      assert.ok(trusted?.configurable, 'a test can replace the trust');
      Object.defineProperty(vscode.workspace, 'isTrusted', { get: () => false, configurable: true });
      try {
        for (const [name, input] of [
          ['read_endpoints', {}],
          ['run_job', { endpoint: 'untrusted', input: {} }],
        ] as const)
          assert.equal((await failureOf(invoke(name, input))).code, 'untrusted');
      } finally {
        Object.defineProperty(vscode.workspace, 'isTrusted', trusted);
      }
    });
  });
});
