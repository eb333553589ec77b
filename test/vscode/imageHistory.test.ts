import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../src/client/clock.ts';
import { EditFiles } from '../../src/features/images/history/actions/editFiles.ts';
import { EditHistoryStore } from '../../src/features/images/history/editHistoryStore.ts';
import { createSaveEdit, savesAlways } from '../../src/features/images/history/saveEdit.ts';
import { showRecentEdits } from '../../src/features/images/commands/recentEdits.ts';
import type { EditSource, FinishedEdit } from '../../src/features/images/model/imageEdit.ts';
import { emptyPlatform } from './emptyPlatform.ts';
import { inputs } from './inputs.ts';
import { activated, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A PNG of 4 × 3 pixels. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAYAAAC09K7GAAAAIklEQVR4AVXBMQ0AMAgAsC7BF5jAz5zDTfv4UygkQjtCOxZ2+ALyu2V0uAAAAABJRU5ErkJggg==',
  'base64',
);
const image = { bytes: picture, mediaType: 'image/png', width: 4, height: 3 };
const editNamed = (id: string): FinishedEdit => ({
  id,
  parameters: { prompt: `prompt of ${id}`, negativePrompt: '', seed: 7, format: 'png', safetyChecker: true },
  ...{ url: 'https://images.example.com/1.png', expiresAt: 1, cost: 0.02 },
  ...{ delayTime: 1, executionTime: 2, workerId: 'w' },
});
const fileNamed = (name: string) => vscode.Uri.joinPath(workspaceFolder(), name);
const source = (name: string): EditSource => ({ kind: 'file', name, bytes: picture, mediaType: 'image/png' });
const settings = () => vscode.workspace.getConfiguration('cloudCompute.images');

/** Answers messages, input boxes, and quick picks with these functions until `done`. */
function answers(changes: Partial<Mutable<typeof vscode.window>>): () => void {
  const window = vscode.window as Mutable<typeof vscode.window>;
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, Reflect.get(window, name) as unknown]));
  Object.assign(window, changes);
  return () => Object.assign(window, before);
}

describe('The history of image edits', function () {
  this.timeout(60_000);
  let root: string;
  let history: EditHistoryStore;
  const log = vscode.window.createOutputChannel('Test of images', { log: true });
  const save = createSaveEdit({ clock: systemClock, log });
  const messages: string[] = [];
  let restore: () => void;

  before(async () => {
    await activated();
    const show = (message: string) => {
      messages.push(message);
      return Promise.resolve(undefined);
    };
    restore = answers({ showInformationMessage: show, showErrorMessage: show });
  });

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'cloud-compute-images-'));
    history = new EditHistoryStore(new EditFiles(root), { clock: systemClock, log });
    await vscode.workspace.fs.createDirectory(fileNamed('pictures'));
    await vscode.workspace.fs.writeFile(fileNamed('pictures/cat.png'), picture);
    messages.length = 0;
  });

  afterEach(async () => {
    history.dispose();
    for (const name of ['fileName', 'folder', 'saveAlways']) await settings().update(name, undefined);
    await executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(fileNamed('pictures'), { recursive: true });
    await rm(root, { recursive: true, force: true });
  });

  after(() => restore());

  it('notices the edits of another window, and opens an edit in the preview', async () => {
    const other = new EditHistoryStore(new EditFiles(root), { clock: systemClock, log });
    let changes = 0;
    history.onDidChange(() => changes++);
    await other.keep(editNamed('job-1'), image, source('pictures/cat.png'), 'Local Platform');
    await history.refresh();
    await history.refresh();
    assert.deepEqual([changes, history.items.map(({ id }) => id)], [1, ['job-1']]);
    assert.deepEqual(history.items[0]?.thumbnail?.length, picture.length);
    await history.open('job-1');
    const isOpen = () => {
      const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputCustom && input.uri.path.endsWith('/result.png');
    };
    await waitFor([vscode.window.tabGroups.onDidChangeTabs] as vscode.Event<never>[], isOpen);
    await other.remove('job-1');
    await assert.rejects(history.open('job-1'), /no longer in the history/);
  });

  it('saves beside the source by default, and never replaces a file', async () => {
    const first = await save(editNamed('job-1'), image, source('pictures/cat.png'));
    const second = await save(editNamed('job-1'), image, source('pictures/cat.png'));
    assert.equal(first, fileNamed('pictures/cat-edited-1.png').toString());
    assert.equal(second, fileNamed('pictures/cat-edited-2.png').toString());
    assert.deepEqual(messages, ['Saved as pictures/cat-edited-1.png.', 'Saved as pictures/cat-edited-2.png.']);
    assert.deepEqual(Buffer.from(await vscode.workspace.fs.readFile(fileNamed('pictures/cat-edited-1.png'))), picture);
  });

  it('saves under the name and in the folder of the settings, but not outside of the workspace', async () => {
    await settings().update('fileName', '${seed}-${prompt}');
    await settings().update('folder', 'pictures/out');
    await settings().update('saveAlways', true);
    const uri = await save(editNamed('job-1'), image, { kind: 'url', url: 'https://example.com/a%20b.jpg' });
    assert.equal(uri, fileNamed('pictures/out/7-prompt-of-job-1.png').toString());
    assert.equal(savesAlways(), true);
    await settings().update('folder', '../out');
    await assert.rejects(save(editNamed('job-1'), image, source('pictures/cat.png')), /not inside of the workspace/);
  });

  it('lists edits with their facts, and opens the chosen one with its source', async () => {
    await history.keep(editNamed('job-1'), image, source('pictures/cat.png'), 'Local Platform');
    const opened = Promise.withResolvers<{ stored: { edit: FinishedEdit; source: EditSource } }>();
    const editors = {
      open: (content: never) => {
        opened.resolve(content);
        return Promise.resolve();
      },
    };
    const storage = { history, save, savesAlways, dispose: () => undefined };
    const { page, done } = inputs();
    await showRecentEdits({ log, clock: systemClock } as never, { editors, storage } as never);
    const list = await page('Recent Image Edits');
    assert.deepEqual(list.labels(), ['prompt of job-1']);
    assert.deepEqual(list.details(), ['pictures/cat.png · 4 × 3 · seed 7 · $0.02 · Local Platform']);
    await list.accept();
    done();
    const { stored } = await opened.promise;
    assert.deepEqual([stored.edit.id, stored.source.kind], ['job-1', 'file']);
  });
});

