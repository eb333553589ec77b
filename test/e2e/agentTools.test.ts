import assert from 'node:assert/strict';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { eventually } from '../platform/support.ts';
import { completeLines } from '../support/completeLines.ts';
import { row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** An extension that calls the tool which `call.json` names, as an agent without a chat does. */
const AGENT = {
  'package.json': JSON.stringify({
    ...{ name: 'agent', publisher: 'test', version: '1.0.0', engines: { vscode: '^1.105.0' }, main: 'main.js' },
    contributes: { commands: [{ command: 'agent.call', title: 'Agent: Call Tool' }] },
  }),
  'main.js': `
    const vscode = require('vscode');
    exports.activate = ({ subscriptions }) => subscriptions.push(vscode.commands.registerCommand('agent.call', async () => {
      const folder = vscode.workspace.workspaceFolders[0].uri;
      const { name, input } = JSON.parse(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, 'call.json')));
      const answer = await vscode.lm.invokeTool(name, { input }).then(({ content }) => content[0].value, (error) => 'failed: ' + error.message);
      await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, 'answer.jsonl'), new TextEncoder().encode(JSON.stringify(answer) + '\\n'));
    }));`,
} as const;

/** Shows the questions of tools, and their effect. Each step depends on the previous one. */
describe('tools of agents', function () {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let profile: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);
  const inWorkspace = (name: string) => path.join(workspace.path, name);
  const dialog = () => editor.page.locator('.monaco-dialog-box');

  before(async () => {
    workspace = await temporaryFolder();
    profile = await temporaryFolder();
    await cp(SAMPLE, workspace.path, { recursive: true });
    const folder = path.join(profile.path, 'extensions', 'test.agent-1.0.0');
    await mkdir(folder, { recursive: true });
    for (const [name, content] of Object.entries(AGENT)) await writeFile(path.join(folder, name), content);
    editor = await openEditor({
      workspaceFolder: workspace.path,
      userDataDir: profile.path,
      theme: screenshotTheme.title,
      settings: { 'chat.disableAIFeatures': false },
    });
    await startLocalPlatform(editor);
    await editor.page.getByText('There are no endpoints yet').waitFor();
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
    await profile.remove();
  });

  /** Calls a tool. Resolves with its dialog open. */
  async function call(name: string, input: object): Promise<void> {
    await writeFile(inWorkspace('call.json'), JSON.stringify({ name: `cloudCompute_${name}`, input }));
    await writeFile(inWorkspace('answer.jsonl'), '');
    await editor.runCommand('Agent: Call Tool');
    const early = eventually('an answer without a question', readAnswer, 30_000);
    await Promise.race([
      dialog().waitFor(),
      early.then(
        (text) => assert.fail(text),
        () => undefined,
      ),
    ]);
  }

  async function readAnswer(): Promise<string | undefined> {
    const [line] = await completeLines(inWorkspace('answer.jsonl'));
    return line === undefined ? undefined : (JSON.parse(line) as string);
  }

  const answer = () => eventually('the tool answers', readAnswer);

  it('ask before they create an endpoint, and name the command', async () => {
    await call('deploy_endpoint', { action: 'create', file: 'hello.endpoint.yaml' });
    const text = (await dialog().textContent()) ?? '';
    assert.match(text, /Create endpoint “hello” on “Local Platform”\?/);
    assert.match(text, /Runs a command as a process on this machine: node handler\.mjs/);
    await editor.screenshot(`agent-tools-1-create-${screenshotTheme.name}`);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    assert.match(await answer(), /^failed: /);
    assert.equal(await row(editor, /^hello/).count(), 0);
  });

  it('act after the user agreed, and the tree shows the endpoint', async () => {
    await call('deploy_endpoint', { action: 'create', file: 'hello.endpoint.yaml' });
    await dialog().getByRole('button').filter({ hasNotText: 'Cancel' }).first().click();
    assert.match(await answer(), /"created":\{/);
    await row(editor, /^hello/).waitFor();
  });

  it('show the input of a job, and the difference of an update', async () => {
    await call('run_job', { endpoint: 'hello', input: { name: 'an agent' } });
    await editor.screenshot(`agent-tools-2-job-${screenshotTheme.name}`);
    await dialog().getByRole('button').filter({ hasNotText: 'Cancel' }).first().click();
    assert.match(await answer(), /"status":"COMPLETED"/);
    const manifest = await readFile(inWorkspace('hello.endpoint.yaml'), 'utf8');
    await writeFile(inWorkspace('hello.endpoint.yaml'), manifest.replace(/^timeout: .*$/m, 'timeout: 90000'));
    await call('deploy_endpoint', { action: 'update', file: 'hello.endpoint.yaml' });
    await editor.screenshot(`agent-tools-3-update-${screenshotTheme.name}`);
    assert.match((await dialog().textContent()) ?? '', /timeout: \d+ → 90000/);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
  });
});
