import assert from 'node:assert/strict';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { eventually } from '../platform/support.ts';
import { completeLines } from '../support/completeLines.ts';
import { chooseFromMenu, createEndpoint, openFile, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

const samples = path.join(repository, 'samples');

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

/** Uses the tools and the models of the editor's chat. The describes share a window. */
describe('the chat of the editor', () => {
  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let profile: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    workspace = await temporaryFolder();
    profile = await temporaryFolder();
    for (const sample of ['hello-queue', 'openai-chat'])
      await cp(path.join(samples, sample), workspace.path, { recursive: true });
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

  /** Shows the questions of tools, and their effect. Each step depends on the previous one. */
  describe('tools of agents', () => {
    skipAfterFailure();

    const inWorkspace = (name: string) => path.join(workspace.path, name);
    const dialog = () => editor.page.locator('.monaco-dialog-box');

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

  /** Uses an endpoint as a chat model as a user does. Each step depends on the previous one. */
  describe('a chat model', () => {
    skipAfterFailure();

    const screenshot = (name: string) => editor.screenshot(`chat-${name}-${screenshotTheme.name}`);

    before(async () => {
      await openFile(editor, 'balanced-chat.endpoint.yaml');
      await createEndpoint(editor);
      await row(editor, /^balanced-chat/).waitFor();
      await editor.runCommand('Notifications: Clear All Notifications');
    });

    /**
     * Sends a message and waits for the answer. The chat of the editor asks for a sign-in while it still starts, although the model needs
     * none. Then the message is sent again.
     */
    async function ask(message: string, answer: string): Promise<void> {
      const { page } = editor;
      const expected = page.locator('.part.auxiliarybar').getByText(answer).first();
      const signIn = page.getByText('Sign in to use GitHub Copilot');
      for (;;) {
        await page.locator('.part.auxiliarybar .interactive-input-editor').click();
        await page.keyboard.type(message);
        await page.keyboard.press('Enter');
        await expected.or(signIn).waitFor({ timeout: 60_000 });
        if (!(await signIn.isVisible())) return;
        await page.keyboard.press('Escape');
        await signIn.waitFor({ state: 'detached' });
      }
    }

    it('is added from the menu of an endpoint', async () => {
      await chooseFromMenu(editor, /^balanced-chat/, 'Use Endpoint as Chat Model…');
      const list = editor.page.locator('.quick-input-widget');
      await list.getByText('Tool calls', { exact: true }).waitFor();
      await screenshot('1-capabilities');
      await editor.page.keyboard.press('Enter');
      await editor.notification('The chat can use “rules” of “balanced-chat”.').waitFor();
      await row(editor, /^balanced-chat.*chat model/).waitFor();
      await screenshot('2-added');
    });

    it('is listed among the language models', async () => {
      await editor.runCommand('Chat: Manage Language Models');
      const list = editor.page.locator('.monaco-table').filter({ hasText: 'Context Size' });
      await list.getByText('rules', { exact: true }).waitFor();
      await screenshot('3-models');
      await editor.page.getByRole('button', { name: 'Add Models' }).click();
      await editor.page.getByRole('menuitem', { name: 'Cloud Compute' }).waitFor();
      await screenshot('4-add');
      await editor.page.keyboard.press('Escape');
      await editor.page.keyboard.press('Escape');
    });

    it('answers in the chat', async () => {
      // The editor hides the notification after a while, but keeps it in this list.
      await editor.runCommand('Notifications: Show Notifications');
      await editor.page.locator('.notifications-center').getByRole('button', { name: 'Open Chat' }).click();
      const chat = editor.page.locator('.part.auxiliarybar');
      // The only model is the chosen one, and no sign-in is needed.
      await chat.getByText('rules', { exact: true }).waitFor();
      await ask('count to 5', 'I am not a language model. I answer from fixed rules. 1 2 3 4 5');
      await screenshot('5-answer');
    });

    it('shows why there is no answer', async () => {
      await ask('fail', 'the worker reported an error (the message requested a failure)');
      await screenshot('6-error');
    });
  });
});
