import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { isTerminal } from '../../src/contract/job.ts';
import { inputs } from './inputs.ts';
import { JobWorld } from './jobWorld.ts';
import { stubbed, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;

/** A message of a debugger, as far as it is read. */
interface AdapterMessage {
  readonly event?: string;
  readonly body?: { readonly reason?: string; readonly threadId?: number };
}

interface Frames {
  readonly stackFrames: readonly { readonly line: number; readonly source?: { readonly path?: string } }[];
}

describe('Replay Locally', () => {
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
      env: { GREETING: 'Hi', API_TOKEN: 'secret-of-the-test' },
    });
    await executeCommand('cloudCompute.endpoints.refresh');
  });

  after(() => world.stop());

  /** Runs a job from a file, and returns its row once it has ended. */
  async function endedJob(input: object): Promise<{ kind: 'job'; connectionId: string; jobId: string }> {
    await world.run('replayed', { endpoint: endpointId, input });
    const { jobs } = await world.control.listEndedJobs({
      endpointId,
      query: { start: '2000-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z' },
    });
    const [job] = jobs;
    assert.ok(job && isTerminal(job.status));
    return { kind: 'job', connectionId: 'local', jobId: job.id };
  }

  type Rows = readonly {
    readonly label: string;
    readonly item: { readonly choice?: string; readonly expects?: string };
  }[];

  /** Replaces the lists, in which these items are chosen, in turn. Returns the labels of the first list. */
  async function choosing(choices: readonly string[], act: () => Thenable<unknown>): Promise<readonly string[]> {
    const rest = [...choices];
    const labels: string[] = [];
    const showQuickPick = (rows: Rows) => {
      if (labels.length === 0) labels.push(...rows.map(({ label }) => label));
      const wanted = rest.shift();
      return Promise.resolve(rows.find(({ item: { choice, expects } }) => wanted === (choice ?? expects ?? '')));
    };
    await stubbed({ showQuickPick: showQuickPick as never }, act);
    return labels;
  }

  it('shows its plan, reproduces the error, and reports it, on a platform of its own', async () => {
    const node = await endedJob({ fail: true, seconds: 0 });
    const labels = await choosing(['run'], () => executeCommand('cloudCompute.jobs.replay', node));
    assert.ok(labels.includes('$(play) Replay'));
    assert.ok(labels.includes('$(question) 1 environment variable needs a value: API_TOKEN.'), labels.join('\n'));
    await world.told(/^Reproduced: Error: the input requested a failure while greeting world at handler\.mjs:\d+$/);
    const report = () =>
      vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'cloud-compute-replay')?.getText();
    const text = await waitFor([vscode.workspace.onDidOpenTextDocument as vscode.Event<never>], report);
    assert.match(text, /^# Replay of “hello”\n\nReproduced/);
    assert.match(text, /The worker runs the code in/);
    assert.ok(!text.includes('secret-of-the-test'));
    const { jobs } = await world.client.getEndpointHealth({ endpointId });
    assert.equal(jobs.failed, 1);
  });

  it('asks for a value once, keeps it in secret storage, and forgets it on request', async () => {
    const node = await endedJob({ fail: true, seconds: 0 });
    const replay = () => executeCommand('cloudCompute.jobs.replay', node);
    const { page, done } = inputs();
    const asked = choosing(['ask'], replay);
    const box = await page('Values of the Replay', 1);
    assert.equal(box.isPassword(), true);
    await box.type('local-value');
    await asked;
    done();
    const labels = await choosing(['forget', ''], replay);
    assert.ok(labels.includes('$(check) 2 environment variables have values.'), labels.join('\n'));
    assert.ok((await choosing([], replay)).some((label) => label.includes('API_TOKEN')));
  });

  it('stops at the line that throws the error, and ends when the job does', async () => {
    const document = await vscode.workspace.openTextDocument(handler());
    const line =
      document
        .getText()
        .split('\n')
        .findIndex((text) => text.includes('throw new Error')) + 1;
    const node = await endedJob({ fail: true, seconds: 0 });
    const stopped = Promise.withResolvers<{ session: vscode.DebugSession; threadId: number; reason: string }>();
    const watching = vscode.debug.registerDebugAdapterTrackerFactory('*', {
      createDebugAdapterTracker: (session) => ({
        onDidSendMessage: ({ event, body }: AdapterMessage) => {
          if (event === 'stopped')
            stopped.resolve({ session, threadId: body?.threadId ?? 0, reason: body?.reason ?? '' });
        },
      }),
    });
    try {
      const replaying = choosing(['debug'], () => executeCommand('cloudCompute.jobs.replay', node));
      const { session, threadId, reason } = await stopped.promise;
      const { stackFrames } = (await session.customRequest('stackTrace', { threadId })) as Frames;
      assert.deepEqual([reason, stackFrames[0]?.line], ['exception', line]);
      assert.ok(stackFrames[0]?.source?.path?.endsWith(handler().fsPath));
      await session.customRequest('continue', { threadId });
      await replaying;
      await world.told(/^Reproduced: Error: /);
    } finally {
      watching.dispose();
      await vscode.debug.stopDebugging();
    }
  });

  it('saves a test that the Test Explorer can run', async () => {
    const node = await endedJob({ fail: true, seconds: 0 });
    const target = vscode.Uri.joinPath(workspaceFolder(), 'regression.job.json');
    world.choice = 'Save as Test…';
    const showSaveDialog = () => Promise.resolve(target);
    await stubbed({ showSaveDialog }, () =>
      choosing(['run', 'recorded'], async () => {
        await executeCommand('cloudCompute.jobs.replay', node);
        await waitFor([vscode.window.onDidChangeActiveTextEditor as unknown as vscode.Event<never>], () =>
          vscode.window.activeTextEditor?.document.uri.toString() === target.toString() ? true : undefined,
        );
      }),
    );
    const saved = JSON.parse(Buffer.from(await vscode.workspace.fs.readFile(target)).toString()) as object;
    assert.deepEqual(saved, {
      endpoint: 'hello',
      input: { fail: true, seconds: 0 },
      expect: { status: 'FAILED', error: 'the input requested a failure while greeting world' },
    });
    await vscode.workspace.fs.delete(target);
  });

  it('explains what it cannot replay', async () => {
    await executeCommand('cloudCompute.jobs.replay', { kind: 'job', connectionId: 'local', jobId: 'unknown' });
    await world.told(/Could not replay the job: the job is no longer in the list/);
    await executeCommand('workbench.action.closeAllEditors');
    await executeCommand('cloudCompute.jobs.replay');
    await world.told(/Could not replay the job: select a job in the view “Jobs”, or open a recording/);
  });
});
