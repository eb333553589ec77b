import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { repository } from '../../scripts/editor/build.ts';
import { chooseQuickPick, openFile } from './actions.ts';
import { openEditor, screenshotOnFailure, temporaryFolder, type Editor } from './harness.ts';
import { HOSTILE_TEXT, PROCESS_TEMPLATE_ID, startHostilePlatform, type HostilePlatform } from './hostilePlatform.ts';

/** Length of a YAML key. With escapes, a key must have at most 1,024 characters. */
const KEY_LENGTH = 600;

/** Text from a server or a workspace must not become a link, icon, markup, or new line. */
describe('hostile platform', function () {
  let platform: HostilePlatform;
  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    platform = await startHostilePlatform();
    workspace = await temporaryFolder();
    const job = JSON.stringify({ input: {}, [HOSTILE_TEXT]: 1 });
    await writeFile(path.join(workspace.path, 'evil.job.json'), job);
    const sample = await readFile(path.join(repository, 'samples', 'hello-queue', 'hello.endpoint.yaml'), 'utf8');
    const manifest = `${sample}\n${JSON.stringify(HOSTILE_TEXT.slice(0, KEY_LENGTH))}: 1\n`;
    await writeFile(path.join(workspace.path, 'evil.endpoint.yaml'), manifest);
    const fromTemplate = {
      name: 'x',
      type: 'QUEUE',
      templateId: PROCESS_TEMPLATE_ID,
      args: HOSTILE_TEXT,
      scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    };
    await writeFile(path.join(workspace.path, 'template.endpoint.json'), JSON.stringify(fromTemplate));
    editor = await openEditor({ workspaceFolder: workspace.path });
    await editor.openView('Cloud Compute');
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
    platform.close();
  });

  const widget = () => editor.page.locator('.quick-input-widget');
  const hover = () => editor.page.locator('.monaco-hover:visible');
  const statusBar = () => editor.page.locator('.statusbar-item[id$="cloudCompute.connection"]');

  async function type(text: string): Promise<void> {
    const input = widget().locator('input').first();
    await input.fill(text);
    await input.press('Enter');
  }

  /** Waits for the text, clicks every link near it, and asserts that no link, icon, or image came from the platform. */
  async function assertPlainText(place: Locator, text = /Hostile/): Promise<void> {
    const shown = place.filter({ hasText: text }).first();
    await shown.waitFor();
    const foreign: string[] = [];
    for (const link of await shown.locator('a').all()) {
      const target = (await link.getAttribute('data-href')) ?? (await link.getAttribute('href')) ?? '';
      if (target === '' || target.startsWith('command:cloudCompute.')) continue;
      foreign.push(target);
      await link.click({ timeout: 1_000 }).catch(() => undefined);
    }
    assert.deepEqual(foreign, [], 'no link has a target that the platform chose');
    await assertNothingRan();
    assert.equal(await shown.locator('.codicon-flame').count(), 0, 'no icon');
    assert.equal(await shown.locator('img[src="x"], img[src*="evil"]').count(), 0, 'no image');
    const said = (await shown.textContent()) ?? '';
    assert.doesNotMatch(said, /[\u202a-\u202e\u2066-\u2069\u200b\u001b]/u, 'no control characters');
    assert.ok(!said.includes('x'.repeat(5_000)), 'it is cut');
  }

  async function assertNothingRan(): Promise<void> {
    assert.equal(await editor.page.locator('.xterm').count(), 0, 'no terminal was opened');
    assert.notEqual(await editor.page.title(), '1', 'no script ran');
  }

  const clearNotifications = () => editor.runCommand('Notifications: Clear All Notifications');

  it('cannot insert a link below the address while it is checked', async () => {
    platform.behavior = 'fails';
    await editor.page.getByRole('button', { name: 'Connect to a Platform' }).click();
    await type(platform.address);
    await assertPlainText(widget());
    await editor.screenshot('hostile-address');
  });

  it('cannot insert a link below the key while it is checked', async () => {
    platform.behavior = 'refusesKeys';
    await type(platform.address);
    await widget().getByText('Continue to the API key').waitFor();
    await editor.page.keyboard.press('Enter');
    await widget().locator('input[type="password"]').waitFor();
    await type('key');
    await assertPlainText(widget());
    await editor.screenshot('hostile-key');
  });

  it('cannot insert a link in the notification about an unhealthy worker', async () => {
    platform.behavior = 'works';
    await type('key');
    await assertPlainText(editor.notification(/cannot run/));
    await editor.screenshot('hostile-notice');
    await clearNotifications();
  });

  it('cannot insert a link or icon in tree rows and tooltips', async () => {
    for (const text of [/^Hostile/, /^worker1/]) {
      const row = editor.treeItem(text).first();
      await assertPlainText(row, /./);
      await row.hover();
      await assertPlainText(hover(), /Hostile/);
      await editor.page.keyboard.press('Escape');
    }
    await statusBar().hover();
    await assertPlainText(hover(), /127/);
    await editor.page.keyboard.press('Escape');
  });

  it('cannot insert a link or icon in releases and resources', async () => {
    await editor
      .treeItem(/^Releases/)
      .first()
      .click();
    const release = editor.treeItem(/^rel1/).first();
    await assertPlainText(release, /./);
    await release.hover();
    await assertPlainText(hover(), /Hostile/);
    await editor.page.keyboard.press('Escape');
    const { page } = editor;
    const section = page.getByRole('button', { name: 'Resources Section' });
    await section.click();
    const resources = page.locator('.pane').filter({ has: section }).getByRole('treeitem');
    // Without the row below this group, the rows of the platform are visible.
    await resources.filter({ hasText: 'Public Models' }).first().click();
    await resources.filter({ hasText: 'Hostile' }).first().waitFor();
    // The third row is only partly visible.
    for (const row of (await resources.filter({ hasText: 'Hostile' }).all()).slice(0, 2)) {
      await assertPlainText(row);
      await row.hover();
      await assertPlainText(hover());
      await editor.page.keyboard.press('Escape');
    }
  });

  it('cannot insert a link in the progress and result of a job', async () => {
    await editor.runCommand('Cloud Compute: Run Job…');
    await chooseQuickPick(editor, 'Hostile');
    await chooseQuickPick(editor, 'Write Input');
    await widget().getByText('Job input, as JSON').waitFor();
    await assertPlainText(widget());
    await editor.page.keyboard.press('Enter');
    const dialog = editor.page.locator('.monaco-dialog-box');
    await assertPlainText(dialog, /Run 1 job/);
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await assertPlainText(editor.notification(/The job on/));
    await editor.screenshot('hostile-job');
    await clearNotifications();
  });

  it('cannot insert a link in the error of a job file', async () => {
    await openFile(editor, 'evil.job.json');
    await editor.page.locator('.codelens-decoration a', { hasText: 'Run on' }).first().click();
    await assertPlainText(editor.notification(/Unknown property/));
    await editor.screenshot('hostile-job-file');
    await clearNotifications();
  });

  it('cannot insert a link in the error of a manifest', async () => {
    await openFile(editor, 'evil.endpoint.yaml');
    await editor.page.locator('.codelens-decoration a', { hasText: 'Create Endpoint' }).first().click();
    await assertPlainText(editor.notification(/Could not create the endpoint/));
    await clearNotifications();
  });

  it('cannot run a command from a template without consent, or insert a link in the question', async () => {
    await openFile(editor, 'template.endpoint.json');
    await editor.page.locator('.codelens-decoration a', { hasText: 'Create Endpoint' }).first().click();
    const dialog = editor.page.locator('.monaco-dialog-box');
    await assertPlainText(dialog, /Run a command on the machine of/);
    await assertPlainText(dialog, /Command: Hostile/);
    await editor.page.keyboard.press('Escape');
  });

  it('cannot insert a link in a confirmation dialog', async () => {
    await editor.runCommand('Cloud Compute: Delete Endpoint…');
    await chooseQuickPick(editor, 'Hostile');
    await assertPlainText(editor.page.locator('.monaco-dialog-box'));
    await editor.page.keyboard.press('Escape');
  });

  it('cannot insert a link in the error of an edit', async () => {
    const { page } = editor;
    await editor.runCommand('Cloud Compute: Edit Endpoint');
    await widget().locator('input[placeholder="Endpoint to edit"]').waitFor();
    await chooseQuickPick(editor, 'harmless');
    await page.locator('.view-line', { hasText: 'timeout:' }).first().click();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.type('timeout: 120000');
    await page.keyboard.press('Control+S');
    const dialog = page.locator('.monaco-dialog-box');
    await dialog.getByRole('button', { name: 'Update Endpoint' }).click();
    await assertPlainText(editor.notification(/Failed to save/), /Could not update the endpoint/);
    await editor.screenshot('hostile-save');
    await clearNotifications();
    await editor.runCommand('File: Revert File');
  });

  it('cannot insert a link in the log of a worker, or an icon in the name of its channel', async () => {
    await editor.runCommand('Cloud Compute: Show Logs');
    await chooseQuickPick(editor, 'worker1');
    await editor.page.locator('.part.panel .view-line', { hasText: 'Hostile' }).first().waitFor();
    await assertPlainText(editor.page.locator('.part.panel .title'), /./);
    await editor.screenshot('hostile-log');
  });

  it('cannot insert a link in an error message', async () => {
    platform.behavior = 'fails';
    await editor.page.keyboard.press('Escape');
    await editor.runCommand('Cloud Compute: Run Job…');
    await assertPlainText(editor.notification(/Could not run the job/));
    await editor.screenshot('hostile-failure');
    await assertPlainText(editor.page.locator('.tree-explorer-viewlet-tree-view'));
  });
});
