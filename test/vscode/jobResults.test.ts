import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Job } from '../../src/contract/job.ts';
import { jobAddresses } from '../../src/features/jobs/results/jobAddress.ts';
import { jobDocument, JobWorld, lensesOf } from './jobWorld.ts';
import { waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
const RUN_AND_WAIT = 'cloudCompute.jobs.runAndWait';

/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('Results of jobs', () => {
  const world = new JobWorld();
  let endpointId: string;

  before(() => world.start());
  after(() => world.stop());
  beforeEach(async () => {
    endpointId = await world.endpoint('results');
  });
  afterEach(() => world.reset());

  const run = (input: object, command?: string) => world.run('result', { endpoint: 'results', input }, command);
  const titlesOf = async (uri: vscode.Uri) => (await lensesOf(uri)).map(({ title }) => title);
  const linksIn = async ({ uri }: vscode.TextDocument) =>
    (await executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', uri, 100)).map(({ target }) => target);

  it('show the traceback of a failed job, with links to the files of the worker', async () => {
    await run({ do: 'raise' });
    await world.told(/failed: TypeError: no prompt/);
    const document = await jobDocument('.error.txt', /^TypeError: no prompt\n\nTypeError: no prompt\n {4}at fail/);
    assert.match(document.getText(), new RegExp(`Endpoint {3}results \\(${endpointId}\\)`));
    const [first] = await linksIn(document);
    assert.equal(first?.fsPath, path.join(world.directory, 'handler.mjs'));
    assert.match(first.fragment, /^L\d+,\d+$/);
    assert.ok((await titlesOf(document.uri)).includes('$(json) Show Result'));
    const result = jobAddresses.sibling(document.uri, { part: 'result' });
    assert.ok(result);
    assert.ok((await titlesOf(vscode.Uri.from(result))).includes('$(bug) Show Traceback'));
  });

  it('link the paths of a container to the files with the same end', async () => {
    await run({ do: 'raiseInContainer' });
    const [target] = await linksIn(await jobDocument('.error.txt', /ValueError: bad/));
    assert.equal(target?.fsPath, path.join(world.directory, 'lib', 'tools.py'));
    assert.equal(target.fragment, 'L2');
  });

  it('open the images of the output in a preview, and shorten long data URLs', async () => {
    const padded = `data:image/png;base64,${PIXEL.replace(/=*$/, '')}${'A'.repeat(4_000)}`;
    await run({ do: 'echo', value: { image: padded, image_url: 'https://example.com/a.png' } });
    const document = await jobDocument('.json', /COMPLETED/);
    const { output } = JSON.parse(document.getText()) as { output: { image: string } };
    assert.match(output.image, /^data:image\/png;base64,.{38}… \(3 KB\)$/);
    const lenses = await lensesOf(document.uri);
    const show = lenses.find(({ title }) => title === '$(file-media) Show Image (PNG, 1×1, 3 KB)');
    assert.ok(show, lenses.map(({ title }) => title).join('\n'));
    assert.ok(lenses.some(({ title }) => title === '$(link-external) Open Image (example.com)'));
    await executeCommand(show.command, ...(show.arguments as unknown[]));
    const tab = await waitFor([vscode.window.tabGroups.onDidChangeTabs as vscode.Event<never>], () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputCustom && input;
    });
    assert.equal(tab.viewType, 'imagePreview.previewEditor');
    const bytes = await vscode.workspace.fs.readFile(tab.uri);
    assert.deepEqual(Buffer.from(bytes).subarray(0, 20), Buffer.from(PIXEL, 'base64').subarray(0, 20));
  });

  it('save the content of a data URL, a text, and JSON', async () => {
    const target = vscode.Uri.joinPath(workspaceFolder(), 'saved-output');
    const window = vscode.window as { showSaveDialog: typeof vscode.window.showSaveDialog };
    const { showSaveDialog } = window;
    const proposed: string[] = [];
    window.showSaveDialog = (options) => {
      proposed.push(path.extname(options?.defaultUri?.path ?? ''));
      return Promise.resolve(target);
    };
    try {
      const outputs = [`data:image/png;base64,${PIXEL}`, 'text\n', { a: [1] }];
      const saved: Buffer[] = [];
      for (const value of outputs) {
        await run({ do: 'echo', value });
        const { uri } = await jobDocument('.json', /COMPLETED/);
        await executeCommand('cloudCompute.jobs.saveOutput', uri);
        saved.push(Buffer.from(await vscode.workspace.fs.readFile(target)));
        await executeCommand('workbench.action.closeAllEditors');
      }
      assert.deepEqual(proposed, ['.png', '.txt', '.json']);
      assert.deepEqual(saved, [
        Buffer.from(PIXEL, 'base64'),
        Buffer.from('text\n'),
        Buffer.from('{\n  "a": [\n    1\n  ]\n}\n'),
      ]);
    } finally {
      window.showSaveDialog = showSaveDialog;
    }
  });

  it('explain a job without an output', async () => {
    await run({ do: 'nothing' });
    await world.told(/completed without an output/);
    const { uri } = await jobDocument('.json', /COMPLETED/);
    assert.ok((await titlesOf(uri)).some((title) => title.includes('The job completed without an output.')));
  });

  it('explain an empty input', async () => {
    await run({});
    const { uri } = await jobDocument('.json', /COMPLETED/);
    assert.ok((await titlesOf(uri)).some((title) => title.includes('Hosted platforms drop an empty input')));
  });

  it('open a large output folded without the focus, show its beginning, and save all of it', async () => {
    const bytes = 19 * 1024 * 1024;
    const focused: (string | undefined)[] = [];
    const watching = vscode.window.onDidChangeActiveTextEditor((editor) => focused.push(editor?.document.uri.scheme));
    await run({ do: 'large', bytes }, RUN_AND_WAIT);
    const document = await jobDocument('.json', /COMPLETED/);
    assert.ok(document.getText().length < 5.1 * 1024 * 1024);
    const { output } = JSON.parse(document.getText()) as { output: { items: string[] } };
    assert.match(output.items.at(-1) ?? '', /^\d+ more$/);
    assert.ok((await titlesOf(document.uri)).some((title) => title.includes('This document shows its beginning.')));
    const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
    await waitFor([vscode.window.onDidChangeTextEditorVisibleRanges as vscode.Event<never>], () => {
      // Folded lines divide the visible range.
      return (editor?.visibleRanges.length ?? 0) > 1;
    });
    watching.dispose();
    assert.ok(!focused.includes(document.uri.scheme), focused.join());

    const target = vscode.Uri.joinPath(workspaceFolder(), 'saved-large');
    const window = vscode.window as { showSaveDialog: typeof vscode.window.showSaveDialog };
    const { showSaveDialog } = window;
    window.showSaveDialog = () => Promise.resolve(target);
    await executeCommand('cloudCompute.jobs.saveOutput', document.uri);
    window.showSaveDialog = showSaveDialog;
    const saved = JSON.parse(Buffer.from(await vscode.workspace.fs.readFile(target)).toString()) as { items: string[] };
    assert.equal(saved.items.length, bytes / 1024);
  });

  it('explain a job that was removed from the queue', async () => {
    await world.client.updateEndpoint({ id: endpointId, body: { workers: { min: 0, max: 0 }, timeout: 5_000 } });
    await executeCommand('cloudCompute.endpoints.refresh');
    world.choice = 'Show Job';
    await run({ do: 'echo', value: 1 }, RUN_AND_WAIT);
    const { uri } = await jobDocument('.json', /IN_QUEUE/);
    await world.control.reset({});
    const document = await jobDocument('.json', /The job is no longer in the queue/);
    const { id, status } = JSON.parse(document.getText()) as Job;
    assert.equal(jobAddresses.parse(uri)?.jobId, id);
    assert.equal(status, 'IN_QUEUE');
    assert.ok((await titlesOf(uri)).some((title) => title.includes('The job is no longer in the queue.')));
  });
});
