import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { openEditor, screenshotOnFailure, temporaryFolder, type Editor } from './harness.ts';

const QUEUE_SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** What a newcomer does, in the order of the README's tour; each step builds on the one before. */
describe('The main job, end to end', function () {
  this.timeout(120_000);
  this.bail(true);

  const folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];
  let workspaceFolder: string;
  let userDataDir: string;
  let editor: Editor;

  screenshotOnFailure(() => editor);

  before(async () => {
    for (let count = 0; count < 2; count++) folders.push(await temporaryFolder());
    [workspaceFolder = '', userDataDir = ''] = folders.map((folder) => folder.path);
    await cp(QUEUE_SAMPLE, workspaceFolder, { recursive: true });
    editor = await openEditor({ workspaceFolder, userDataDir });
  });

  after(async () => {
    await editor.close();
    await Promise.all(folders.map((folder) => folder.remove()));
  });

  it('says that no platform is connected, and offers the two ways on', async () => {
    await editor.openView('Cloud Compute');
    await editor.page.getByRole('button', { name: 'Start Local Platform', exact: true }).waitFor();
    await editor.page.getByRole('button', { name: 'Connect to a Platform' }).waitFor();
    await editor.screenshot('main-1-no-connection');
  });

  it('starts the local platform, which has no endpoints yet', async () => {
    await editor.page.getByRole('button', { name: 'Start Local Platform', exact: true }).click();
    await editor.page.getByText('There are no endpoints yet').waitFor();
    await editor.screenshot('main-2-no-endpoints');
  });

  it('marks a wrong field of the manifest where it stands, before anything is sent', async () => {
    const { page } = editor;
    await openFile(editor, 'hello.endpoint.yaml');
    await page.locator('.codelens-decoration', { hasText: 'Create Endpoint on Local Platform' }).waitFor();
    await page.locator('.view-line', { hasText: 'type: QUEUE' }).first().click();
    await page.keyboard.press('End');
    await page.keyboard.type('D');
    await page.locator('.squiggly-error').first().waitFor();
    await editor.runCommand('Cloud Compute: Create Endpoint');
    await editor.notification('must be one of QUEUE, LOAD_BALANCER').waitFor();
    await editor.screenshot('main-3-wrong-field');
    // Refusing selected what is wrong.
    await page.keyboard.type('QUEUE');
    await page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
  });

  it('creates the endpoint and shows its worker going from initializing to idle', async () => {
    await editor.page.locator('.codelens-decoration a', { hasText: 'Create Endpoint' }).click();
    await editor
      .treeItem(/hello.*initializing/)
      .first()
      .waitFor();
    await editor
      .treeItem(/hello.*idle/)
      .first()
      .waitFor();
    await editor.treeItem(/idle, up/).waitFor();
    await editor.screenshot('main-4-endpoint');
  });

  it('follows the worker’s log in an output channel', async () => {
    const worker = editor.treeItem(/idle, up/);
    await worker.hover();
    await worker.getByRole('button', { name: 'Show Worker Logs' }).click();
    await editor.page.getByText('worker is ready').first().waitFor();
  });

  it('runs a job from the tree and shows it when it is done, while its log goes on', async () => {
    const { page } = editor;
    const endpoint = editor.treeItem(/^hello/).first();
    await endpoint.hover();
    await endpoint.getByRole('button', { name: 'Run Job…' }).click();
    await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'hello.job.json' }).click();
    await editor.notification(/running on/).waitFor();
    await editor.screenshot('main-5-job-runs');
    await page.locator('.view-line', { hasText: '"status": "COMPLETED"' }).waitFor();
    await editor.screenshot('main-6-job-done');
  });

  it('cancels a job that runs', async () => {
    const { page } = editor;
    await editor.runCommand('Cloud Compute: Run Job…');
    await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'hello.job.json' }).click();
    await editor.notification(/running on/).waitFor();
    await editor
      .notification(/running on/)
      .getByRole('button', { name: 'Cancel' })
      .click();
    await page.locator('.view-line', { hasText: '"status": "CANCELLED"' }).waitFor();
  });

  it('charts what the worker’s seconds cost', async () => {
    await editor.runCommand('Cloud Compute: Open Billing');
    const frame = await editor.webviewFrame('Billing');
    await frame.getByRole('button', { name: 'Show as Table' }).waitFor();
    await editor.screenshot('main-7-billing');
  });

  it('finds endpoint, job and usage again after closing and reopening', async () => {
    await editor.close();
    editor = await openEditor({ workspaceFolder, userDataDir });
    await editor.openView('Cloud Compute');
    await editor.page.getByText('The local platform is stopped').waitFor();
    await editor.screenshot('main-8-reopened');
    await editor.page.getByRole('button', { name: 'Start Local Platform', exact: true }).click();
    await editor
      .treeItem(/hello.*idle/)
      .first()
      .waitFor();
    await editor.runCommand('Cloud Compute: Open Recent Job…');
    await editor.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'hello' }).last().click();
    await editor.page.locator('.view-line', { hasText: '"status": "COMPLETED"' }).waitFor();
  });

  it('says when the platform was killed from outside, and loses nothing by it', async () => {
    const platform = editor.workbench.processes.alive().find(({ command }) => command.includes('platform.js'));
    assert.ok(platform, 'the platform runs as a process of the editor');
    process.kill(platform.pid, 'SIGKILL');
    await editor.page.getByText('The local platform is not running').waitFor();
    await editor.notification('it was ended by SIGKILL').waitFor();
    await editor.screenshot('main-9-killed');
    await editor.page.getByRole('button', { name: 'Restart Local Platform' }).click();
    await editor
      .treeItem(/hello.*idle/)
      .first()
      .waitFor();
  });
});

/** Opens a file of the workspace by its name, as with Ctrl+P. */
async function openFile({ page }: Editor, name: string): Promise<void> {
  await page.keyboard.press('Control+P');
  const input = page.locator('.quick-input-widget input[type="text"]');
  await input.fill(name);
  await page.locator('.quick-input-widget .monaco-list-row', { hasText: name }).first().click();
  await page.getByRole('tab', { name }).waitFor();
}
