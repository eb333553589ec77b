import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Job } from '../../src/contract/job.ts';
import { activated, workspaceFolder } from './support.ts';

/** With the sample worker on the local platform: processes that start take their time on a busy machine. */
describe('Jobs on the local platform', function () {
  this.timeout(60_000);

  before(async () => {
    await activated();
    await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
    const manifest = vscode.Uri.joinPath(workspaceFolder(), 'hello.endpoint.yaml');
    await vscode.commands.executeCommand('cloudCompute.manifest.createEndpoint', manifest);
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('cloudCompute.localPlatform.stop');
  });

  /** Runs a job file that holds this, on the only endpoint there is, and returns the document of the job. */
  async function run(name: string, body: object): Promise<{ uri: vscode.Uri; job: Job }> {
    const file = vscode.Uri.joinPath(workspaceFolder(), name);
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(JSON.stringify(body)));
    await vscode.commands.executeCommand('cloudCompute.jobs.run', file);
    const shown = vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'cloud-compute-job');
    assert.ok(shown, 'the job is shown');
    assert.equal(shown.document.languageId, 'json');
    return { uri: shown.document.uri, job: JSON.parse(shown.document.getText()) as Job };
  }

  it('end as a document with their output', async () => {
    const { uri, job } = await run('greet.job.json', { input: { name: 'tests', seconds: 1 } });
    assert.equal(job.status, 'COMPLETED');
    assert.match(JSON.stringify(job.output), /tests/);
    assert.ok(uri.path.endsWith(`/${job.id}.json`));
    assert.equal(vscode.workspace.fs.isWritableFileSystem(uri.scheme), false);
  });

  it('end as a document with their error', async () => {
    const { job } = await run('fail.job.json', { input: { seconds: 1, fail: true } });
    assert.equal(job.status, 'FAILED');
    assert.match(job.error ?? '', /the input requested a failure/);
  });

  it('can be opened again', async () => {
    const { uri, job } = await run('again.job.json', { input: { seconds: 1 } });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const document = await vscode.workspace.openTextDocument(uri);
    assert.equal((JSON.parse(document.getText()) as Job).id, job.id);
  });

  it('are not sent from a file that is wrong, which is opened where that shows', async () => {
    const file = vscode.Uri.joinPath(workspaceFolder(), 'wrong.job.json');
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode('{\n  "input": { "a": 1, }\n}\n'));
    await vscode.commands.executeCommand('cloudCompute.jobs.run', file);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.toString(), file.toString());
    assert.deepEqual([editor.selection.active.line, editor.selection.active.character], [1, 21]);
  });

  it('can be run from the file they are written in', async () => {
    const file = vscode.Uri.joinPath(workspaceFolder(), 'hello.job.json');
    await vscode.workspace.openTextDocument(file);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', file);
    assert.ok(lenses.some(({ command }) => command?.command === 'cloudCompute.jobs.run'));
  });
});
