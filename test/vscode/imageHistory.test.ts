import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../src/client/clock.ts';
import { EditFiles } from '../../src/features/images/history/actions/editFiles.ts';
import { EditHistoryStore } from '../../src/features/images/history/editStorage.ts';
import { createSaveEdit } from '../../src/features/images/history/saveEdit.ts';
import type { EditSource, FinishedEdit } from '../../src/features/images/model/imageEdit.ts';
import { activated, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A PNG of 4 × 3 pixels. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAYAAAC09K7GAAAAIklEQVR4AVXBMQ0AMAgAsC7BF5jAz5zDTfv4UygkQjtCOxZ2+ALyu2V0uAAAAABJRU5ErkJggg==',
  'base64',
);
const image = { bytes: picture, mediaType: 'image/png', width: 4, height: 3 } as const;
const editNamed = (id: string): FinishedEdit => ({
  id,
  parameters: { prompt: `prompt of ${id}`, negativePrompt: '', seed: 7, format: 'png', safetyChecker: true },
  ...{ url: 'https://images.example.com/1.png', expiresAt: 1, cost: 0.02 },
  ...{ delayTime: 1, executionTime: 2, workerId: 'w' },
});
const fileNamed = (name: string) => vscode.Uri.joinPath(workspaceFolder(), name);
const source = (name: string): EditSource => ({ kind: 'file', name, bytes: picture, mediaType: 'image/png' });

/** Answers messages, input boxes, and quick picks with these functions until `done`. */
function answers(changes: Partial<Mutable<typeof vscode.window>>): () => void {
  const window = vscode.window as Mutable<typeof vscode.window>;
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, Reflect.get(window, name) as unknown]));
  Object.assign(window, changes);
  return () => Object.assign(window, before);
}

describe('The history of image edits', () => {
  let root: string;
  let history: EditHistoryStore;
  const log = vscode.window.createOutputChannel('Test of images', { log: true });
  const save = createSaveEdit(log);
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
    await executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(fileNamed('pictures'), { recursive: true });
    await rm(root, { recursive: true, force: true });
  });

  after(() => restore());

  it('notices the edits of another window, and opens an edit in the preview', async () => {
    const other = new EditHistoryStore(new EditFiles(root), { clock: systemClock, log });
    let changes = 0;
    history.onDidChange(() => changes++);
    await other.keep(editNamed('job-1'), image, source('pictures/cat.png'));
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
    const first = await save(image, source('pictures/cat.png'));
    const second = await save(image, source('pictures/cat.png'));
    assert.equal(first, fileNamed('pictures/cat-edited-1.png').toString());
    assert.equal(second, fileNamed('pictures/cat-edited-2.png').toString());
    assert.deepEqual(messages, ['Saved as pictures/cat-edited-1.png.', 'Saved as pictures/cat-edited-2.png.']);
    assert.deepEqual(Buffer.from(await vscode.workspace.fs.readFile(fileNamed('pictures/cat-edited-1.png'))), picture);
  });
});
