import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { inputs } from './inputs.ts';
import { activated } from './support.ts';

const { executeCommand } = vscode.commands;
const { fs } = vscode.workspace;
const CREATE = 'Create Network Volume';

const code = (wanted: string) => (error: unknown) => {
  assert.ok(error instanceof vscode.FileSystemError, String(error));
  assert.equal(error.code, wanted);
  return true;
};

describe('The files of network volumes', function () {
  let root: vscode.Uri;
  let volumeId = '';
  let folder = '';
  const at = (name: string) => vscode.Uri.joinPath(root, name);
  const write = (name: string, text: string) => fs.writeFile(at(name), Buffer.from(text));
  const read = async (name: string) => Buffer.from(await fs.readFile(at(name))).toString();

  before(async () => {
    await activated();
    await executeCommand('cloudCompute.localPlatform.start');
    folder = await mkdtemp(path.join(tmpdir(), 'cc-volumes-'));
    const { page, done } = inputs();
    const command = executeCommand<{ readonly id: string } | undefined>('cloudCompute.volumes.create');
    await (await page(CREATE, 1)).choose('EU-RO-1');
    await (await page(CREATE, 2)).choose('Standard');
    await (await page(CREATE, 3)).type('models');
    const size = await page(CREATE, 4);
    await size.type('5');
    assert.match(await size.refusal(), /whole number from 10/);
    await size.type('10');
    volumeId = (await command)?.id ?? '';
    done();
    root = vscode.Uri.from({ scheme: 'cloud-compute-volume', path: `/local/${volumeId}` });
  });

  after(async () => {
    await rm(folder, { recursive: true, force: true });
    await executeCommand('cloudCompute.localPlatform.stop');
  });

  it('writes, reads, lists, renames, copies, and deletes files', async () => {
    await fs.createDirectory(at('data'));
    await write('data/one.txt', 'one');
    assert.equal(await read('data/one.txt'), 'one');
    assert.deepEqual(await fs.readDirectory(root), [['data', vscode.FileType.Directory]]);
    assert.equal((await fs.stat(at('data/one.txt'))).size, 3);
    await fs.rename(at('data/one.txt'), at('data/two.txt'));
    await assert.rejects(async () => fs.stat(at('data/one.txt')), code('FileNotFound'));
    await fs.copy(at('data'), at('more'));
    assert.equal(await read('more/two.txt'), 'one');
    await assert.rejects(async () => fs.copy(at('data'), at('more')), code('FileExists'));
    await fs.delete(at('data'), { recursive: true });
    await assert.rejects(async () => fs.readDirectory(at('data')), code('FileNotFound'));
    await fs.delete(at('more'), { recursive: true });
  });

  it('reports a folder that is read as a file, and a file that is used as a folder', async () => {
    await write('file', 'text');
    await assert.rejects(async () => write('file/below', 'text'), code('FileExists'));
    await fs.createDirectory(at('folder'));
    await assert.rejects(async () => write('folder', 'text'), code('FileIsADirectory'));
  });

  it('does not overwrite a file that somebody else has changed', async () => {
    await write('note.txt', 'first');
    const document = await vscode.workspace.openTextDocument(at('note.txt'));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'mine and '));
    const local = path.join(folder, 'note.txt');
    await writeFile(local, 'theirs');
    await executeCommand('cloudCompute.volumes.upload', root, [vscode.Uri.file(local)]);
    assert.equal(await document.save(), false);
    assert.equal(document.isDirty, true);
    assert.equal(await read('note.txt'), 'theirs');
    await executeCommand('workbench.action.files.revert');
    await executeCommand('workbench.action.closeActiveEditor');
  });

  it('uploads and downloads files', async () => {
    const local = path.join(folder, 'weights.bin');
    await writeFile(local, Buffer.alloc(100_000, 7));
    await executeCommand('cloudCompute.volumes.upload', root, [vscode.Uri.file(local)]);
    assert.equal((await fs.stat(at('weights.bin'))).size, 100_000);
    const target = await mkdtemp(path.join(folder, 'target-'));
    await executeCommand('cloudCompute.volumes.download', at('weights.bin'), [vscode.Uri.file(target)]);
    assert.deepEqual(await readFile(path.join(target, 'weights.bin')), Buffer.alloc(100_000, 7));
  });

  it('grows and renames a volume, and deletes it only after a confirmation', async () => {
    const node = { kind: 'resource', group: 'networkVolumes', id: volumeId };
    const first = inputs();
    const growing = executeCommand('cloudCompute.volumes.resize', node);
    const size = await first.page('Grow Network Volume: models');
    await size.type('10');
    assert.match(await size.refusal(), /from 11/);
    await size.type('12');
    await growing;
    const renaming = executeCommand('cloudCompute.volumes.rename', node);
    await (await first.page('Rename Network Volume')).type('weights');
    await renaming;
    first.done();
    const refused = inputs();
    await executeCommand('cloudCompute.volumes.delete', node);
    refused.done();
    assert.match(refused.asked[0] ?? '', /“weights” with its files\? No endpoint mounts it\. Its 12 GB/);
    const agreed = inputs({ confirm: 'Delete' });
    await executeCommand('cloudCompute.volumes.delete', node);
    agreed.done();
    await assert.rejects(async () => fs.stat(root), code('FileNotFound'));
  });
});
