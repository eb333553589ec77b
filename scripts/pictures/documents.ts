// Part of npm run screenshots: takes the pictures of the documents in a real editor and writes them to docs/pictures.
import { mkdir, writeFile } from 'node:fs/promises';
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
import { failJob } from './failingJob.ts';
import { refuseLeftovers, WITHOUT_PORTS } from './leftovers.ts';
import { webpOf } from './webp.ts';
import { hideStatusItems, THEMES, widenSideBar, type Variant } from './window.ts';
import { startWorkload, writeWorkspace } from './workload.ts';

const folder = path.join(repository, 'docs', 'pictures');
/** Number of colors of a picture. */
const COLORS = 256;
/** Width of the views in CSS pixels. */
const SIDE_BAR = 460;

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
  /** Takes a picture of a part of the window. */
  const take = async (subject: string, part: 'sidebar' | 'editor' | 'panel'): Promise<void> => {
    await editor.runCommand('Notifications: Clear All Notifications');
    await page.mouse.move(1, 1);
    await page.locator('.monaco-hover:visible, .quick-input-widget:visible').waitFor({ state: 'detached' });
    await refuseLeftovers(page);
    const picture = page.locator(`.part.${part}`);
    const png = await picture.screenshot({ animations: 'disabled', caret: 'hide' });
    const width = Math.round((await picture.boundingBox())?.width ?? 0);
    await writeFile(
      path.join(folder, `${subject}-${variant}.webp`),
      await webpOf(page, png, { colors: COLORS, width }),
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
  await take('views', 'sidebar');

  await chooseFromMenu(editor, /^thumbnails/, 'Explain This Endpoint');
  await webviewFrame(page, async (frame) => (await frame.getByText('needs attention').count()) > 0);
  await take('explain', 'editor');

  await chooseFromMenu(editor, /^thumbnails/, 'Logs', 'Show Logs');
  await page.getByText('[trouble]').first().waitFor();
  await editor.runCommand('View: Toggle Primary Side Bar Visibility');
  await page.setViewportSize({ width: 1_000, height: 720 });
  await take('logs', 'panel');
  await editor.close();
  await workload.close();
  await temporary.remove();
}
