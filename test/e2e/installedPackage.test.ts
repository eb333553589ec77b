import assert from 'node:assert/strict';
import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { packageExtension } from '../support/packageExtension.ts';
import {
  chooseQuickPick,
  clickAction,
  createEndpoint,
  openFile,
  row,
  startLocalPlatform,
  waitForLine,
} from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';

/** Does the work of the first minutes with the package that users install, in a new profile. */
describe('installed VSIX package', () => {
  skipAfterFailure();

  const folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];
  let editor: Editor | undefined;
  let userDataDir = '';
  screenshotOnFailure(() => editor);
  const opened = (): Editor => {
    assert.ok(editor);
    return editor;
  };

  before(async () => {
    for (let count = 0; count < 3; count++) folders.push(await temporaryFolder());
    const [workspaceFolder = '', profile = '', build = ''] = folders.map((folder) => folder.path);
    userDataDir = profile;
    await cp(path.join(repository, 'samples', 'hello-queue'), workspaceFolder, { recursive: true });
    const { vsix } = await packageExtension(build);
    editor = await openEditor({ workspaceFolder, userDataDir, vsix });
  });

  after(async () => {
    await editor?.close();
    await Promise.all(folders.map((folder) => folder.remove()));
  });

  it('is the only installed extension', async () => {
    const installed = (await readdir(path.join(userDataDir, 'extensions'))).filter((name) => !name.startsWith('.'));
    assert.deepEqual(
      installed.filter((name) => name !== 'extensions.json').map((name) => name.replace(/-\d.*/, '')),
      ['cloud-compute.cloud-compute'],
    );
  });

  it('starts the local platform', async () => {
    await startLocalPlatform(opened());
    await opened().page.getByText('There are no endpoints yet').waitFor();
  });

  it('creates the endpoint of a sample', async () => {
    await openFile(opened(), 'hello.endpoint.yaml');
    await createEndpoint(opened());
    await row(opened(), /idle.* up \d/).waitFor();
  });

  it('runs a job and shows its result', async () => {
    await clickAction(row(opened(), /^hello/), 'Run Job…');
    await chooseQuickPick(opened(), 'hello.job.json');
    await waitForLine(opened(), '"greeting": "Hello, world!"');
    await opened().screenshot('installed-package');
  });
});
