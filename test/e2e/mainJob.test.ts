import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { readManifest } from '../../scripts/l10n/packageTexts.ts';
import {
  chooseQuickPick,
  createEndpoint,
  waitForLine,
  openFile,
  clickAction,
  row,
  startLocalPlatform,
} from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { findCommand } from './palette.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** Follows the tour of the README. Each step depends on the previous one. */
describe('main workflow', () => {
  skipAfterFailure();

  const folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];
  let workspaceFolder: string;
  let userDataDir: string;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    for (let count = 0; count < 2; count++) folders.push(await temporaryFolder());
    [workspaceFolder = '', userDataDir = ''] = folders.map((folder) => folder.path);
    await cp(SAMPLE, workspaceFolder, { recursive: true });
    const long = JSON.stringify({ input: { seconds: 50 } });
    await writeFile(path.join(workspaceFolder, 'long.job.json'), long);
    editor = await openEditor({ workspaceFolder, userDataDir });
  });

  after(async () => {
    await close();
    await Promise.all(folders.map((folder) => folder.remove()));
  });

  async function close(): Promise<void> {
    await editor.close();
    assert.deepEqual(editor.workbench.processes.alive(), [], 'the editor left processes running');
  }

  it('lists its commands in the command palette', async () => {
    for (const title of await paletteCommands()) await findCommand(editor.page, title);
    await editor.screenshot('main-0-palette');
    await editor.page.keyboard.press('Escape');
  });

  it('reports that no platform is connected, and offers to start or connect to one', async () => {
    await editor.openView('Cloud Compute');
    await editor.page.getByRole('button', { name: 'Start Local Platform' }).waitFor();
    await editor.page.getByRole('button', { name: 'Connect to a Platform' }).waitFor();
    await editor.screenshot('main-1-no-connection');
  });

  it('starts the local platform without endpoints', async () => {
    await startLocalPlatform(editor);
    await editor.page.getByText('There are no endpoints yet').waitFor();
    await editor.screenshot('main-2-no-endpoints');
  });

  it('marks an invalid field of the manifest before it sends a request', async () => {
    const { page } = editor;
    await openFile(editor, 'hello.endpoint.yaml');
    await page.locator('.view-line', { hasText: 'type: QUEUE' }).first().click();
    await page.keyboard.press('End');
    await page.keyboard.type('D');
    await page.locator('.squiggly-error').first().waitFor();
    await editor.runCommand('Cloud Compute: Create Endpoint');
    await editor.notification('must be one of QUEUE, LOAD_BALANCER').waitFor();
    await editor.screenshot('main-3-wrong-field');
    // The command selects the invalid value.
    await page.keyboard.type('QUEUE');
    await page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
    await editor.runCommand('Notifications: Clear All Notifications');
  });

  it('creates the endpoint and shows its worker as initializing, then idle', async () => {
    await createEndpoint(editor);
    await row(editor, /hello.*initializing/).waitFor();
    await row(editor, /idle.* up \d/).waitFor();
    await editor.screenshot('main-4-endpoint');
  });

  it('follows the worker’s log in an output channel', async () => {
    await clickAction(row(editor, /idle.* up \d/), 'Show Logs');
    await editor.page.getByText('worker is ready').first().waitFor();
  });

  it('runs a job from the tree, follows its log, and shows its result', async () => {
    await clickAction(row(editor, /^hello/), 'Run Job…');
    await chooseQuickPick(editor, 'hello.job.json');
    await editor.notification(/running on/).waitFor();
    await editor.page.getByText('second 1 of 3').first().waitFor();
    await editor.screenshot('main-5-job-runs');
    await waitForLine(editor, '"status": "COMPLETED"');
    await editor.screenshot('main-6-job-done');
  });

  it('cancels a running job', async () => {
    await editor.runCommand('Cloud Compute: Run Job…');
    await chooseQuickPick(editor, 'long.job.json');
    await editor
      .notification(/running on/)
      .getByRole('button', { name: 'Cancel' })
      .click();
    await row(editor, /hello.*canceled/).waitFor();
  });

  it('charts the cost of the worker', async () => {
    assert.match(await totalSpend(editor), /^\$0\.0*[1-9]/);
    await editor.screenshot('main-7-billing');
  });

  it('restores open editors, endpoints, jobs, and usage after a restart', async () => {
    await editor.whenStored('tabs', 'hello.endpoint.yaml');
    await close();
    const { port } = editor.workbench;
    editor = await openEditor({ workspaceFolder, userDataDir });
    assert.equal(editor.workbench.port, port);
    await editor.page.getByRole('tab', { name: 'hello.endpoint.yaml' }).waitFor();
    await editor.openView('Cloud Compute');
    await row(editor, /idle.* up \d/).waitFor();
    await editor.screenshot('main-8-reopened');
    await editor.runCommand('Cloud Compute: Open Recent Job…');
    await chooseQuickPick(editor, 'completed');
    await waitForLine(editor, '"greeting": "Hello, world!"');
    assert.match(await totalSpend(editor), /^\$0\.0*[1-9]/);
  });

  it('runs the platform again after a reload of the window, with its endpoint and its unfinished job', async () => {
    await editor.runCommand('Cloud Compute: Run Job…');
    await chooseQuickPick(editor, 'long.job.json');
    await row(editor, /hello.*running · \d+ s/).waitFor();
    await editor.whenStored('extension', 'long.job.json');
    await editor.reload();
    await editor.openView('Cloud Compute');
    await row(editor, /hello.*1 running/).waitFor();
    await row(editor, /hello.*running · \d+ s/).waitFor();
    await editor.screenshot('main-9-reloaded');
  });

  it('reports that the platform was killed, and loses no data', async () => {
    const platform = editor.workbench.processes.alive().find(({ command }) => command.includes('platform.js'));
    assert.ok(platform, 'the platform is a child process of the editor');
    process.kill(platform.pid, 'SIGKILL');
    await editor.page.getByText('Accepted jobs resume after a restart').waitFor();
    await editor.notification('it was terminated by SIGKILL').waitFor();
    await row(editor, /hello.*waits for the platform/).waitFor();
    await editor.screenshot('main-10-killed');
    await editor.page.getByRole('button', { name: 'Restart Local Platform' }).click();
    await row(editor, /hello.*1 running/).waitFor();
    await row(editor, /hello.*running · \d+ s/).waitFor();
  });
});

/** Opens Billing and resolves with the total. */
async function totalSpend(editor: Editor): Promise<string> {
  await editor.runCommand('Cloud Compute: Open Billing');
  const frame = await editor.webviewFrame('Billing');
  return frame.getByText(/^\$/).first().innerText();
}

/** Resolves with the titles of the commands that the palette always shows. The other commands have a `when` clause in "commandPalette". */
async function paletteCommands(): Promise<string[]> {
  interface Manifest {
    contributes: {
      commands: { command: string; title: string; category?: string; enablement?: string }[];
      menus?: Record<string, { command: string }[]>;
    };
  }
  const { contributes } = (await readManifest()) as Manifest;
  const conditional = new Set((contributes.menus?.['commandPalette'] ?? []).map((entry) => entry.command));
  const titles = contributes.commands
    .filter((one) => !conditional.has(one.command) && one.enablement === undefined)
    .map((one) => (one.category === undefined ? one.title : `${one.category}: ${one.title}`));
  assert.ok(titles.length > 0, 'package.json contributes no command that the palette always shows');
  return titles;
}
