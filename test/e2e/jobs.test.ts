import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import {
  chooseFromMenu,
  chooseQuickPick,
  clickButton,
  createEndpoint,
  openFile,
  row,
  startLocalPlatform,
  waitForLine,
} from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** Runs jobs from files and views as a user does. Each step depends on the previous one. */
describe('job files and the Jobs view', () => {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);
  const screenshot = (name: string) => editor.screenshot(`jobs-${name}-${screenshotTheme.name}`);
  const lens = (text: string) => editor.page.locator('.codelens-decoration a', { hasText: text }).first();
  const line = (text: string) => editor.page.locator('.view-line', { hasText: text }).first();

  before(async () => {
    workspace = await temporaryFolder();
    await cp(SAMPLE, workspace.path, { recursive: true });
    // Without its tests, which run on an endpoint that a later step creates.
    await cp(path.join(repository, 'samples', 'streaming'), path.join(workspace.path, 'streaming'), {
      ...{ recursive: true, filter: (file) => path.basename(file) !== 'tests' },
    });
    await mkdir(path.join(workspace.path, 'rows'));
    const rows = Array.from({ length: 12 }, (_, index) => JSON.stringify({ name: `row ${index + 1}`, seconds: 0 }));
    await writeFile(path.join(workspace.path, 'rows.jsonl'), `${rows.join('\n')}\n{"name": \n`);
    editor = await openEditor({ workspaceFolder: workspace.path, theme: screenshotTheme.title });
    await startLocalPlatform(editor);
    await openFile(editor, 'hello.endpoint.yaml');
    await createEndpoint(editor);
    await row(editor, /idle.* up \d/).waitFor();
    await editor.runCommand('View: Close All Editors');
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  it('complete the members of a job file, and name the connection above it', async () => {
    const { page } = editor;
    await openFile(editor, 'hello.job.json');
    await lens('Run on Local Platform').waitFor();
    await line('"seconds"').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('End');
    await page.keyboard.type(',\n');
    await page.keyboard.press('Control+Space');
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'policy' }).first().waitFor();
    await screenshot('1-file');
    await page.keyboard.press('Escape');
    await editor.runCommand('File: Revert File');
  });

  it('run from the file, and appear in the view while they run', async () => {
    await lens('Run on Local Platform').click();
    await row(editor, /hello.*running/).waitFor();
    await screenshot('2-running');
    await waitForLine(editor, '"status": "COMPLETED"');
    await row(editor, /hello.*completed/).waitFor();
    await screenshot('3-completed');
  });

  it('show the error of a failed job with links to the worker', async () => {
    await editor.runCommand('View: Close All Editors');
    await openFile(editor, 'failure.job.json');
    await lens('Run on Local Platform').click();
    await waitForLine(editor, 'the input requested a failure');
    await row(editor, /hello.*failed/).waitFor();
    await screenshot('4-failed');
    await editor.runCommand('Notifications: Clear All Notifications');
  });

  it('run again and compare from the view', async () => {
    const { page } = editor;
    await chooseFromMenu(editor, /hello.*completed/, 'Run Again');
    await row(editor, /hello.*failed/).click();
    await chooseFromMenu(editor, /hello.*failed/, 'Compare');
    await chooseQuickPick(editor, 'completed');
    await page.locator('.monaco-diff-editor .line-insert, .diff-editor .line-insert').first().waitFor();
    await screenshot('5-comparison');
    await editor.runCommand('View: Close All Editors');
  });

  it('become a test with the end of their replay', async () => {
    const { page } = editor;
    await chooseFromMenu(editor, /hello.*failed/, 'Replay Locally');
    await chooseQuickPick(editor, 'Replay');
    await clickButton(editor, 'Reproduced', 'Save as Test');
    await chooseQuickPick(editor, 'The Job Ends With This Error');
    // The dialog accepts the name once it has read the folder of the job file.
    await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'greeting.job.json' }).waitFor();
    await page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
    await page.getByRole('tab', { name: /^hello-replay\.job\.json(,|$)/ }).waitFor();
    await waitForLine(editor, '"error": "the input requested a failure');
    await editor.runCommand('View: Close All Editors');
  });

  it('run the expectations of job files in the Test Explorer', async () => {
    const { page } = editor;
    await editor.runCommand('Testing: Focus on Test Explorer View');
    await editor.treeItem('tests').first().click();
    await editor.treeItem('greeting.job.json').first().waitFor();
    await editor.runCommand('Test: Run All Tests');
    await page.locator('[aria-label*="greeting.job.json (Passed"]').first().waitFor();
    await page.locator('[aria-label*="failure.job.json (Passed"]').first().waitFor();
    await page.locator('[aria-label*="hello-replay.job.json (Passed"]').first().waitFor();
    await screenshot('6-tests');
    await editor.openView('Cloud Compute');
  });

  it('run the rows of a file as a batch, and write the results beside it', async () => {
    await openFile(editor, 'rows.jsonl');
    // The only file of rows is the active one, so the command does not ask for it.
    await editor.runCommand('Cloud Compute: Run Batch…');
    await clickButton(editor, '1 broken row', 'Skip Broken Rows');
    await editor.notification('12 completed').waitFor();
    await screenshot('7-batch');
    await clickButton(editor, '12 completed', 'Open Results');
    await waitForLine(editor, 'row 1');
    await screenshot('8-results');
  });

  it('show the words of a stream while they arrive, and its end', async () => {
    await openFile(editor, 'reader.endpoint.yaml');
    await createEndpoint(editor);
    await row(editor, /^streaming/).waitFor();
    await openFile(editor, 'reader.job.json');
    await lens('Run on Local Platform').click();
    // The line of the stream, and not the one of the job file. The editor shows other spaces.
    await editor.page
      .locator('.view-line', { hasText: /^The\sjob/ })
      .first()
      .waitFor();
    await screenshot('9-stream');
    await waitForLine(editor, 'Completed: 23 chunks');
    await screenshot('10-end');
  });
});
