// npm run screenshots: takes the screenshots of the README in a real editor and writes them to media/screenshots.
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import {
  chooseFromMenu,
  chooseQuickPick,
  clickAction,
  row,
  startLocalPlatform,
  waitForLine,
} from '../../test/e2e/actions.ts';
import { openEditor, temporaryFolder } from '../../test/e2e/harness.ts';
import { webviewFrame } from '../../test/e2e/webview.ts';
import { repository } from '../editor/build.ts';
import { chooseInBilling } from './billing.ts';
import { failJob } from './failingJob.ts';
import { refuseLeftovers, WITHOUT_PORTS } from './leftovers.ts';
import { hideStatusItems, widenSideBar } from './window.ts';
import { startWorkload, writeWorkspace } from './workload.ts';

const folder = path.join(repository, 'media', 'screenshots');
/** Width of the views in CSS pixels. */
const SIDE_BAR = 420;

await mkdir(folder, { recursive: true });
const temporary = await temporaryFolder();
const workspaceFolder = path.join(temporary.path, 'workers');
await writeWorkspace(workspaceFolder);
const editor = await openEditor({ workspaceFolder, theme: 'Default Light Modern', settings: WITHOUT_PORTS });
await hideStatusItems(editor.page);
// The editor joins the platform of its data directory.
const dataDir = path.join(editor.globalStorage, 'platform');
await mkdir(editor.globalStorage, { recursive: true });
const workload = await startWorkload(dataDir, { withEndpoints: true });
await startLocalPlatform(editor);
await row(editor, /^speech-to-text.*idle/).waitFor({ timeout: 90_000 });
await widenSideBar(editor.page, SIDE_BAR);
// The Jobs view lists the jobs of this editor.
await clickAction(row(editor, /^speech-to-text/), 'Run Job…');
await chooseQuickPick(editor, 'interview.job.json');
await waitForLine(editor, '"status": "COMPLETED"');
await failJob(editor, workload);
await editor.runCommand('View: Close All Editors');
await chooseFromMenu(editor, /^thumbnails/, 'Explain This Endpoint');
await webviewFrame(editor.page, async (frame) => (await frame.getByText('needs attention').count()) > 0);
await take('explain');
await editor.runCommand('View: Close All Editors');
await editor.runCommand('Cloud Compute: Open Billing');
const billing = await editor.webviewFrame('Billing');
await chooseInBilling(billing, 'Period', 'month');
await chooseInBilling(billing, 'Stacked by', 'endpoint');
await billing.getByText('speech-to-text').first().waitFor();
await take('billing');
await editor.close();
await workload.close();
await temporary.remove();

/** Takes a screenshot of the window without the pointer and notifications. */
async function take(subject: string): Promise<void> {
  await editor.runCommand('Notifications: Clear All Notifications');
  await editor.page.mouse.move(1, 1);
  await editor.page.locator('.monaco-hover:visible, .quick-input-widget:visible').waitFor({ state: 'detached' });
  await refuseLeftovers(editor.page);
  const file = await editor.screenshot(`readme/${subject}-light`);
  await copyFile(file, path.join(folder, path.basename(file)));
}
