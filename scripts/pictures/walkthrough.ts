// Part of npm run screenshots: takes the pictures of the walkthrough in a real editor and writes them to media/walkthrough.
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { chooseQuickPick, clickAction, createEndpoint, openFile, row, waitForLine } from '../../test/e2e/actions.ts';
import { openEditor, temporaryFolder } from '../../test/e2e/harness.ts';
import { repository } from '../editor/build.ts';
import { chooseInBilling } from './billing.ts';
import { refuseLeftovers, WITHOUT_PORTS } from './leftovers.ts';
import { webpOf } from './webp.ts';
import { hideStatusItems, THEMES, widenSideBar, type Variant } from './window.ts';
import { startWorkload } from './workload.ts';

const folder = path.join(repository, 'media', 'walkthrough');
/** Size of the pictures, in CSS pixels. The walkthrough shows them about as large. */
const size = { width: 620, height: 390 };
/** Scale of the subject that needs more room. Its picture is scaled down. */
const LARGE = 1.8;
/** Width of the activity bar and height of the status bar, which the pictures leave out. */
const ACTIVITY_BAR = 48;
const STATUS_BAR = 27;
/** Number of colors of a picture. The package contains the pictures, so they are small. */
const COLORS = 12;

/** Settings that leave the room to the subject. */
const settings = {
  ...WITHOUT_PORTS,
  'window.menuBarVisibility': 'hidden',
  'window.commandCenter': false,
  'workbench.layoutControl.enabled': false,
  'workbench.editor.editorActionsLocation': 'hidden',
  'breadcrumbs.enabled': false,
  'editor.minimap.enabled': false,
  'editor.lineNumbers': 'off',
  'editor.inlayHints.enabled': 'off',
  'cloudCompute.logs.source': 'container',
};

await mkdir(folder, { recursive: true });
for (const variant of ['dark', 'light'] as const) await takePictures(variant);

/** The walkthrough shows the pictures that suit the theme of the user. */
async function takePictures(variant: Variant): Promise<void> {
  const temporary = await temporaryFolder();
  const workspaceFolder = path.join(temporary.path, 'hello-queue');
  await cp(path.join(repository, 'samples', 'hello-queue'), workspaceFolder, { recursive: true });
  const editor = await openEditor({ workspaceFolder, theme: THEMES[variant], settings });
  // The editor joins this platform, whose bills have two months.
  await mkdir(editor.globalStorage, { recursive: true });
  const platform = await startWorkload(path.join(editor.globalStorage, 'platform'), { withEndpoints: false });
  const { page } = editor;
  await hideStatusItems(page);
  const take = async (step: string): Promise<void> => {
    await editor.runCommand('Notifications: Clear All Notifications');
    // Without the tooltip of the row that was clicked.
    await page.mouse.move(size.width, 1);
    await page.locator('.monaco-hover:visible, .quick-input-widget:visible').waitFor({ state: 'detached' });
    await write(step);
  };
  const write = async (step: string): Promise<void> => {
    await refuseLeftovers(page);
    const { width = 0, height = 0 } = page.viewportSize() ?? {};
    const clip = { x: ACTIVITY_BAR, y: 0, width: width - ACTIVITY_BAR, height: height - STATUS_BAR };
    const png = await page.screenshot({ animations: 'disabled', caret: 'hide', clip });
    const file = path.join(folder, `${step}-${variant}.webp`);
    await writeFile(file, await webpOf(page, png, { colors: COLORS, width: size.width }));
  };

  // A small window can hide the tab of the view.
  await editor.openView('Cloud Compute');
  await resize(page, 1);
  await page.getByRole('button', { name: 'Try the Sample', exact: true }).waitFor();
  await widenSideBar(page, 500);
  await take('platform');

  await widenSideBar(page, 260);
  await page.getByRole('button', { name: 'Start Local Platform', exact: true }).first().click();
  await openFile(editor, 'hello.endpoint.yaml');
  await createEndpoint(editor);
  await row(editor, /idle.* up \d/).waitFor();
  await take('endpoint');

  await clickAction(row(editor, /^hello/), 'Run Job…');
  await chooseQuickPick(editor, 'hello.job.json');
  await waitForLine(editor, '"status": "COMPLETED"');
  await row(editor, /idle.* up \d/).waitFor();
  await page.locator('.view-line', { hasText: '"status": "COMPLETED"' }).first().click();
  await editor.runCommand('View: Close Editors in Other Groups');
  await widenSideBar(page, 260);
  await take('job');

  await clickAction(row(editor, /idle.* up \d/), 'Show Logs');
  await page.getByText('second 3 of 3').first().waitFor();
  await editor.runCommand('View: Toggle Primary Side Bar Visibility');
  await editor.runCommand('View: Close All Editors');
  await editor.runCommand('View: Toggle Maximized Panel');
  await take('logs');

  await editor.runCommand('View: Hide Panel');
  await resize(page, LARGE);
  await editor.runCommand('Cloud Compute: Open Billing');
  const billing = await editor.webviewFrame('Billing');
  await chooseInBilling(billing, 'Period', 'month');
  await billing.getByText('Serverless GPU').first().waitFor();
  await take('billing');

  await resize(page, 1);
  await editor.runCommand('View: Close All Editors');
  await editor.runCommand('Cloud Compute: Connect to a Platform (Log In)…');
  await page.locator('.quick-input-widget').getByText('Connect to a Platform (1/3)').waitFor();
  // Without the tooltip of the input.
  await page.mouse.move(size.width, size.height);
  await page.locator('.monaco-hover:visible').waitFor({ state: 'detached' });
  await write('hosted');
  await editor.close();
  await platform.close();
  await temporary.remove();
}

/** Resizes the window, so that a picture of it has the size of all pictures times the scale. */
async function resize(page: Page, scale: number): Promise<void> {
  await page.setViewportSize({ width: size.width * scale + ACTIVITY_BAR, height: size.height * scale + STATUS_BAR });
}
