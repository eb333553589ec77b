import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import {
  chooseFromMenu,
  chooseQuickPick,
  clickAction,
  createEndpoint,
  openFile,
  row,
  startLocalPlatform,
  waitForLine,
} from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** Each step depends on the previous one. */
describe('metrics of an endpoint', function () {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    workspace = await temporaryFolder();
    await cp(SAMPLE, workspace.path, { recursive: true });
    editor = await openEditor({ workspaceFolder: workspace.path });
    await startLocalPlatform(editor);
    await editor.page.getByText('There are no endpoints yet').waitFor();
    await openFile(editor, 'hello.endpoint.yaml');
    await createEndpoint(editor);
    await row(editor, /^hello.*idle/).waitFor();
    await clickAction(row(editor, /^hello/), 'Run Job…');
    await chooseQuickPick(editor, 'hello.job.json');
    await waitForLine(editor, '"status": "COMPLETED"');
    await editor.runCommand('View: Close All Editors');
    await editor.runCommand('Notifications: Clear All Notifications');
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  it('open from the menu of its row, and have the job', async () => {
    await chooseFromMenu(editor, /^hello/, 'Show Metrics');
    const frame = await editor.webviewFrame('Metrics: hello');
    await frame.locator('.figures div', { hasText: 'Completed' }).getByText('1', { exact: true }).waitFor();
    await frame.locator('[data-section=outcomes] canvas').waitFor();
    await editor.screenshot('metrics-1-charts');
  });

  it('lead from the bucket of the job to its document, by keyboard', async () => {
    const frame = await editor.webviewFrame('Metrics: hello');
    const chart = frame.getByRole('slider', { name: /^Jobs/ });
    await chart.focus();
    const isOnJob = async () => ((await chart.getAttribute('aria-valuetext')) ?? '').includes('Completed 1');
    for (let bucket = 0; bucket < 60 && !(await isOnJob()); bucket++) await chart.press('ArrowLeft');
    assert.ok(await isOnJob());
    await chart.press('Enter');
    const job = frame.locator('.jobs tbody button').first();
    await job.waitFor();
    await editor.screenshot('metrics-2-jobs');
    await job.press('Enter');
    await waitForLine(editor, '"greeting": "Hello, world!"');
    await editor.screenshot('metrics-3-job');
  });

  it('show the last hour in the tooltip of the endpoint', async () => {
    await row(editor, /^hello/).hover();
    await editor.page.locator('.monaco-hover', { hasText: 'p99, last hour' }).waitFor();
    await editor.screenshot('metrics-4-tooltip');
  });

  it('are there again after a reload of the window', async () => {
    await editor.whenStored('tabs', 'cloudCompute.metrics');
    await editor.reload();
    const frame = await editor.webviewFrame('Metrics: hello');
    await frame.locator('.figures div', { hasText: 'Completed' }).getByText('1', { exact: true }).waitFor();
  });
});
