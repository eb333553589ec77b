import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Job } from '../../src/contract/job.ts';
import { emptyPlatform } from './emptyPlatform.ts';
import { activated, workspaceFolder } from './support.ts';

/** Runs the sample worker on the local platform. The timeout allows for a slow start of processes. */
describe('Jobs on the local platform', function () {
  before(async () => {
    await activated();
    await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
    const manifest = vscode.Uri.joinPath(workspaceFolder(), 'hello.endpoint.yaml');
    await vscode.commands.executeCommand('cloudCompute.manifest.createEndpoint', manifest);
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    await emptyPlatform();
  });

  /** Runs a job file with this body on the only endpoint. Returns the document that opens. */
  async function documentOf(name: string, body: object): Promise<vscode.TextDocument> {
    const file = vscode.Uri.joinPath(workspaceFolder(), name);
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(JSON.stringify(body)));
    await vscode.commands.executeCommand('cloudCompute.jobs.run', file);
    const shown = vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'cloud-compute-job');
    assert.ok(shown, 'the document of the job is visible');
    return shown.document;
  }

  /** Runs a job file with this body. Returns the address of the result, and the job in it. */
  async function run(name: string, body: object): Promise<{ uri: vscode.Uri; job: Job }> {
    const document = await documentOf(name, body);
    assert.equal(document.languageId, 'json');
    return { uri: document.uri, job: JSON.parse(document.getText()) as Job };
  }

  it('show their output in a document', async () => {
    const { uri, job } = await run('greet.job.json', { input: { name: 'tests', seconds: 1 } });
    assert.equal(job.status, 'COMPLETED');
    assert.match(JSON.stringify(job.output), /tests/);
    // A ratio sign stands for the colon of the time, which cannot be in the name of a file.
    assert.match(uri.path, /\/greet · \d\d\u2236\d\d(\u2236\d\d)?\.json$/);
    assert.equal(vscode.workspace.fs.isWritableFileSystem(uri.scheme), false);
  });

  it('show their error in a document', async () => {
    const document = await documentOf('fail.job.json', { input: { seconds: 1, fail: true } });
    assert.match(
      document.getText(),
      /^Error: the input requested a failure while greeting world\n[^]* at .*handler\.mjs:\d+/,
    );
  });

  it('can be opened again', async () => {
    const { uri, job } = await run('again.job.json', { input: { seconds: 1 } });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const document = await vscode.workspace.openTextDocument(uri);
    assert.equal((JSON.parse(document.getText()) as Job).id, job.id);
  });

  it('are not sent from an invalid file, which opens at the error', async () => {
    const file = vscode.Uri.joinPath(workspaceFolder(), 'wrong.job.json');
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode('{\n  "input": { "a": tru }\n}\n'));
    await vscode.commands.executeCommand('cloudCompute.jobs.run', file);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.toString(), file.toString());
    assert.deepEqual([editor.selection.active.line, editor.selection.active.character], [1, 18]);
  });

  it('have a code lens in their file that runs them', async () => {
    const file = vscode.Uri.joinPath(workspaceFolder(), 'hello.job.json');
    await vscode.workspace.openTextDocument(file);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', file);
    assert.ok(lenses.some(({ command }) => command?.command === 'cloudCompute.jobs.run'));
  });
});
