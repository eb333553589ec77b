import assert from 'node:assert/strict';
import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { openFile, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, temporaryFolder, type Editor } from './harness.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** In an untrusted folder the extension refuses to act on workspace files and offers a button to manage trust. */
describe('Restricted Mode', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    folder = await temporaryFolder();
    await cp(SAMPLE, folder.path, { recursive: true });
    editor = await openEditor({ workspaceFolder: folder.path, restricted: true });
  });

  after(async () => {
    await editor.close();
    await folder.remove();
  });

  const lens = (text: string) => editor.page.locator('.codelens-decoration a', { hasText: text });
  const refused = (deed: string) =>
    editor.notification(`${deed} requires a trusted workspace (use “Manage Workspace Trust”)`);

  it('refuses the sample, whose files it would write', async () => {
    const before = await readdir(folder.path);
    await editor.openView('Cloud Compute');
    await editor.page.getByRole('button', { name: 'Try the Sample', exact: true }).click();
    await refused('trying the sample').getByRole('button', { name: 'Manage Workspace Trust' }).waitFor();
    assert.deepEqual(await readdir(folder.path), before);
  });

  it('refuses to create an endpoint from a manifest and names the command that manages trust', async () => {
    await openFile(editor, 'hello.endpoint.yaml');
    await lens('Start Local Platform and Create Endpoint').click();
    await refused('creating an endpoint from hello.endpoint.yaml').waitFor();
    await editor.screenshot('restricted-create');
  });

  it('refuses to run a job from a job file, even on your own local platform', async () => {
    await startLocalPlatform(editor);
    await lens('Create Endpoint on Local Platform').waitFor();
    await openFile(editor, 'hello.job.json');
    await lens('Run on Local Platform').click();
    const refusal = refused('running a job from hello.job.json');
    await refusal.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    await editor.page.getByText('You are in Restricted Mode').waitFor();
    await editor.screenshot('restricted-trust');
  });
});
