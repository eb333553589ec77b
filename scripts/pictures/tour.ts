// Part of npm run screenshots: records the animated tour of the README in a real editor and writes it to media/screenshots/tour.gif.
import { cp } from 'node:fs/promises';
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
import { openEditor, temporaryFolder } from '../../test/e2e/harness.ts';
import { repository } from '../editor/build.ts';
import { Animation } from './animation.ts';

const READING_MS = 2_000;
const PASSING_MS = 900;

const temporary = await temporaryFolder();
const workspaceFolder = path.join(temporary.path, 'hello-queue');
await cp(path.join(repository, 'samples', 'hello-queue'), workspaceFolder, { recursive: true });
const editor = await openEditor({ workspaceFolder, theme: 'Default Dark Modern' });
const animation = new Animation();
const frame = async (ms: number) => animation.add(await editor.page.screenshot(), ms);

await editor.openView('Cloud Compute');
await editor.page.getByRole('button', { name: 'Start Local Platform', exact: true }).waitFor();
await frame(READING_MS);
await startLocalPlatform(editor);
await editor.page.getByText('There are no endpoints yet').waitFor();
await frame(PASSING_MS);
await openFile(editor, 'hello.endpoint.yaml');
await editor.page.locator('.codelens-decoration a', { hasText: 'Create Endpoint' }).waitFor();
await frame(READING_MS);
await createEndpoint(editor);
await row(editor, /idle.* up \d/).waitFor();
await frame(READING_MS);
await editor.runCommand('Notifications: Clear All Notifications');
await clickAction(row(editor, /idle.* up \d/), 'Show Logs');
await editor.page.getByText('worker is ready').first().waitFor();
await frame(PASSING_MS);
await clickAction(row(editor, /^hello/), 'Run Job…');
await frame(PASSING_MS);
await chooseQuickPick(editor, 'hello.job.json');
await editor.page.getByText('second 1 of 3').first().waitFor();
await frame(READING_MS);
await waitForLine(editor, '"status": "COMPLETED"');
await row(editor, /idle.* up \d/).waitFor();
await editor.runCommand('Notifications: Clear All Notifications');
await frame(READING_MS);
await editor.runCommand('View: Close All Editors');
await editor.runCommand('View: Hide Panel');
await editor.runCommand('Cloud Compute: Open Billing');
await (await editor.webviewFrame('Billing')).getByText(/^\$/).first().waitFor();
await frame(READING_MS);
await animation.write(path.join(repository, 'media', 'screenshots', 'tour.gif'));
await editor.close();
await temporary.remove();