describe('Edits of the images of a folder', function () {
  this.timeout(60_000);
  let restore = (): void => undefined;

  before(async () => {
    await activated();
    await executeCommand('cloudCompute.localPlatform.start');
  });

  after(async () => {
    restore();
    await executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(fileNamed('holiday'), { recursive: true });
    await vscode.workspace.fs.delete(fileNamed('holiday-edited'), { recursive: true });
    await emptyPlatform();
  });

  it('ask for the pattern, the prompt, and the price, and write a new folder', async () => {
    await vscode.workspace.fs.writeFile(fileNamed('holiday/a.png'), picture);
    await vscode.workspace.fs.writeFile(fileNamed('holiday/b.png'), picture);
    await vscode.workspace.fs.writeFile(fileNamed('holiday/notes.txt'), picture);
    const asked: string[] = [];
    const ended = Promise.withResolvers<string>();
    restore = answers({
      showInputBox: (options: vscode.InputBoxOptions) =>
        Promise.resolve(options.value === '' ? 'make it black and white' : options.value),
      showQuickPick: (items: readonly vscode.QuickPickItem[]) =>
        Promise.resolve(items.find(({ label }) => label === 'PNG')),
      showWarningMessage: (message: string, { detail = '' }: vscode.MessageOptions, ...buttons: unknown[]) => {
        asked.push(`${message}\n${detail}`);
        return Promise.resolve(buttons[0]);
      },
      showInformationMessage: (message: string) => {
        ended.resolve(message);
        return Promise.resolve(undefined);
      },
    } as never);
    await executeCommand('cloudCompute.images.batch', fileNamed('holiday'));
    assert.equal(await ended.promise, 'Batch “holiday”: 2 completed');
    assert.equal(asked.length, 1);
    assert.match(asked[0] ?? '', /^Edit 2 images of “holiday” on “.+”\?\n.*“holiday-edited”.*\nPrice: \$0\.04 /);
    const entries = await vscode.workspace.fs.readDirectory(fileNamed('holiday-edited'));
    assert.deepEqual(entries.map(([name]) => name).sort(), ['a.png', 'b.png', 'results.jsonl']);
  });
});
