// npm run screenshots: takes the screenshots of the README in a real editor and writes them to media/screenshots.
import { copyFile, cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import {
  chooseQuickPick,
  createEndpoint,
  waitForLine,
  openFile,
  clickAction,
  row,
  startLocalPlatform,
} from '../../test/e2e/actions.ts';
import { openEditor, temporaryFolder, type EditorOptions } from '../../test/e2e/harness.ts';
import { repository } from '../editor/build.ts';

const folder = path.join(repository, 'media', 'screenshots');

/** Color themes, by the suffix of the screenshot's name. */
const themes: Readonly<Record<string, NonNullable<EditorOptions['theme']>>> = {
  dark: 'Default Dark Modern',
  light: 'Default Light Modern',
  contrast: 'Default High Contrast',
};
/** Screenshots that the README shows. The others are for review. */
const shown = ['billing-light'];

await mkdir(folder, { recursive: true });
for (const [name, theme] of Object.entries(themes)) {
  const temporary = await temporaryFolder();
  const workspaceFolder = path.join(temporary.path, 'hello-queue');
  await cp(path.join(repository, 'samples', 'hello-queue'), workspaceFolder, { recursive: true });
  const editor = await openEditor({ workspaceFolder, theme });
  const take = async (subject: string) => {
    await editor.runCommand('Notifications: Clear All Notifications');
    const file = await editor.screenshot(`readme/${subject}-${name}`);
    if (shown.includes(`${subject}-${name}`)) await copyFile(file, path.join(folder, path.basename(file)));
  };
  await startLocalPlatform(editor);
  await openFile(editor, 'hello.endpoint.yaml');
  await createEndpoint(editor);
  await clickAction(row(editor, /idle.* up \d/), 'Show Logs');
  await clickAction(row(editor, /^hello/), 'Run Job…');
  await chooseQuickPick(editor, 'hello.job.json');
  await waitForLine(editor, '"status": "COMPLETED"');
  await row(editor, /idle.* up \d/).waitFor();
  await take('job');
  await editor.runCommand('View: Close All Editors');
  await editor.runCommand('View: Hide Panel');
  await editor.runCommand('Cloud Compute: Open Billing');
  await (await editor.webviewFrame('Billing')).getByText(/^\$/).first().waitFor();
  await take('billing');
  await editor.close();
  await temporary.remove();
}
