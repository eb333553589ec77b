import assert from 'node:assert/strict';
import { startPlatform, type Platform } from '../../src/platform/start.ts';
import { openEditor, screenshotOnFailure, temporaryFolder, type Editor } from './harness.ts';

/** A platform that the extension did not start stands in for a hosted one: it speaks the same interface. */
describe('Connecting to a platform', function () {
  this.timeout(180_000);

  let platform: Platform;
  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    platform = await startPlatform({ apiKey: 'the-right-key' });
    workspace = await temporaryFolder();
    editor = await openEditor({ workspaceFolder: workspace.path });
    await editor.openView('Cloud Compute');
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
    await platform.close();
  });

  /** Answers the questions for the addresses, then the one for the key. */
  async function answer(addresses: readonly string[], apiKey: string): Promise<void> {
    const input = editor.page.locator('.quick-input-widget input');
    await editor.page.getByRole('button', { name: 'Connect to a Platform' }).click();
    for (const [index, text] of [...addresses, apiKey].entries()) {
      await editor.page.getByText(`Connect to a Platform (${index + 1}/5)`).waitFor();
      await input.fill(text);
      await input.press('Enter');
    }
  }

  it('refuses to send a key unencrypted over the network', async () => {
    const input = editor.page.locator('.quick-input-widget input');
    await editor.page.getByRole('button', { name: 'Connect to a Platform' }).click();
    await input.fill('http://api.example.com');
    await editor.page.getByText('The key would travel unencrypted').waitFor();
    await editor.page.keyboard.press('Escape');
  });

  it('checks the key before it is stored, and says when it is not accepted', async () => {
    const { baseUrl, restUrl, queueUrl, endpointHost } = platform.announcement;
    await answer([baseUrl, restUrl, queueUrl, endpointHost], 'a-wrong-key');
    await editor.notification('the API key was not accepted (invalid bearer token)').waitFor();
    await editor.screenshot('connect-refused');
    await editor.runCommand('Notifications: Clear All Notifications');
    await editor.page.getByText('No platform is connected').waitFor();
  });

  it('shows the endpoints of the platform it is connected to, and forgets it when told to', async () => {
    const { baseUrl, restUrl, queueUrl, endpointHost } = platform.announcement;
    await answer([baseUrl, restUrl, queueUrl, endpointHost], platform.announcement.apiKey);
    await editor.page.getByText('There are no endpoints yet').waitFor();
    await editor.screenshot('connected');
    assert.equal(await editor.page.getByText('the-right-key').count(), 0);
    await editor.runCommand('Cloud Compute: Disconnect');
    await editor.page.getByText('No platform is connected').waitFor();
  });
});
