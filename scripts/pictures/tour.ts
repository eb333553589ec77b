// Part of npm run screenshots: records the animated tour of the README in a real editor and writes it to media/screenshots/tour.gif.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import {
  chooseFromMenu,
  chooseQuickPick,
  clickAction,
  createEndpoint,
  openFile,
  row,
  startLocalPlatform,
  waitForLine,
} from '../../test/e2e/actions.ts';
import { openEditor, temporaryFolder } from '../../test/e2e/harness.ts';
import { webviewFrame } from '../../test/e2e/webview.ts';
import { repository } from '../editor/build.ts';
import { Animation } from './animation.ts';
import { chooseInBilling } from './billing.ts';
import { showCaption } from './caption.ts';
import { failJob } from './failingJob.ts';
import { refuseLeftovers, WITHOUT_PORTS } from './leftovers.ts';
import { hideStatusItems, widenSideBar } from './window.ts';
import { startWorkload, writeWorkspace } from './workload.ts';

const READING_MS = 3_000;
/** Width of the views in CSS pixels. */
const SIDE_BAR = 420;

const temporary = await temporaryFolder();
const workspaceFolder = path.join(temporary.path, 'workers');
await writeWorkspace(workspaceFolder);
const settings = {
  ...WITHOUT_PORTS,
  'breadcrumbs.enabled': false,
  // The messages of the host contain temporary folders.
  'cloudCompute.logs.source': 'container',
};
const editor = await openEditor({ workspaceFolder, theme: 'Default Dark Modern', settings });
const { page } = editor;
await hideStatusItems(page);
const dataDir = path.join(editor.globalStorage, 'platform');
await mkdir(editor.globalStorage, { recursive: true });
const workload = await startWorkload(dataDir, { withEndpoints: true });
const animation = new Animation();

/** Adds a picture of the window without the pointer and notifications, and with a caption. */
async function show(caption: string): Promise<void> {
  await editor.runCommand('Notifications: Clear All Notifications');
  await page.mouse.move(1, 1);
  await page.locator('.monaco-hover:visible, .quick-input-widget:visible').waitFor({ state: 'detached' });
  await refuseLeftovers(page);
  await showCaption(page, caption);
  animation.add(await page.screenshot({ animations: 'disabled', caret: 'hide' }), READING_MS);
  await showCaption(page, '');
}

await startLocalPlatform(editor);
await row(editor, /^speech-to-text.*idle/).waitFor({ timeout: 90_000 });
await widenSideBar(page, SIDE_BAR);
await openFile(editor, 'hello.endpoint.yaml');
await page.locator('.codelens-decoration a', { hasText: 'Create Endpoint' }).waitFor();
await show('A manifest describes an endpoint. One click creates it.');
await createEndpoint(editor);
await row(editor, /^hello.*1 idle/).waitFor();
await clickAction(row(editor, /idle.* up \d/), 'Show Logs');
await page.getByText('[following] connected').first().waitFor();
await clickAction(row(editor, /^hello/), 'Run Job…');
await chooseQuickPick(editor, 'hello.job.json');
await waitForLine(editor, '"status": "COMPLETED"');
await row(editor, /^hello.*1 idle/).waitFor();
await show('Its worker runs on this machine. Run a job, follow the log, and read the result.');
await editor.runCommand('View: Close All Editors');
await editor.runCommand('View: Hide Panel');
await failJob(editor, workload);
await editor.runCommand('View: Close All Editors');
await chooseFromMenu(editor, /^thumbnails/, 'Explain This Endpoint');
await webviewFrame(page, async (frame: Frame) => (await frame.getByText('needs attention').count()) > 0);
await show('A job failed? Explain finds the reason in the log of the worker.');
await editor.runCommand('View: Close All Editors');
await editor.runCommand('Cloud Compute: Open Billing');
const billing = await editor.webviewFrame('Billing');
await chooseInBilling(billing, 'Period', 'month');
await chooseInBilling(billing, 'Stacked by', 'endpoint');
await billing.getByText('speech-to-text').first().waitFor();
await show('Billing shows a month by endpoint, with a forecast.');
await animation.write(path.join(repository, 'media', 'screenshots', 'tour.gif'));
await editor.close();
await workload.close();
await temporary.remove();
