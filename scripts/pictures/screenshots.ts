// npm run screenshots: takes the screenshots of the README in a real editor and writes them to media/screenshots.
import { copyFile, cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { chooseFromMenu, row, startLocalPlatform } from '../../test/e2e/actions.ts';
import { openEditor, temporaryFolder, type EditorOptions } from '../../test/e2e/harness.ts';
import { webviewFrame } from '../../test/e2e/webview.ts';
import { repository } from '../editor/build.ts';
import { refuseLeftovers } from './leftovers.ts';
import { startWorkload } from './workload.ts';

const folder = path.join(repository, 'media', 'screenshots');

/** Color themes, by the suffix of the screenshot's name. */
const themes: Readonly<Record<string, NonNullable<EditorOptions['theme']>>> = {
  light: 'Default Light Modern',
  dark: 'Default Dark Modern',
};
/** Screenshots that the README shows. The others are for review. */
const shown = ['billing-light', 'explain-light'];

await mkdir(folder, { recursive: true });
for (const [name, theme] of Object.entries(themes)) {
  const temporary = await temporaryFolder();
  const workspaceFolder = path.join(temporary.path, 'workers');
  const dataDir = path.join(temporary.path, 'data');
  await cp(path.join(repository, 'samples', 'hello-queue'), workspaceFolder, { recursive: true });
  const platform = await startWorkload(dataDir);
  const editor = await openEditor({
    workspaceFolder,
    theme,
    settings: { 'cloudCompute.localPlatform.dataDirectory': dataDir },
  });
  const take = async (subject: string) => {
    await editor.runCommand('Notifications: Clear All Notifications');
    await editor.page.mouse.move(1, 1);
    await editor.page.locator('.monaco-hover:visible, .quick-input-widget:visible').waitFor({ state: 'detached' });
    await refuseLeftovers(editor.page);
    const file = await editor.screenshot(`readme/${subject}-${name}`);
    if (shown.includes(`${subject}-${name}`)) await copyFile(file, path.join(folder, path.basename(file)));
  };
  await startLocalPlatform(editor);
  await row(editor, /^thumbnails.*unhealthy/).waitFor();
  await row(editor, /^speech-to-text.*idle/).waitFor();
  await chooseFromMenu(editor, /^thumbnails/, 'Explain This Endpoint');
  await webviewFrame(editor.page, async (frame) => (await frame.getByText('needs attention').count()) > 0);
  await take('explain');
  await editor.runCommand('View: Close All Editors');
  await editor.runCommand('Cloud Compute: Open Billing');
  const billing = await editor.webviewFrame('Billing');
  await choose(billing, 'Period', 'month');
  await choose(billing, 'Stacked by', 'endpoint');
  await billing.getByText('speech-to-text').first().waitFor();
  await take('billing');
  await editor.close();
  await platform.close();
  await temporary.remove();
}

/** Chooses a value in a list of the billing view. */
async function choose(frame: Frame, label: string, value: string): Promise<void> {
  await frame.locator(`vscode-single-select[label="${label}"]`).evaluate((list, chosen) => {
    Object.assign(list, { value: chosen });
    list.dispatchEvent(new Event('change'));
  }, value);
}
