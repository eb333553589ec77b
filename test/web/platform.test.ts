import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Job } from '../../src/contract/job.ts';
import { inputs } from '../vscode/inputs.ts';
import { activated, nextEvent, nonEmpty, stubbed, waitFor, workspaceFolder } from '../vscode/support.ts';
import { world } from './world.ts';

const { executeCommand } = vscode.commands;

const documents = [
  vscode.workspace.onDidOpenTextDocument,
  vscode.workspace.onDidChangeTextDocument,
] as vscode.Event<never>[];

async function write(name: string, text: string): Promise<vscode.Uri> {
  const uri = vscode.Uri.joinPath(workspaceFolder(), name);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return uri;
}

/** Chooses the first log of the endpoint in a list, whose name can be a heading. */
async function chooseGreeter(items: Thenable<vscode.QuickPickItem[]> | vscode.QuickPickItem[]) {
  const listed = await items;
  const place = listed.findIndex(({ label }) => label.includes('greeter'));
  assert.ok(place >= 0, 'the list has the endpoint');
  return listed.slice(place).find(({ kind }) => kind !== vscode.QuickPickItemKind.Separator);
}

/** Sends a request as another program would. */
async function ask(path: string): Promise<unknown> {
  const { url, apiKey } = world();
  const response = await fetch(url + path, { headers: { Authorization: `Bearer ${apiKey}` } });
  return response.json();
}

/** The platform answers like a hosted service that allows requests of the editor's origin. */
describe('A hosted connection in a browser', () => {
  before(activated);

  it('is refused with the reason if the service does not allow the origin of the editor', async () => {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.connect');
    const address = await page('Connect to a Platform', 1);
    await address.type(world().withoutCors);
    assert.match(await address.refusal(), /does not allow requests from VS Code in a browser/);
    await address.leave();
    await command;
    done();
  });

  it('connects with an address and a key', async () => {
    const { page, done } = inputs();
    const signedIn = nextEvent(
      vscode.authentication.onDidChangeSessions,
      ({ provider }) => provider.id === 'cloudCompute',
    );
    const command = executeCommand('cloudCompute.connect');
    await (await page('Connect to a Platform', 1)).type(world().url);
    await (await page('Connect to a Platform', 2)).accept();
    await (await page('Connect to a Platform', 3)).type(world().apiKey);
    await command;
    await signedIn;
    done();
    assert.equal((await vscode.authentication.getAccounts('cloudCompute')).length, 1);
  });

  it('does not offer the local platform', async () => {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.connections.switch');
    const list = await page('Switch Connection');
    assert.ok(!list.labels().some((label) => label.includes('Local Platform')));
    await list.leave();
    await command;
    done();
  });

  it('reports the problems of a manifest', async () => {
    const uri = await write('wrong.endpoint.yaml', 'name: wrong\ntype: QUEUES\n');
    await vscode.workspace.openTextDocument(uri);
    const problems = await waitFor([vscode.languages.onDidChangeDiagnostics as vscode.Event<never>], () =>
      nonEmpty(vscode.languages.getDiagnostics(uri)),
    );
    assert.ok(problems.some(({ message }) => message.includes('QUEUE')));
  });

  it('completes the fields of a manifest', async () => {
    const uri = await write('short.endpoint.yaml', 'name: short\nsca');
    await vscode.workspace.openTextDocument(uri);
    const { items } = await executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      uri,
      new vscode.Position(1, 3),
    );
    assert.ok(items.some(({ label }) => (typeof label === 'string' ? label : label.label) === 'scaling'));
  });

  it('creates an endpoint from a manifest', async () => {
    const uri = await write(
      'greeter.endpoint.yaml',
      [
        'name: greeter',
        'type: QUEUE',
        'scaling: {type: QUEUE_DELAY, queueDelay: 1}',
        'workers: {min: 1, max: 1}',
        'cpu: [{id: cpu3c, vcpuCount: 2}]',
        `image: process:${world().workerDirectory}`,
        'args: node handler.mjs',
        "env: {LOAD_SECONDS: '0'}",
        '',
      ].join('\n'),
    );
    const showWarningMessage = (_message: string, _options: unknown, button: string) => Promise.resolve(button);
    const showInformationMessage = () => Promise.resolve(undefined);
    await stubbed({ showWarningMessage, showInformationMessage }, () =>
      executeCommand('cloudCompute.manifest.createEndpoint', uri),
    );
    const { endpoints } = (await ask('/v2/serverless')) as { endpoints: { name: string }[] };
    assert.deepEqual(
      endpoints.map(({ name }) => name),
      ['greeter'],
    );
  });

  it('runs a job and shows its output', async () => {
    const uri = await write('greet.job.json', JSON.stringify({ input: { name: 'browser', seconds: 1 } }));
    const showWarningMessage = (_message: string, _options: unknown, button: string) => Promise.resolve(button);
    await stubbed({ showWarningMessage }, () => executeCommand('cloudCompute.jobs.run', uri));
    const shown = await waitFor(documents, () =>
      vscode.workspace.textDocuments.find(
        (one) => one.uri.scheme === 'cloud-compute-job' && one.getText().includes('COMPLETED'),
      ),
    );
    const job = JSON.parse(shown.getText()) as Job;
    assert.deepEqual(job.output, { greeting: 'Hello, browser!' });
  });

  it('streams the log of an endpoint, which is in the list of endpoints', async () => {
    await stubbed({ showQuickPick: chooseGreeter }, () => executeCommand('cloudCompute.logs.open'));
    await waitFor(documents, () =>
      vscode.workspace.textDocuments.find(
        (one) => one.uri.scheme === 'output' && one.getText().includes('greeting browser'),
      ),
    );
  });

  it('opens a page of the full log', async () => {
    await stubbed({ showQuickPick: chooseGreeter }, () => executeCommand('cloudCompute.logs.openFull'));
    await waitFor(documents, () =>
      vscode.workspace.textDocuments.find(
        (one) => one.uri.scheme === 'cloud-compute-log' && one.getText().includes('greeting browser'),
      ),
    );
  });

  it('sends a request from an HTTP file', async () => {
    const uri = await write('health.http', 'GET {{endpoint:greeter}}/health\n');
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    const showWarningMessage = (_message: string, _options: unknown, button: string) => Promise.resolve(button);
    await stubbed({ showWarningMessage }, () => executeCommand('cloudCompute.routes.send'));
    const response = await waitFor(documents, () =>
      vscode.workspace.textDocuments.find((one) => one.uri.scheme === 'cloud-compute-response'),
    );
    assert.match(response.getText(), /workers/);
  });

  it('shows the bill', async () => {
    await executeCommand('cloudCompute.billing.open');
    await waitFor([vscode.window.tabGroups.onDidChangeTabs] as vscode.Event<never>[], () =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .some(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('billing')),
    );
  });
});
