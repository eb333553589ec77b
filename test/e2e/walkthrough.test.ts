import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { startPlatform, type Platform } from '../../src/platform/daemon/start.ts';
import { repository } from '../../scripts/editor/build.ts';
import { chooseQuickPick, openFile, row, startLocalPlatform, waitForLine } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

const WALKTHROUGH = 'Get Started with Cloud Compute';
const STEPS = ['platform', 'endpoint', 'job', 'logs', 'billing', 'hosted'];

/** Follows a new user from the first window to an endpoint on a hosted platform. Each step depends on the previous one. */
describe('walkthrough', () => {
  skipAfterFailure();

  const folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];
  let workspaceFolder: string;
  let userDataDir: string;
  let hosted: Platform;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    for (let count = 0; count < 2; count++) folders.push(await temporaryFolder());
    [workspaceFolder = '', userDataDir = ''] = folders.map((folder) => folder.path);
    // It has the same interface as a hosted platform.
    hosted = await startPlatform({ apiKey: 'the-hosted-key', gpus: 'ignore', engine: { runtime: 'process' } });
    editor = await openEditor({ workspaceFolder, userDataDir, welcome: true, theme: screenshotTheme.title });
  });

  after(async () => {
    await editor.close();
    await hosted.close();
    await Promise.all(folders.map((folder) => folder.remove()));
  });

  const step = (id: string) => editor.page.locator(`[data-step-id$="#getStarted#${id}"]`);
  const isDone = (id: string) => editor.page.locator(`[data-step-id$="#getStarted#${id}"][aria-checked="true"]`);
  const shot = (name: string) => editor.screenshot(`walkthrough-${name}-${screenshotTheme.name}`);

  async function openWalkthrough(): Promise<void> {
    await editor.runCommand('Cloud Compute: Open Walkthrough');
    await editor.page.getByRole('heading', { name: WALKTHROUGH, level: 2 }).waitFor();
  }

  /** Expands a step. A click on its middle would press one of its buttons. */
  async function expand(id: string): Promise<void> {
    await step(id).locator('.step-title').click();
    await editor.page.locator(`[data-step-id$="#getStarted#${id}"][aria-expanded="true"]`).waitFor();
  }

  /** Expands a step, and waits for its picture. Resolves with its width in CSS pixels. */
  async function pictureOf(id: string): Promise<number> {
    await expand(id);
    const picture = editor.page.locator(`.gettingStartedContainer img[srcset*="${id}-"]`);
    await picture.waitFor();
    return picture.evaluate(async (image: unknown) => {
      const loaded = image as { readonly naturalWidth: number; decode: () => Promise<void> };
      await loaded.decode();
      return loaded.naturalWidth;
    });
  }

  it('opens beside the empty tree in the window of npm start', async () => {
    await editor.page.getByRole('heading', { name: WALKTHROUGH, level: 2 }).waitFor();
    await editor.page.getByRole('button', { name: 'Try the Sample', exact: true }).first().waitFor();
    await shot('1-start');
  });

  for (const id of STEPS)
    it(`shows the picture of the step "${id}", which is not completed`, async () => {
      assert.ok((await pictureOf(id)) > 300);
      assert.equal(await isDone(id).count(), 0);
      await shot(`2-${id}`);
    });

  it('tries the sample from the empty tree, up to the output of its job and the log', async () => {
    await editor.page.locator('.part.sidebar').getByRole('button', { name: 'Try the Sample', exact: true }).click();
    await editor.page.locator('.quick-input-widget').getByText('Choose Folder…').waitFor();
    await shot('3-folder');
    await chooseQuickPick(editor, 'In the Open Folder');
    await editor.notification('Trying the sample').waitFor();
    await shot('4-progress');
    await waitForLine(editor, '"greeting": "Hello, world!"');
    await editor.notification('The job of the sample is complete').waitFor();
    await editor.page.getByText('second 3 of 3').first().waitFor();
    await row(editor, /^hello/).waitFor();
    await shot('5-result');
    const [copy, sample] = [path.join(workspaceFolder, 'hello-queue'), path.join(repository, 'samples', 'hello-queue')];
    assert.deepEqual((await readdir(copy)).sort(), (await readdir(sample)).sort());
  });

  it('offers the manifest of the copy', async () => {
    await editor
      .notification('The job of the sample is complete')
      .getByRole('button', { name: 'Open Manifest' })
      .click();
    await editor.page.getByRole('tab', { name: 'hello.endpoint.yaml' }).waitFor();
    await editor.runCommand('View: Close All Editors');
    await editor.runCommand('View: Hide Panel');
  });

  it('has completed the steps that the sample did, and no others', async () => {
    await openWalkthrough();
    for (const id of ['platform', 'endpoint', 'job', 'logs']) await isDone(id).waitFor();
    for (const id of ['billing', 'hosted']) assert.equal(await isDone(id).count(), 0, id);
    await shot('6-after-sample');
  });

  it('completes the step about costs when Billing is open', async () => {
    await expand('billing');
    await editor.page.getByRole('button', { name: 'Open Billing' }).last().click();
    await editor.webviewFrame('Billing');
    await editor.runCommand('View: Close Editor');
    await openWalkthrough();
    await isDone('billing').waitFor();
  });

  it('completes the last step with an endpoint on a hosted platform', async () => {
    const widget = editor.page.locator('.quick-input-widget');
    const type = async (text: string): Promise<void> => {
      await widget.locator('input').fill(text);
      await widget.locator('input').press('Enter');
    };
    await expand('hosted');
    await editor.page.getByRole('button', { name: 'Connect to a Platform' }).last().click();
    await widget.getByText('(1/3)').waitFor();
    await type(hosted.announcement.baseUrl);
    await widget.getByText('(2/3)').waitFor();
    await chooseQuickPick(editor, 'Continue to the API key');
    await widget.getByText('(3/3)').waitFor();
    await type('the-hosted-key');
    await editor.page.getByText('There are no endpoints yet').waitFor();
    assert.equal(await isDone('hosted').count(), 0);

    await openFile(editor, 'hello.endpoint.yaml');
    await editor.page.locator('.codelens-decoration a', { hasText: 'Create Endpoint on' }).click();
    await editor.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Create Endpoint' }).click();
    await editor.notification('Endpoint “hello” created').waitFor();
    await editor.runCommand('View: Close All Editors');
    await openWalkthrough();
    await isDone('hosted').waitFor();
    await shot('7-complete');
  });

  it('keeps the completed steps after a restart', async () => {
    await editor.whenStored('walkthroughs', ...STEPS.map((id) => `#getStarted#${id}":{"done":true}`));
    await editor.close();
    editor = await openEditor({ workspaceFolder, userDataDir, theme: screenshotTheme.title });
    // The editor restores the tabs that it stored last, which may be older than the completed steps.
    await openWalkthrough();
    for (const id of STEPS) await isDone(id).waitFor();
  });
});

/** The editor loads the walkthrough when it opens for the first time. */
describe('walkthrough that opens after its first step', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    folder = await temporaryFolder();
    editor = await openEditor({ workspaceFolder: folder.path });
  });

  after(async () => {
    await editor.close();
    await folder.remove();
  });

  it('shows that the step is completed', async () => {
    const isDone = (id: string) => editor.page.locator(`[data-step-id$="#getStarted#${id}"][aria-checked="true"]`);
    await startLocalPlatform(editor);
    await editor.page.getByText('There are no endpoints yet').waitFor();
    await editor.runCommand('Cloud Compute: Open Walkthrough');
    await isDone('platform').waitFor();
    assert.equal(await isDone('endpoint').count(), 0);
  });
});
