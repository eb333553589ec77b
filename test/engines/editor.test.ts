import assert from 'node:assert/strict';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { chooseFromMenu, createEndpoint, openFile, row, startLocalPlatform } from '../e2e/actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from '../e2e/harness.ts';
import { importShellImage, SHELL_IMAGE } from './shellImage.ts';
import { onEngines } from './world.ts';

const WORKER = path.join(repository, 'samples', 'hello-queue', 'hello');

/** The file is a copy of the one in the image, in a folder that only `localRoot` names. */
const launch = {
  version: '0.2.0',
  configurations: [
    {
      ...{ name: 'Greeter', type: 'cloudCompute', request: 'attach', endpoint: 'greeter' },
      localRoot: '${workspaceFolder}/source/greeter',
    },
  ],
};
const manifest = {
  ...{ name: 'greeter', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 }, workers: { min: 1, max: 1 } },
  ...{ image: SHELL_IMAGE, cmd: ['handler.mjs'], cpu: [{ id: 'cpu3c', vcpuCount: 2 }], disk: 5, timeout: 60_000 },
};

/** Opens a shell in a container and debugs its worker in the whole editor. Each step depends on the previous one. */
describe('The worker of a container in the editor', function () {
  this.timeout(5 * 60_000);

  onEngines(({ name, running }) => {
    // The editor does the same with each engine.
    if (name !== 'Docker') return;
    skipAfterFailure();
    let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
    let userData: Awaited<ReturnType<typeof temporaryFolder>>;
    let editor: Editor;
    screenshotOnFailure(() => editor);

    before(async () => {
      const files = ['handler.mjs', 'serverless.mjs'].map((file) => path.join(WORKER, file));
      await importShellImage(running().api, files);
      workspace = await temporaryFolder();
      const at = (file: string) => path.join(workspace.path, file);
      await mkdir(at('.vscode'));
      await cp(WORKER, at('source/greeter'), { recursive: true });
      await writeFile(at('.vscode/launch.json'), JSON.stringify(launch));
      await writeFile(at('greeter.endpoint.json'), JSON.stringify(manifest, undefined, 2));
      await writeFile(
        at('greeter.job.json'),
        JSON.stringify({ input: { name: 'container', seconds: 1 } }, undefined, 2),
      );
      userData = await temporaryFolder();
      // The address of an engine is a setting of the machine, which the server edition reads from a file of its own.
      await mkdir(path.join(userData.path, 'Machine'));
      const settings = { 'cloudCompute.localPlatform.containerEngine': running().address };
      await writeFile(path.join(userData.path, 'Machine', 'settings.json'), JSON.stringify(settings));
      editor = await openEditor({ workspaceFolder: workspace.path, userDataDir: userData.path });
    });

    after(async () => {
      await editor.close();
      await workspace.remove();
      await userData.remove();
    });

    it('opens a shell in its container with *Open Terminal in Worker* of its row', async () => {
      const { page } = editor;
      await startLocalPlatform(editor);
      await openFile(editor, 'greeter.endpoint.json');
      await createEndpoint(editor);
      await row(editor, /^greeter.*1 idle/).click();
      await page.keyboard.press('ArrowRight');
      await chooseFromMenu(editor, /^[a-z\d]{14}\s*idle/, 'Open Terminal in Worker');
      const terminal = page.locator('.terminal.xterm .xterm-rows');
      await terminal.getByText('bash').or(terminal.getByText('#')).first().waitFor();
      await page.keyboard.type('cat /app/handler.mjs | head -1; echo "in $PWD"\n');
      await terminal.getByText("import { setTimeout as sleep } from 'node:timers/promises';").waitFor();
      await terminal.getByText('in /app', { exact: true }).waitFor();
      await editor.screenshot('container-1-terminal');
      await page.keyboard.type('exit 3\n');
      await terminal.getByText('The shell exited with code 3.').waitFor();
    });

    it('stops at a breakpoint in the folder of `localRoot`, and continues', async () => {
      const { page } = editor;
      await openFile(editor, 'handler.mjs');
      await page.locator('.view-line', { hasText: 'const { name' }).click();
      await page.keyboard.press('F9');
      await page.locator('.codicon-debug-breakpoint').first().waitFor();
      await editor.runCommand('Debug: Start Debugging');
      await page.locator('.debug-toolbar').waitFor();
      await openFile(editor, 'greeter.job.json');
      await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().click();
      await page.locator('.debug-top-stack-frame-line').first().waitFor();
      const active = page.locator('.tab.active');
      assert.match((await active.getAttribute('aria-label')) ?? '', /^handler\.mjs/);
      const places = await page.locator('.breadcrumbs-control .monaco-breadcrumb-item').allInnerTexts();
      assert.deepEqual(places.slice(0, 3), ['source', 'greeter', 'handler.mjs']);
      await editor.screenshot('container-2-breakpoint');
      await page.keyboard.press('F5');
      await page.locator('.debug-top-stack-frame-line').first().waitFor({ state: 'detached' });
      await page.keyboard.press('Shift+F5');
      await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    });
  });
});
