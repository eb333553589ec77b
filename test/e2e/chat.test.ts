import { cp } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { chooseFromMenu, createEndpoint, openFile, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

const SAMPLE = path.join(repository, 'samples', 'openai-chat');

/** Uses an endpoint as a chat model as a user does. Each step depends on the previous one. */
describe('a chat model', () => {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);
  const screenshot = (name: string) => editor.screenshot(`chat-${name}-${screenshotTheme.name}`);

  before(async () => {
    workspace = await temporaryFolder();
    await cp(SAMPLE, workspace.path, { recursive: true });
    editor = await openEditor({
      workspaceFolder: workspace.path,
      theme: screenshotTheme.title,
      settings: { 'chat.disableAIFeatures': false },
    });
    await startLocalPlatform(editor);
    await openFile(editor, 'balanced-chat.endpoint.yaml');
    await createEndpoint(editor);
    await row(editor, /^balanced-chat/).waitFor();
    await editor.runCommand('Notifications: Clear All Notifications');
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
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
