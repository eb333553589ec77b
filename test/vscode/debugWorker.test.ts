import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { JobWorld } from './jobWorld.ts';
import { nextEvent, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;

interface Stopped {
  readonly session: vscode.DebugSession;
  readonly threadId: number;
  readonly reason: string;
}

interface AdapterMessage {
  readonly event?: string;
  readonly command?: string;
  readonly body?: Omit<Stopped, 'session'>;
}

describe('The tools for developing workers', function () {
  this.timeout(120_000);
  const world = new JobWorld();
  const stops = new vscode.EventEmitter<Stopped>();
  /** Fired when the debugger has set its breakpoints in a process. */
  const attached = new vscode.EventEmitter<void>();
  const handler = () => vscode.Uri.joinPath(workspaceFolder(), 'hello', 'handler.mjs');
  let tracking: vscode.Disposable;
  let endpointId: string;

  before(async () => {
    await world.start();
    tracking = vscode.debug.registerDebugAdapterTrackerFactory('*', {
      createDebugAdapterTracker: (session) => ({
        onDidSendMessage: ({ event, command, body }: AdapterMessage) => {
          if (command === 'configurationDone' && session.parentSession) attached.fire();
          if (event === 'stopped' && body) stops.fire({ session, threadId: body.threadId, reason: body.reason });
        },
      }),
    });
  });

  beforeEach(async () => {
    await world.reset();
    endpointId = await world.endpoint('hello', {
      image: `process:${path.dirname(handler().fsPath)}`,
      workers: { min: 1, max: 1 },
      env: { GREETING: 'Hi', API_TOKEN: 'secret-of-the-test' },
      timeout: 60_000,
    });
    await executeCommand('cloudCompute.endpoints.refresh');
  });

  afterEach(async () => {
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await vscode.debug.stopDebugging();
  });

  after(async () => {
    tracking.dispose();
    await world.stop();
  });

  /** Sets a breakpoint on the line of the handler that contains the text. */
  async function breakAt(text: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(handler());
    const position = document.positionAt(document.getText().indexOf(text));
    vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(new vscode.Location(handler(), position))]);
  }

  const workers = async () => (await world.client.listEndpointWorkers({ id: endpointId })).workers;
  const submit = async () =>
    (await world.client.runJob({ endpointId, body: { input: { name: 'debugger', seconds: 0 } } })).id;
  const status = async (jobId: string) => (await world.client.getJobStatus({ endpointId, jobId })).status;

  /** Resolves once the condition is met. Only the platform knows of it, so there is no event. */
  async function eventually(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Waits for a root session of the built-in debugger to end. */
  const sessionEnds = () =>
    nextEvent(vscode.debug.onDidTerminateDebugSession, ({ parentSession }) => !parentSession, 60_000);

  it('stops at a breakpoint while a job runs, lifts its time limit, and releases the worker', async () => {
    await breakAt('const { name');
    const ready = nextEvent(attached.event, () => true, 60_000);
    assert.equal(
      await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], {
        type: 'cloudCompute',
        request: 'attach',
        name: 'test',
        endpoint: 'hello',
      }),
      true,
    );
    await ready;
    const stopped = nextEvent(stops.event, () => true, 60_000);
    const jobId = await submit();
    const { session, threadId, reason } = await stopped;
    assert.equal(reason, 'breakpoint');
    assert.equal(await status(jobId), 'IN_PROGRESS');
    await world.control.setClock({ body: { advanceMs: 3_600_000 } });
    assert.equal(await status(jobId), 'IN_PROGRESS');
    const [worker] = await workers();
    assert.equal(worker?.debugged, true);
    await session.customRequest('continue', { threadId });
    await eventually(async () => (await status(jobId)) === 'COMPLETED');
    const ended = sessionEnds();
    await vscode.debug.stopDebugging();
    await ended;
    await eventually(async () => !(await workers()).some(({ debugged }) => debugged));
  });

  it('attaches again after a restart of the worker', async () => {
    await breakAt('const { name');
    const node = { kind: 'endpoint', endpointId };
    const first = nextEvent(attached.event, () => true, 60_000);
    await executeCommand('cloudCompute.develop.debugWorker', node);
    await first;
    const [before] = await workers();
    const ended = sessionEnds();
    const second = nextEvent(attached.event, () => true, 60_000);
    await world.control.restartWorkers({ body: { files: [handler().fsPath] } });
    await ended;
    await second;
    const stopped = nextEvent(stops.event, () => true, 60_000);
    const jobId = await submit();
    const { session, threadId } = await stopped;
    const [after] = await workers();
    assert.deepEqual([after?.id, after?.debugged], [before?.id, true]);
    await session.customRequest('continue', { threadId });
    await eventually(async () => (await status(jobId)) === 'COMPLETED');
  });

  it('offers a configuration for each endpoint, and reports an unknown endpoint with its remedy', async () => {
    world.choice = undefined;
    const started = await vscode.debug.startDebugging(undefined, {
      ...{ type: 'cloudCompute', request: 'attach', name: 'test', endpoint: 'missing' },
    });
    assert.equal(started, false);
    await world.told(/Could not debug the worker: there is no endpoint “missing”/);
  });

  it('restarts the workers once for a burst of saves, if the setting is on', async () => {
    const settings = vscode.workspace.getConfiguration('cloudCompute.localPlatform');
    await eventually(async () => (await workers()).some(({ status }) => status === 'IDLE'));
    const [before] = await workers();
    await settings.update('restartWorkersOnSave', true, vscode.ConfigurationTarget.Global);
    try {
      const document = await vscode.workspace.openTextDocument(handler());
      for (const text of ['// one\n', '// two\n', '// three\n']) {
        const edit = new vscode.WorkspaceEdit();
        edit.insert(document.uri, new vscode.Position(0, 0), text);
        await vscode.workspace.applyEdit(edit);
        assert.equal(await document.save(), true);
      }
      await eventually(async () => {
        const [now] = await workers();
        return now?.status === 'IDLE' && now.startedAt !== before?.startedAt;
      });
      assert.equal((await workers())[0]?.id, before?.id);
    } finally {
      await settings.update('restartWorkersOnSave', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it("opens a terminal in the worker's directory, with its variables and without secrets", async () => {
    const opened = nextEvent(vscode.window.onDidOpenTerminal);
    await executeCommand('cloudCompute.develop.openTerminal', { kind: 'endpoint', endpointId });
    const terminal = await opened;
    const options = terminal.creationOptions as vscode.TerminalOptions;
    assert.deepEqual([terminal.name, options.cwd], ['hello', path.dirname(handler().fsPath)]);
    assert.deepEqual(options.env, { GREETING: 'Hi' });
    assert.match(options.message ?? '', /API_TOKEN/);
    terminal.dispose();
  });
});
