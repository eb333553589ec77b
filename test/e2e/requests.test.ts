import { cp } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { clickAction, createEndpoint, openFile, row, startLocalPlatform, waitForLine } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-balanced');

/** Sends requests to a load-balanced endpoint as a user does. Each step depends on the previous one. */
describe('HTTP files and the Requests view', () => {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);
  const screenshot = (name: string) => editor.screenshot(`requests-${name}-${screenshotTheme.name}`);
  const send = (index: number) =>
    editor.page.locator('.codelens-decoration a', { hasText: 'Send to Local Platform' }).nth(index);

  before(async () => {
    workspace = await temporaryFolder();
    await cp(SAMPLE, workspace.path, { recursive: true });
    editor = await openEditor({ workspaceFolder: workspace.path, theme: screenshotTheme.title });
    await startLocalPlatform(editor);
    await openFile(editor, 'hello.endpoint.yaml');
    await createEndpoint(editor);
    await row(editor, /hello-balanced/).waitFor();
    await editor.runCommand('View: Close All Editors');
    await editor.runCommand('Notifications: Clear All Notifications');
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  it('open from the row of the endpoint, with a lens above each request', async () => {
    await clickAction(row(editor, /hello-balanced/), 'Open Requests of Endpoint');
    await send(2).waitFor();
    await screenshot('1-file');
  });

  it('wait for the first worker, and show the response', async () => {
    await send(1).click();
    await waitForLine(editor, '200 OK');
    await waitForLine(editor, 'Hello');
    await screenshot('2-response');
  });

  it('show a stream while it arrives, and list the requests', async () => {
    await editor.page.getByRole('tab', { name: 'hello.http' }).first().click();
    await send(2).click();
    await waitForLine(editor, 'receiving…');
    await screenshot('3-stream');
    await waitForLine(editor, '10');
    await editor.page.locator('.pane-header', { hasText: 'Requests' }).click();
    await row(editor, /Count.*200/).waitFor();
    await screenshot('4-view');
  });
});
