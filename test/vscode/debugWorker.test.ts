import assert from 'node:assert/strict';
import path from 'node:path';
import process from 'node:process';
import * as vscode from 'vscode';
import { hasPython, python } from '../platform/pythonSdk.ts';
import { JobWorld } from './jobWorld.ts';
import { extension, nextEvent, stubbed, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;

/* test/e2e/newFile.test.ts hits a breakpoint for every job. */

/** A message of a debugger, as far as it is read. */
interface AdapterMessage {
  readonly event?: string;
  readonly command?: string;
  readonly success?: boolean;
  readonly body?: { readonly reason?: string; readonly threadId?: number };
}

/** What a debugger reports while it is watched. */
class WatchedDebugger {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #stops: { readonly session: vscode.DebugSession; readonly threadId: number }[] = [];
  readonly #watching: vscode.Disposable;
  #configured = 0;

  constructor() {
    const createDebugAdapterTracker = (session: vscode.DebugSession): vscode.DebugAdapterTracker => ({
      onDidSendMessage: (message: AdapterMessage) => this.#add(session, message),
    });
    this.#watching = vscode.debug.registerDebugAdapterTrackerFactory('*', { createDebugAdapterTracker });
  }

  get stops(): number {
    return this.#stops.length;
  }

  /** Resolves once the debugger has received the breakpoints. */
  async configured(): Promise<void> {
    // The debugger of Node.js has a session for the configuration, and one below it for the process.
    await waitFor([this.#changed.event as vscode.Event<never>], () => this.#configured === 2);
  }

  /** Resolves at the stop with this number, which begins at 1. */
  async stopped(number: number): Promise<void> {
    await waitFor([this.#changed.event as vscode.Event<never>], () => this.stops >= number);
  }

  async resume(): Promise<void> {
    const stop = this.#stops.at(-1);
    await stop?.session.customRequest('continue', { threadId: stop.threadId });
  }

  dispose(): void {
    this.#watching.dispose();
  }

  #add(session: vscode.DebugSession, { event, command, success, body }: AdapterMessage): void {
    if (event === 'stopped' && body?.reason === 'breakpoint')
      this.#stops.push({ session, threadId: body.threadId ?? 0 });
    if (command === 'configurationDone' && success === true) this.#configured++;
    this.#changed.fire();
  }
}

describe('The tools for developing workers', () => {
  const world = new JobWorld();
  const handler = () => vscode.Uri.joinPath(workspaceFolder(), 'hello', 'handler.mjs');
  let endpointId: string;

  before(async () => {
    await world.start();
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

  after(() => world.stop());

  const workers = async () => (await world.client.listEndpointWorkers({ id: endpointId })).workers;
  /** Resolves once the condition is met. Only the platform knows of it, so there is no event. */
  async function eventually(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  it('offers a configuration for each endpoint, and reports an unknown endpoint with its remedy', async () => {
    world.choice = undefined;
    const started = await vscode.debug.startDebugging(undefined, {
      ...{ type: 'cloudCompute', request: 'attach', name: 'test', endpoint: 'missing' },
    });
    assert.equal(started, false);
    await world.told(/Could not debug the worker: there is no endpoint “missing”/);
  });

  it('stops only jobs that meet the condition, while others complete, and none after the debugging', async () => {
    const document = await vscode.workspace.openTextDocument(handler());
    const line = document
      .getText()
      .split('\n')
      .findIndex((text) => text.includes('const { name'));
    const breakpoint = new vscode.SourceBreakpoint(new vscode.Location(handler(), new vscode.Position(line, 0)));
    const watched = new WatchedDebugger();
    const run = (user: number) => world.client.runJob({ endpointId, body: { input: { user, seconds: 0 } } });
    const status = async ({ id }: { readonly id: string }) =>
      (await world.client.getJobStatus({ endpointId, jobId: id })).status;
    const has = (wanted: string, ...jobs: { readonly id: string }[]) =>
      eventually(async () => (await Promise.all(jobs.map(status))).every((found) => found === wanted));
    vscode.debug.addBreakpoints([breakpoint]);
    try {
      let box: vscode.InputBoxOptions = {};
      const showInputBox = (options: vscode.InputBoxOptions) => {
        box = options;
        return Promise.resolve('job.input.user == 42');
      };
      await stubbed({ showInputBox }, () =>
        executeCommand('cloudCompute.develop.debugMatchingJob', { kind: 'endpoint', endpointId }),
      );
      assert.equal(await box.validateInput?.('job.input.user == 42'), undefined);
      await watched.configured();
      const [one, matching, two] = [await run(1), await run(42), await run(2)];
      await watched.stopped(1);
      await has('COMPLETED', one, two);
      assert.deepEqual([await status(matching), watched.stops], ['IN_PROGRESS', 1]);
      const next = await run(42);
      await has('COMPLETED', await run(3));
      assert.equal(await status(next), 'IN_QUEUE');
      await watched.resume();
      await has('COMPLETED', matching);
      await watched.stopped(2);
      const waiting = await run(42);
      await vscode.debug.stopDebugging();
      await has('COMPLETED', next, waiting, await run(42));
      assert.equal(watched.stops, 2);
      // The further worker is gone.
      await eventually(async () => (await workers()).length === 1);
    } finally {
      await vscode.debug.stopDebugging();
      vscode.debug.removeBreakpoints([breakpoint]);
      watched.dispose();
    }
  });

  it('explains why a condition is not valid, in the input box and for launch.json', async () => {
    const verdicts: unknown[] = [];
    const showInputBox = async (box: vscode.InputBoxOptions) => {
      for (const text of ['', 'job.input.user = 42', 'job.output == 1', 'user == 42', 'job.input.user == "42'])
        verdicts.push(await box.validateInput?.(text));
      return undefined;
    };
    await stubbed({ showInputBox }, () =>
      executeCommand('cloudCompute.develop.debugMatchingJob', { kind: 'endpoint', endpointId }),
    );
    assert.deepEqual(verdicts, [
      'the condition is incomplete',
      'use == to compare values',
      'a value of the job begins with job.input or is job.id',
      'a value of the job begins with job.input or is job.id',
      'the quote " is not closed',
    ]);
    const condition = 'job.input.user = 42';
    const started = await vscode.debug.startDebugging(undefined, {
      ...{ type: 'cloudCompute', request: 'attach', name: 'test', endpoint: 'hello', condition },
    });
    assert.equal(started, false);
    await world.told(/Could not debug the worker: the condition is not valid: /);
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
        // On a busy machine, the editor can refuse a save that directly follows another one.
        await eventually(() => Promise.resolve(document.save()));
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

  it('restarts the workers of a saved handler from their preload, which does not run again', async function () {
    if (process.platform === 'win32' || !hasPython()) this.skip();
    const settings = vscode.workspace.getConfiguration('cloudCompute.localPlatform');
    const folder = vscode.Uri.joinPath(workspaceFolder(), 'preload');
    const fixture = path.join(extension().extensionPath, 'test', 'platform', 'fixtures', 'preload');
    await vscode.workspace.fs.copy(vscode.Uri.file(fixture), folder, { overwrite: true });
    const id = await world.endpoint('preloaded', {
      ...{ image: `process:${folder.fsPath}`, cmd: [python, 'handler.py'], workers: { min: 1, max: 1 } },
      'x-local': { preload: ['model:load'] },
    });
    await executeCommand('cloudCompute.endpoints.refresh');
    const version = async () => {
      const { output } = await world.client.runJobSync({ endpointId: id, body: { input: { do: 'report' } } });
      return (output as { readonly version?: number }).version;
    };
    const loads = async () => {
      const file = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, 'loads'));
      return new TextDecoder().decode(file).trim().split('\n').length;
    };
    assert.deepEqual([await version(), await loads()], [1, 1]);
    await settings.update('restartWorkersOnSave', true, vscode.ConfigurationTarget.Global);
    try {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, 'handler.py'));
      const edit = new vscode.WorkspaceEdit();
      const line = document
        .getText()
        .split('\n')
        .findIndex((text) => text === 'VERSION = 1');
      edit.replace(document.uri, document.lineAt(line).range, 'VERSION = 2');
      await vscode.workspace.applyEdit(edit);
      await eventually(() => Promise.resolve(document.save()));
      await eventually(async () => (await version()) === 2);
      assert.equal(await loads(), 1);
    } finally {
      await settings.update('restartWorkersOnSave', undefined, vscode.ConfigurationTarget.Global);
      await vscode.workspace.fs.delete(folder, { recursive: true });
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
