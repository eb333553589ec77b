import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startPlatform, type Platform } from '../../src/platform/daemon/start.ts';
import { GateWorld, GREETING, manifest, worker } from '../features/gate/gateWorld.ts';
import { cleanUp } from '../platform/support.ts';
import { chooseQuickPick, openFile } from './actions.ts';
import { openEditor, screenshotOnFailure, type Editor } from './harness.ts';
import { webviewFrame } from './webview.ts';

/** Connects to a local platform that the extension did not start. It has the same interface as a hosted platform. */
describe('connecting to a platform', () => {
  let platform: Platform;
  let website: Server;
  let workspace: GateWorld;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    platform = await startPlatform({ apiKey: 'the-right-key' });
    website = createServer((_, response) => void response.setHeader('Content-Type', 'text/html').end('<h1>Hello</h1>'));
    await new Promise<void>((resolve) => website.listen(0, '127.0.0.1', resolve));
    workspace = await GateWorld.create();
    await workspace.record({ name: 'Ada' });
    editor = await openEditor({ workspaceFolder: workspace.root });
    await editor.openView('Cloud Compute');
  });

  after(async () => {
    await editor.close();
    await cleanUp();
    await platform.close();
    website.close();
    website.closeAllConnections();
  });

  const widget = () => editor.page.locator('.quick-input-widget');
  const step = (number: number) => widget().getByText(`Connect to a Platform (${number}/3)`).waitFor();
  const waitForText = (text: string | RegExp) => widget().getByText(text).waitFor();
  const statusBar = () => editor.page.locator('.statusbar-item[id$="cloudCompute.connection"]');

  async function type(text: string): Promise<void> {
    const input = widget().locator('input');
    await input.fill(text);
    await input.press('Enter');
  }

  it('rejects an unencrypted address as the user types it', async () => {
    await editor.page.getByRole('button', { name: 'Connect to a Platform' }).click();
    await step(1);
    await widget().locator('input').fill('http://api.example.com');
    await waitForText(/The key would be sent unencrypted/);
  });

  it('distinguishes an address without a server from a server that is not a platform', async () => {
    await type('http://127.0.0.1:9');
    await waitForText(/127\.0\.0\.1:9 (refused the connection|cannot be reached)/);
    await type(`http://127.0.0.1:${(website.address() as AddressInfo).port}`);
    await waitForText(/does not respond like a platform \(the response is a web page/);
    await editor.screenshot('connect-address');
  });

  it('derives the other addresses, and lets the user change them and go back', async () => {
    await type(platform.announcement.baseUrl);
    await step(2);
    await waitForText(platform.announcement.endpointHost);
    await editor.screenshot('connect-review');
    await widget().locator('input').fill('Name');
    await editor.page.keyboard.press('ArrowDown');
    await chooseQuickPick(editor, 'Name');
    await waitForText(/Name of the connection in the status bar/);
    await type('Production');
    await waitForText('Production');
    await editor.page.keyboard.press('Enter');
    await step(3);
    await widget().getByRole('button', { name: 'Back' }).click();
    await step(2);
    await editor.page.keyboard.press('Enter');
    await step(3);
  });

  it('reports a rejected key in its input box, and stores nothing', async () => {
    await type('a-wrong-key');
    await waitForText(/The service did not accept the API key \(invalid bearer token\)/);
    await editor.screenshot('connect-refused');
    assert.equal(await statusBar().count(), 0);
  });

  it('shows the endpoints of the platform, and never the key', async () => {
    await type('the-right-key');
    await editor.page.getByText('There are no endpoints yet').waitFor();
    await statusBar().getByText('Production').waitFor();
    await statusBar().hover();
    await editor.page.getByText(platform.announcement.queueUrl).first().waitFor();
    await editor.screenshot('connected');
    assert.equal(await editor.page.getByText('the-right-key').count(), 0);
  });

  it('adds the connection to the Accounts menu', async () => {
    await editor.page.locator('.activitybar [aria-label="Accounts"]').first().click();
    await editor.page.getByRole('menuitem', { name: 'Production (Cloud Compute)' }).waitFor();
    await editor.screenshot('connect-accounts');
    await editor.page.keyboard.press('Escape');
  });

  it('switches connections from the status bar in every theme', async () => {
    await statusBar().click();
    await waitForText('Switch Connection');
    await waitForText('Local Platform');
    await editor.screenshot('connection-switch-dark');
    await editor.page.keyboard.press('Escape');
    for (const [theme, name] of [
      ['Light Modern', 'light'],
      ['Dark High Contrast', 'contrast'],
    ] as const) {
      await editor.runCommand('Preferences: Color Theme');
      await widget().locator('input').fill(theme);
      await editor.page.keyboard.press('Enter');
      await statusBar().click();
      await waitForText('Switch Connection');
      await widget().locator('.monaco-list-row', { hasText: 'Production' }).hover();
      await editor.screenshot(`connection-switch-${name}`);
      await editor.page.keyboard.press('Escape');
    }
  });

  it('signs out, and signs in again with only a key', async () => {
    await editor.runCommand('Cloud Compute: Manage Connection…');
    await chooseQuickPick(editor, 'Production');
    await chooseQuickPick(editor, 'Sign Out');
    await editor.page.getByText('To sign in again, you need only an API key').waitFor();
    await statusBar().getByText('Production (signed out)').waitFor();
    await editor.screenshot('signed-out');
    await editor.page.getByRole('button', { name: 'Sign In' }).first().click();
    await waitForText('Sign In: Production');
    await type('the-right-key');
    await editor.page.getByText('There are no endpoints yet').waitFor();
  });

  it('creates an endpoint only after the gate that its manifest requires has passed', async () => {
    const settings = manifest({ image: 'registry.example.com/hello:1', 'x-gate': { require: true } });
    await workspace.write('hello.endpoint.json', JSON.stringify(settings));
    await workspace.write('hello/handler.mjs', worker('return { greeting: "Bye" };'));
    await openFile(editor, 'hello.endpoint.json');
    const create = async () => {
      await editor.page.getByRole('tab', { name: 'hello.endpoint.json' }).click();
      await editor.page.locator('.codelens-decoration a', { hasText: 'Create Endpoint on Production' }).click();
    };
    const report = async (verdict: string) => {
      await chooseQuickPick(editor, 'Run Gate');
      await webviewFrame(editor.page, (frame) => frame.getByText(verdict).isVisible(), 120_000);
    };
    await create();
    await widget().getByPlaceholder('The gate of “hello” has not run for exactly this content.').waitFor();
    await report('The gate failed: 1 job has another result.');
    await editor.screenshot('gate-failed');
    await create();
    await widget().getByPlaceholder('The gate of “hello” failed for this content.').waitFor();
    await editor.page.keyboard.press('Escape');

    await workspace.write('hello/handler.mjs', GREETING);
    await create();
    await report('The gate passed with 1 job.');
    await editor.page.getByText('Create endpoint “hello” on “Production”?').waitFor();
    await editor.page.keyboard.press('Escape');
  });

  it('forgets all connections', async () => {
    await editor.runCommand('Cloud Compute: Manage Connection…');
    await chooseQuickPick(editor, 'Forget All Connections…');
    await editor.page.getByRole('button', { name: 'Forget All' }).click();
    await editor.page.getByText('No platform is connected').waitFor();
    await statusBar().waitFor({ state: 'detached' });
  });
});
