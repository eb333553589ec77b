import assert from 'node:assert/strict';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { buildFolder } from '../engines/images.ts';
import { startRegistry, type TestRegistry } from '../engines/registry.ts';
import { onEngines } from '../engines/world.ts';
import { cleanUp } from '../platform/support.ts';
import {
  chooseQuickPick,
  clickAction,
  clickButton,
  createEndpoint,
  openFile,
  row,
  startLocalPlatform,
  waitForLine,
} from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';
import { webviewFrame, type FrameTest } from './webview.ts';

const SAMPLE = path.join(repository, 'samples', 'container-image');
const IMAGE = 'localhost/hello-image:1.0';
/** Large enough that its progress is visible. */
const LARGE_BYTES = 40_000_000;
/** Bytes of an image after which its pull is held, so that its progress can be seen. */
const HELD_BYTES = 20_000_000;

/** Follows the main workflow with an image in place of a process. Each step depends on the previous one. */
describe('main workflow with an image', () => {
  onEngines(({ name, running }) => {
    // The steps are the same on every engine. The tests of engines cover the differences.
    if (name !== 'Docker') return;
    skipAfterFailure();

    const folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];
    let registry: TestRegistry;
    let workspaceFolder = '';
    let editor: Editor;
    screenshotOnFailure(() => editor);

    before(async function () {
      const { api, address } = running();
      registry = await startRegistry();
      await buildFolder(api, IMAGE, SAMPLE);
      await registry.push(api, 'private:1', LARGE_BYTES);
      await registry.push(api, 'spare:1', LARGE_BYTES);
      for (let count = 0; count < 2; count++) folders.push(await temporaryFolder());
      const [workspace = '', userDataDir = ''] = folders.map((folder) => folder.path);
      workspaceFolder = workspace;
      await cp(SAMPLE, workspaceFolder, { recursive: true });
      await writePrivateManifest();
      // A remote editor reads its machine settings from this folder.
      const machine = path.join(userDataDir, 'Machine');
      await mkdir(machine, { recursive: true });
      const settings = { 'cloudCompute.localPlatform.containerEngine': address };
      await writeFile(path.join(machine, 'settings.json'), JSON.stringify(settings));
      editor = await openEditor({ workspaceFolder, userDataDir, theme: screenshotTheme.title });
    });

    after(async () => {
      await editor.close();
      await Promise.all(folders.map((folder) => folder.remove()));
      await cleanUp();
    });

    /** Writes a manifest for an image that only a user of the registry can pull. */
    async function writePrivateManifest(): Promise<void> {
      const text = await readFile(path.join(SAMPLE, 'hello.endpoint.yaml'), 'utf8');
      const changed = text
        .replace('name: hello-image', 'name: private')
        .replace(/^image: .*$/m, `image: ${registry.address}/private:1`);
      await writeFile(path.join(workspaceFolder, 'private.endpoint.yaml'), changed);
    }

    it('shows the engine that the setting names', async function () {
      await startLocalPlatform(editor);
      await editor.page.getByText('There are no endpoints yet').waitFor();
      await editor.runCommand('Cloud Compute: Manage Local Platform…');
      const engine = editor.page.locator('.quick-input-widget .monaco-list-row', { hasText: /Docker \d+\.\d+/ });
      await engine.waitFor();
      await editor.screenshot(`image-1-engine-${screenshotTheme.name}`);
      await editor.page.keyboard.press('Escape');
    });

    it('creates an endpoint whose worker is a container', async function () {
      await openFile(editor, 'hello.endpoint.yaml');
      await createEndpoint(editor);
      await row(editor, /idle.* up \d/).waitFor({ timeout: 60_000 });
      await editor.screenshot(`image-2-endpoint-${screenshotTheme.name}`);
    });

    it('runs a job in the container, follows its log, and shows its result', async function () {
      await clickAction(row(editor, /idle.* up \d/), 'Show Logs');
      await editor.page.getByText('worker is ready').first().waitFor();
      await clickAction(row(editor, /^hello-image/), 'Run Job…');
      await chooseQuickPick(editor, 'hello.job.json');
      await editor.page.getByText('second 1 of 3').first().waitFor({ timeout: 60_000 });
      await waitForLine(editor, '"status": "COMPLETED"');
      await waitForLine(editor, '"container":');
      await editor.screenshot(`image-3-job-done-${screenshotTheme.name}`);
    });

    it('charts the cost of the worker', async function () {
      await editor.runCommand('Cloud Compute: Open Billing');
      const frame = await editor.webviewFrame('Billing');
      assert.match(await frame.getByText(/^\$/).first().innerText(), /^\$0\.0*[1-9]/);
      await editor.runCommand('View: Close All Editors');
    });

    it('explains that the registry requires credentials', async function () {
      await openFile(editor, 'private.endpoint.yaml');
      await createEndpoint(editor);
      await row(editor, /^private.*unhealthy/).waitFor({ timeout: 60_000 });
      await clickAction(row(editor, /^private/), 'Explain This Endpoint');
      const isExplained: FrameTest = async (frame) =>
        (await frame.getByText('The registry requires credentials').count()) > 0;
      await webviewFrame(editor.page, isExplained);
      await editor.notification('The explanation of “private” has next steps').waitFor();
      await editor.screenshot(`image-4-no-credential-${screenshotTheme.name}`);
    });

    it('adds a credential from the explanation, and pulls the image with it', async function () {
      const { page } = editor;
      await clickButton(editor, 'The explanation of “private”', 'Next Steps…');
      await chooseQuickPick(editor, 'Add Registry Credential');
      const { username, password } = registry.credentials;
      const answers = [
        ['Name of the credential', 'lab'],
        ['User name on the registry', username],
        ['Password or access token', password],
      ] as const;
      for (const [prompt, text] of answers) {
        await page.locator('.quick-input-widget', { hasText: prompt }).waitFor();
        await page.locator('.quick-input-widget input:visible').first().fill(text);
        await page.keyboard.press('Enter');
      }
      await page.getByText('Registry credential “lab” added').waitFor();
      // The completion lists the credential, and inserts its ID.
      await openFile(editor, 'private.endpoint.yaml');
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.type('registry: ');
      // A completion contains the credentials that are known at that time, and reads them in the background.
      const lab = page.locator('.suggest-widget .monaco-list-row', { hasText: 'lab' }).first();
      const isListed = () =>
        lab.waitFor({ timeout: 5_000 }).then(
          () => true,
          () => false,
        );
      do {
        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+Space');
      } while (!(await isListed()));
      await lab.click();
      await page.keyboard.press('Control+S');
      const release = registry.hold(HELD_BYTES);
      await page.locator('.codelens-decoration a', { hasText: 'Update' }).first().click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Update/ })
        .click();
      await row(editor, /pulling \d+ %/).waitFor({ timeout: 60_000 });
      await editor.screenshot(`image-5-pulling-${screenshotTheme.name}`);
      release();
    });

    it('pulls an image on request, with its progress', async function () {
      const { page } = editor;
      await editor.runCommand('Cloud Compute: Pull Image…');
      await page.locator('.quick-input-widget input:visible').first().fill(`${registry.address}/spare:1`);
      await chooseQuickPick(editor, 'spare:1');
      const release = registry.hold(HELD_BYTES);
      await chooseQuickPick(editor, 'lab');
      await editor.notification(/Pulling .*spare:1/).waitFor();
      await editor.notification(/Pulling .*\d+ %/).waitFor();
      await editor.screenshot(`image-6-pull-${screenshotTheme.name}`);
      release();
      await editor.notification(/Pulled .*spare:1/).waitFor({ timeout: 60_000 });
    });

    it('names the problem of a failed pull, and offers its remedy', async function () {
      const { page } = editor;
      await editor.runCommand('Notifications: Clear All Notifications');
      await editor.runCommand('Cloud Compute: Pull Image…');
      await page.locator('.quick-input-widget input:visible').first().fill(`${registry.address}/spare:1`);
      await chooseQuickPick(editor, 'spare:1');
      await chooseQuickPick(editor, 'No Credential');
      const failed = editor.notification('Could not pull the image');
      await failed.getByRole('button', { name: 'Add Registry Credential' }).waitFor();
      await editor.screenshot(`image-7-pull-failed-${screenshotTheme.name}`);
      await editor.runCommand('Notifications: Clear All Notifications');
    });

    it('removes the images that nothing uses', async function () {
      const { page } = editor;
      await editor.runCommand('Cloud Compute: Remove Unused Images…');
      await page.locator('.quick-input-widget', { hasText: /Remove Unused Images \([\d.]+ MB\)/ }).waitFor();
      await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'spare:1' }).waitFor();
      await editor.screenshot(`image-8-unused-${screenshotTheme.name}`);
      await page.keyboard.press('Enter');
      await editor.notification(/Removed 1 image, [\d.]+ MB/).waitFor();
      await editor.runCommand('Cloud Compute: Remove Unused Images…');
      await editor.notification('There are no unused images').waitFor();
    });
  });
});
