import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { createClient, type Client } from '../../src/client/client.ts';
import { createControlClient, type ControlClient } from '../../src/client/controlClient.ts';
import type { Fault } from '../../src/contract/control/control.ts';
import type { Job } from '../../src/contract/job.ts';
import { LOCAL_ID } from '../../src/account/connections/connectionDocument.ts';
import { JOB_SCHEME } from '../../src/features/jobs/model/jobNames.ts';
import { jobAddresses } from '../../src/features/jobs/results/jobAddress.ts';
import { platformProcess, type StartedPlatform } from '../../src/account/localPlatform/platformProcess.ts';
import { activated, extension, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;

interface WelcomeText {
  readonly view: string;
  readonly when: string;
  readonly contents: string;
}

/** Shares a platform with the extension. Adds data and injects faults through the control API. */
describe('The extension with a failing platform', () => {
  let dataDir: string;
  let platform: StartedPlatform;
  let control: ControlClient;
  let client: Client;
  const errors: string[] = [];
  const { showErrorMessage } = vscode.window;
  const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
  const commands = vscode.commands as { executeCommand: typeof executeCommand };
  /** Context keys that the extension sets during the tests. */
  const keys = new Map<string, unknown>();

  const setting = () => vscode.workspace.getConfiguration('cloudCompute.localPlatform');

  before(async () => {
    await activated();
    commands.executeCommand = ((command: string, ...args: unknown[]) => {
      if (command === 'setContext') keys.set(String(args[0]), args[1]);
      return executeCommand(command, ...args);
    }) as typeof executeCommand;
    window.showErrorMessage = (message: string) => {
      errors.push(message);
      return Promise.resolve(undefined);
    };

    dataDir = await mkdtemp(path.join(tmpdir(), 'cloud-compute-trouble-'));
    const script = path.join(extension().extensionPath, 'dist', 'platform.js');
    const log = vscode.window.createOutputChannel('Test of trouble', { log: true });
    platform = await platformProcess({ script, dataDir: () => dataDir, port: () => 0, log })();
    const options = { connection: platform.announcement, fetch: globalThis.fetch };
    [control, client] = [createControlClient(options), createClient(options)];
    await setting().update('dataDirectory', dataDir, vscode.ConfigurationTarget.Global);
    await executeCommand('cloudCompute.localPlatform.start');
  });

  afterEach(async () => {
    await control.reset({});
    errors.length = 0;
  });

  after(async () => {
    commands.executeCommand = executeCommand;
    window.showErrorMessage = showErrorMessage;
    await executeCommand('workbench.action.closeAllEditors');
    await executeCommand('cloudCompute.localPlatform.stop');
    await executeCommand('notifications.clearAll');
    await setting().update('dataDirectory', undefined, vscode.ConfigurationTarget.Global);
    await platform.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  });

  /** Creates an endpoint with the sample worker and the given jobs. @returns the endpoint's id */
  async function seed(jobs: readonly { id: string; status: 'FAILED'; error: string }[] = []): Promise<string> {
    const { endpoints } = await control.seed({
      body: {
        endpoints: [
          {
            name: 'troubled',
            type: 'QUEUE',
            scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
            workers: { min: 0, max: 1 },
            image: `process:${vscode.Uri.joinPath(workspaceFolder(), 'hello').fsPath}`,
            cmd: ['node', 'handler.mjs'],
            cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
          },
        ],
        jobs: jobs.map((job) => ({ ...job, endpoint: 'troubled', at: '-2h' })),
      },
    });
    const [id] = endpoints;
    assert.ok(id);
    await executeCommand('cloudCompute.endpoints.refresh');
    return id;
  }

  const fault = (body: Partial<Fault> & Pick<Fault, 'operation'>) => control.addFault({ body });

  /** Returns the commands of the buttons that the endpoints view shows for an error. */
  function buttons(error: string): string[] {
    const { contributes } = extension().packageJSON as { contributes: { viewsWelcome: WelcomeText[] } };
    const matches = (when: string) =>
      when.includes(`endpointsError == ${error} `) ||
      (/endpointsError =~ \/(\S+)\//.exec(when)?.[1] ?? '').split(/[^a-zA-Z]+/).includes(error);
    return contributes.viewsWelcome
      .filter(({ view, when }) => view === 'cloudCompute.endpoints' && matches(when))
      .flatMap(({ contents }) => [...contents.matchAll(/command:([\w.]+)/g)].map(([, command = '']) => command));
  }

  for (const { name, how, error } of [
    { name: '503', how: { status: 503 }, error: 'server' },
    { name: 'a dropped connection', how: { drop: true }, error: 'network' },
  ] as const) {
    it(`shows an error when the endpoints cannot be read (${name}), and its button retries`, async () => {
      await seed();
      const { id } = await fault({ operation: 'listEndpoints', ...how });
      await executeCommand('cloudCompute.endpoints.refresh');
      assert.deepEqual(
        [keys.get('cloudCompute.endpoints'), keys.get('cloudCompute.endpointsError')],
        ['failed', error],
      );
      const [button = '', ...others] = buttons(error);
      assert.deepEqual(others, []);
      await executeCommand(button);
      assert.equal(keys.get('cloudCompute.endpoints'), 'failed');
      await control.removeFault({ id });
      await executeCommand(button);
      assert.deepEqual(
        [keys.get('cloudCompute.endpoints'), keys.get('cloudCompute.endpointsError')],
        ['ready', undefined],
      );
    });
  }

  const jobUri = (job: { connectionId: string; endpointId: string; jobId: string }) =>
    vscode.Uri.from(jobAddresses.uri({ ...job, part: 'result' }, 'name'));

  it('shows an earlier failed job, and shows an error for a job until it can be read', async () => {
    const endpointId = await seed([
      { id: 'old-one', status: 'FAILED', error: 'CUDA out of memory' },
      { id: 'old-two', status: 'FAILED', error: 'the second' },
    ]);
    const uriOf = (jobId: string) => jobUri({ connectionId: LOCAL_ID, endpointId, jobId });
    const job = JSON.parse((await vscode.workspace.openTextDocument(uriOf('old-one'))).getText()) as Job;
    assert.deepEqual([job.status, job.error], ['FAILED', 'CUDA out of memory']);

    await fault({ operation: 'getJobStatus', status: 401 });
    const document = await vscode.workspace.openTextDocument(uriOf('old-two'));
    await vscode.window.showTextDocument(document);
    assert.match(document.getText(), /The API key was not accepted/);
    await control.removeFaults({});
    await vscode.workspace.fs.stat(document.uri);
    await waitFor([vscode.workspace.onDidChangeTextDocument] as vscode.Event<never>[], () =>
      document.getText().includes('the second'),
    );
  });

  it('reports an address whose connection no longer exists', async () => {
    const endpointId = await seed([{ id: 'older', status: 'FAILED', error: 'out of memory' }]);
    const gone = await vscode.workspace.openTextDocument(jobUri({ connectionId: 'gone', endpointId, jobId: 'older' }));
    assert.match(gone.getText(), /It belongs to a connection that no longer exists\./);
    assert.doesNotMatch(gone.getText(), /out of memory/);
  });

  /** Runs a job on the only endpoint. @returns the jobs in the visible documents */
  async function run(name: string): Promise<Job[]> {
    await executeCommand('workbench.action.closeAllEditors');
    const file = vscode.Uri.joinPath(workspaceFolder(), name);
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode('{ "input": { "name": "you", "seconds": 1 } }'));
    await executeCommand('cloudCompute.jobs.run', file);
    return vscode.window.visibleTextEditors
      .filter(({ document }) => document.uri.scheme === JOB_SCHEME)
      .map(({ document }) => JSON.parse(document.getText()) as Job);
  }

  it('follows a job to its end despite temporary connection failures', async () => {
    await seed();
    await fault({ operation: 'getJobStatus', drop: true, count: 2 });
    await fault({ operation: 'getJobStatus', status: 502, count: 1 });
    const [job] = await run('bumpy.job.json');
    assert.equal(job?.status, 'COMPLETED');
    assert.deepEqual((await control.listFaults({})).faults, [], 'all faults were injected');
    assert.deepEqual(errors, []);
  });

  it('does not submit a job again when the answer is lost, because the job would run twice', async () => {
    const endpointId = await seed();
    await fault({ operation: 'runJob', when: 'after', drop: true });
    assert.deepEqual(await run('lost.job.json'), []);
    assert.equal(errors.length, 1);
    assert.match(errors[0] ?? '', /^Could not run the job: the platform cannot be reached/);
    const { requests } = await control.listRequests({ query: { operation: 'runJob' } });
    assert.equal(requests.length, 1);
    const { jobs } = await client.getEndpointHealth({ endpointId });
    assert.equal(jobs.inQueue + jobs.inProgress + jobs.completed, 1);
  });
});
