import { cp } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { createEndpoint, openFile, startLocalPlatform, waitForLine } from './actions.ts';
import { openEditor, screenshotOnFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

describe('The sample streaming', () => {
  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);
  const screenshot = (name: string) => editor.screenshot(`samples-${name}-${screenshotTheme.name}`);

  before(async () => {
    workspace = await temporaryFolder();
    await cp(path.join(repository, 'samples', 'streaming'), workspace.path, { recursive: true });
    editor = await openEditor({ workspaceFolder: workspace.path, theme: screenshotTheme.title });
    await startLocalPlatform(editor);
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  it('shows the words of its job while they arrive, and the end of the stream', async () => {
    await openFile(editor, 'reader.endpoint.yaml');
    await createEndpoint(editor);
    await editor.treeItem('streaming').first().waitFor();
    await openFile(editor, 'reader.job.json');
    await editor.page.locator('.codelens-decoration a', { hasText: 'Run on Local Platform' }).first().click();
    // The line of the stream, and not the one of the job file. The editor shows other spaces.
    await editor.page
      .locator('.view-line', { hasText: /^The\sjob/ })
      .first()
      .waitFor();
    await screenshot('1-stream');
    await waitForLine(editor, 'Completed: 23 chunks');
    await screenshot('2-end');
  });
});
