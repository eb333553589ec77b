// Part of npm run screenshots: takes the pictures of the documents in a real editor and writes them to docs/pictures.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
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
import { failJob } from './failingJob.ts';
import { refuseLeftovers, WITHOUT_PORTS } from './leftovers.ts';
import { webpOf, withoutRows, type Rows } from './webp.ts';
import { hideStatusItems, THEMES, widenSideBar, type Variant } from './window.ts';
import { startWorkload, writeWorkspace } from './workload.ts';

const folder = path.join(repository, 'docs', 'pictures');
/** Number of colors of a picture. */
const COLORS = 256;
/** Width of the views in CSS pixels. */
const SIDE_BAR = 460;
/** Height of the window with the metrics, in CSS pixels. It ends after the second chart. */
const METRICS_HEIGHT = 905;
/** Number of jobs that the endpoint of the metrics has completed before its busy hour. */
const INTERVIEWS = 1;

for (const variant of ['dark', 'light'] as const) await takePictures(variant);

async function takePictures(variant: Variant): Promise<void> {
  const temporary = await temporaryFolder();
  const workspaceFolder = path.join(temporary.path, 'workers');
  await writeWorkspace(workspaceFolder);
  const settings = { ...WITHOUT_PORTS, 'cloudCompute.logs.source': 'container', 'breadcrumbs.enabled': false };
  const editor = await openEditor({ workspaceFolder, theme: THEMES[variant], settings });
  const { page } = editor;
  await hideStatusItems(page);
  await mkdir(editor.globalStorage, { recursive: true });
  const workload = await startWorkload(path.join(editor.globalStorage, 'platform'), { withEndpoints: true });
  /** Takes a picture of a part of the window, without some of its rows. */
  const take = async (subject: string, part: 'sidebar' | 'editor' | 'panel', rows?: Rows): Promise<void> => {
    await editor.runCommand('Notifications: Clear All Notifications');
    await page.mouse.move(1, 1);
    await page.locator('.monaco-hover:visible, .quick-input-widget:visible').waitFor({ state: 'detached' });
    await refuseLeftovers(page);
    const picture = page.locator(`.part.${part}`);
    const png = await picture.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css' });
    const width = Math.round((await boxOf(picture)).width);
    await writeFile(
      path.join(folder, `${subject}-${variant}.webp`),
      await webpOf(page, rows ? withoutRows(png, rows) : png, { colors: COLORS, width }),
    );
  };

  await page.setViewportSize({ width: 1_200, height: 800 });
  await startLocalPlatform(editor);
  await row(editor, /^speech-to-text.*idle/).waitFor();
  await widenSideBar(page, SIDE_BAR);
  await clickAction(row(editor, /^speech-to-text/), 'Run Job…');
  await chooseQuickPick(editor, 'interview.job.json');
  await waitForLine(editor, '"status": "COMPLETED"');
  await failJob(editor, workload);
  await editor.runCommand('View: Close All Editors');
  await page.getByRole('button', { name: 'Resources Section' }).click();
  await row(editor, /^Templates/).waitFor();
  await editor.runCommand('View: Focus Active Editor Group');
  await take('views', 'sidebar', await rowsOfCutItem(page));

  await chooseFromMenu(editor, /^thumbnails/, 'Explain This Endpoint');
  await webviewFrame(page, async (frame) => (await frame.getByText('needs attention').count()) > 0);
  await take('explain', 'editor');

  await chooseFromMenu(editor, /^thumbnails/, 'Logs', 'Show Logs');
  await page.getByText('[trouble]').first().waitFor();
  await editor.runCommand('View: Toggle Primary Side Bar Visibility');
  await page.setViewportSize({ width: 1_000, height: 720 });
  await take('logs', 'panel', await rowsOfCutLines(page));

  await editor.runCommand('View: Toggle Panel Visibility');
  await editor.runCommand('View: Toggle Primary Side Bar Visibility');
  await chooseFromMenu(editor, /^speech-to-text/, 'Show Metrics');
  const metrics = await editor.webviewFrame('Metrics: speech-to-text');
  await editor.runCommand('View: Close Other Editors in Group');
  await editor.runCommand('View: Toggle Primary Side Bar Visibility');
  await page.setViewportSize({ width: 1_000, height: METRICS_HEIGHT });
  const jobs = (await workload.runBusyHour()) + INTERVIEWS;
  await metrics.getByRole('button', { name: 'Refresh' }).click();
  await metrics.locator('.figures div', { hasText: 'Completed' }).getByText(String(jobs), { exact: true }).waitFor();
  await metrics.locator('[data-section=outcomes] canvas').waitFor();
  await take('metrics', 'editor');
  await editor.close();
  await workload.close();
  await temporary.remove();
}

/** Scrolls the log to its end. Returns the rows between the title of the panel and the first line that begins with a time. */
async function rowsOfCutLines(page: Page): Promise<Rows> {
  const panel = page.locator('.part.panel');
  const log = panel.locator('.monaco-editor', { has: page.getByText('[trouble]') });
  await log.hover();
  await page.mouse.wheel(0, 100_000);
  await log.locator('.view-line', { hasText: /^\s*$/ }).last().waitFor();
  const { y: edge } = await boxOf(panel);
  const { y: top } = await boxOf(log);
  const lines = await log.locator('.view-line', { hasText: /^\d\d:\d\d/ }).all();
  const tops = (await Promise.all(lines.map(boxOf))).map(({ y }) => y);
  return { from: top - edge, to: Math.min(...tops.filter((y) => y >= top)) - edge };
}

/** Returns the rows of the last item of the resources, which the edge of the view cuts. The border below it stays. */
async function rowsOfCutItem(page: Page): Promise<Rows> {
  const sideBar = page.locator('.part.sidebar');
  const list = sideBar.locator('.pane').last().locator('.monaco-list');
  const { y: edge } = await boxOf(sideBar);
  const { y: top, height } = await boxOf(list);
  const items = await list.locator('.monaco-list-row').all();
  const bottoms = (await Promise.all(items.map(boxOf))).map((item) => item.y + item.height);
  return { from: Math.max(...bottoms.filter((bottom) => bottom <= top + height)) - edge, to: top + height - edge };
}

async function boxOf(element: Locator): Promise<{ y: number; width: number; height: number }> {
  const box = await element.boundingBox();
  if (!box) throw new Error('The picture shows something that is hidden');
  return box;
}
