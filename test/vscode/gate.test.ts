import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { JobWorld } from './jobWorld.ts';
import { extension, stubbed, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;

describe('The gate', () => {
  const world = new JobWorld();
  const root = () => path.join(workspaceFolder().fsPath, 'gated');
  const manifest = () => path.join(root(), 'kept.endpoint.json');
  const git = (...args: string[]) => execFileSync('git', ['-C', root(), ...args]);
  const handler = (body: string) => {
    const serverless = path.join(extension().extensionPath, 'samples/hello-queue/hello/serverless.mjs');
    const text = `import { serve } from ${JSON.stringify(serverless)};\nawait serve(({ input }) => { ${body} });\n`;
    writeFileSync(path.join(root(), 'handler.mjs'), text);
  };

  before(async () => {
    await world.start();
    mkdirSync(root());
    git('init', '--quiet');
    const settings = {
      ...{ name: 'kept', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 } },
      ...{
        cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
        'x-gate': {},
        'x-local': { directory: '.', command: 'node handler.mjs' },
      },
    };
    writeFileSync(manifest(), JSON.stringify(settings));
    handler('return input.value;');
    git('add', '-A');
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '-m', 'Worker');
  });
  after(async () => {
    await world.stop();
    rmSync(root(), { recursive: true, force: true });
  });

  it('keeps a job beside its manifest, runs it on both versions, and shows the report', async () => {
    await world.endpoint('kept');
    await world.run('kept', { endpoint: 'kept', input: { do: 'echo', value: { text: 'hello' } } });
    world.choice = 'Keep Job';
    const pickFirst = (rows: readonly unknown[]) => Promise.resolve(rows[0]);
    await stubbed({ showQuickPick: pickFirst }, () => executeCommand('cloudCompute.gate.keepJob'));
    await world.told(/^The job is kept in gated\/kept\.recordings\//);
    const [name = '', ...others] = readdirSync(path.join(root(), 'kept.recordings'));
    assert.deepEqual(others, []);
    const recorded = JSON.parse(readFileSync(path.join(root(), 'kept.recordings', name), 'utf8')) as {
      request: unknown;
    };
    assert.deepEqual(recorded.request, { input: { do: 'echo', value: { text: 'hello' } } });

    handler('return { ...input.value };');
    assert.equal(await executeCommand('cloudCompute.gate.run', vscode.Uri.file(manifest()), 0), true);
    const report = () =>
      vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'cloud-compute-gate')?.getText();
    const text = await waitFor([vscode.workspace.onDidOpenTextDocument as vscode.Event<never>], report);
    assert.match(text, /^# Gate of “kept”\n\nThe gate passed with 1 job\./);

    handler('return { text: "bye" };');
    assert.equal(await executeCommand('cloudCompute.gate.run', vscode.Uri.file(manifest()), 0), false);
  });

  it('can be canceled', async () => {
    handler('return new Promise(() => undefined);');
    world.progress.length = 0;
    const running = executeCommand('cloudCompute.gate.run', vscode.Uri.file(manifest()), 0);
    await world.progressed(/starting both versions/);
    world.cancel();
    assert.equal(await running, undefined);
    assert.deepEqual(git('worktree', 'list').toString().trim().split('\n').length, 1);
  });
});
