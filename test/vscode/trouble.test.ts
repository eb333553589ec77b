import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { createClient, type Client } from '../../src/client/client.ts';
import { createControlClient, type ControlClient } from '../../src/client/controlClient.ts';
import type { Fault } from '../../src/contract/control/control.ts';
import type { Job } from '../../src/contract/job.ts';
import { LOCAL_ID } from '../../src/features/connections/connectionDocument.ts';
import { JOB_SCHEME, jobPath } from '../../src/features/jobs/jobAddress.ts';
import { platformProcess, type StartedPlatform } from '../../src/features/localPlatform/platformProcess.ts';
import { activated, extension, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;

interface WelcomeText {
  readonly view: string;
  readonly when: string;
  readonly contents: string;
}

/** On a platform that the extension shares with this test, which fills it and makes it fail through its control API. */
describe('The extension, with a platform in trouble', function () {
  this.timeout(90_000);

  let dataDir: string;
  let platform: StartedPlatform;
  let control: ControlClient;
  let client: Client;
  const told: string[] = [];
  const { showErrorMessage } = vscode.window;
  const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
  const commands = vscode.commands as { executeCommand: typeof executeCommand };
  /** The `when` clauses' keys, as the extension sets them from here on. */
  const keys = new Map<string, unknown>();

  const setting = () => vscode.workspace.getConfiguration('cloudCompute.localPlatform');

  before(async () => {
    await activated();
    commands.executeCommand = ((command: string, ...args: unknown[]) => {
      if (command === 'setContext') keys.set(String(args[0]), args[1]);
      return executeCommand(command, ...args);
    }) as typeof executeCommand;
    window.showErrorMessage = (message: string) => {
      told.push(message);
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
    told.length = 0;
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

  /** An endpoint with the sample worker, and these jobs. @returns its id */
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

  /** The commands behind the buttons of the endpoints view while its list could not be read for that reason. */
  function buttons(error: string): string[] {
    const { contributes } = extension().packageJSON as { contributes: { viewsWelcome: WelcomeText[] } };
    const meant = (when: string) =>
      when.includes(`endpointsError == ${error} `) ||
      (/endpointsError =~ \/(\S+)\//.exec(when)?.[1] ?? '').split(/[^a-zA-Z]+/).includes(error);
    return contributes.viewsWelcome
      .filter(({ view, when }) => view === 'cloudCompute.endpoints' && meant(when))
      .flatMap(({ contents }) => [...contents.matchAll(/command:([\w.]+)/g)].map(([, command = '']) => command));
  }

  for (const { name, how, error } of [
    { name: '503', how: { status: 503 }, error: 'server' },
    { name: 'a connection that is cut', how: { drop: true }, error: 'network' },
  ] as const) {
    it(`says that the endpoints cannot be read (${name}), and its button reads them as soon as they can be`, async () => {
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

  it('shows a failed job of before, and why one cannot be read until it can', async () => {
    const endpointId = await seed([
      { id: 'old-one', status: 'FAILED', error: 'CUDA out of memory' },
      { id: 'old-two', status: 'FAILED', error: 'the second' },
    ]);
    const uriOf = (jobId: string) =>
      vscode.Uri.from({ scheme: JOB_SCHEME, path: jobPath({ connectionId: LOCAL_ID, endpointId, jobId }) });
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

  it('shows a job at an address of an earlier release, and says when the connection of an address is gone', async () => {
    const endpointId = await seed([{ id: 'older', status: 'FAILED', error: 'out of memory' }]);
    const textAt = async (path: string) =>
      (await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: JOB_SCHEME, path }))).getText();
    assert.match(await textAt(`/${endpointId}/older.json`), /out of memory/);
    const gone = await textAt(jobPath({ connectionId: 'gone', endpointId, jobId: 'older' }));
    assert.match(gone, /It belongs to a connection that no longer exists\./);
    assert.doesNotMatch(gone, /out of memory/);
  });

  /** Runs a job on the only endpoint there is. @returns the jobs whose documents are shown */
  async function run(name: string): Promise<Job[]> {
    await executeCommand('workbench.action.closeAllEditors');
    const file = vscode.Uri.joinPath(workspaceFolder(), name);
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode('{ "input": { "name": "you", "seconds": 1 } }'));
    await executeCommand('cloudCompute.jobs.run', file);
    return vscode.window.visibleTextEditors
      .filter(({ document }) => document.uri.scheme === JOB_SCHEME)
      .map(({ document }) => JSON.parse(document.getText()) as Job);
  }

  it('follows a job to its end, although the platform cannot be reached for a while', async () => {
    await seed();
    await fault({ operation: 'getJobStatus', drop: true, count: 2 });
    await fault({ operation: 'getJobStatus', status: 502, count: 1 });
    const [job] = await run('bumpy.job.json');
    assert.equal(job?.status, 'COMPLETED');
    assert.deepEqual((await control.listFaults({})).faults, [], 'all of them happened');
    assert.deepEqual(told, []);
  });

  it('does not submit a job again whose acceptance got lost: it would run twice', async () => {
    const endpointId = await seed();
    await fault({ operation: 'runJob', when: 'after', drop: true });
    assert.deepEqual(await run('lost.job.json'), []);
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /^Could not run the job: the platform cannot be reached/);
    const { requests } = await control.listRequests({ query: { operation: 'runJob' } });
    assert.equal(requests.length, 1);
    const { jobs } = await client.getEndpointHealth({ endpointId });
    assert.equal(jobs.inQueue + jobs.inProgress + jobs.completed, 1);
  });
});
