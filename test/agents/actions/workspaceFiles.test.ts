import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { workspaceFiles } from '../../../src/agents/actions/workspaceFiles.ts';
import { ToolError, type ToolErrorCode } from '../../../src/agents/model/toolError.ts';

describe('Files of the workspace for tools', () => {
  let root: string;
  let folder: string;
  const inFolder = (...names: string[]) => path.join(folder, ...names);
  const text = (content: string) => new TextEncoder().encode(content);
  const refuses = (task: Promise<unknown>, code: ToolErrorCode) =>
    assert.rejects(task, (error) => error instanceof ToolError && error.code === code);

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'cloud-compute-files-')));
    folder = path.join(root, 'workspace');
    await mkdir(inFolder('sub'), { recursive: true });
    await writeFile(inFolder('sub', 'a.txt'), 'inside');
    await writeFile(path.join(root, 'outside.txt'), 'outside');
    await mkdir(path.join(root, 'workspace-2'));
    await writeFile(path.join(root, 'workspace-2', 'b.txt'), 'other');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('finds files by relative paths, absolute paths, and addresses', async () => {
    const files = workspaceFiles([folder]);
    const file = { path: inFolder('sub', 'a.txt'), name: 'sub/a.txt', size: 6 };
    for (const name of ['sub/a.txt', './sub/../sub/a.txt', file.path, pathToFileURL(file.path).href])
      assert.deepEqual(await files.find(name), file, name);
    assert.equal(new TextDecoder().decode(await files.read('sub/a.txt', 6)), 'inside');
  });

  it('refuses paths outside the folders, also those of other systems', async () => {
    const files = workspaceFiles([folder]);
    const names = [
      ...['../outside.txt', 'sub/../../outside.txt', path.join(root, 'outside.txt'), '/etc/passwd'],
      ...[path.join(root, 'workspace-2', 'b.txt'), pathToFileURL(path.join(root, 'outside.txt')).href],
      ...['C:\\Windows\\win.ini', '\\\\server\\share\\file', 'file://server/share/file', '..'],
    ];
    for (const name of names) {
      await refuses(files.find(name), 'outsideWorkspace');
      await refuses(files.read(name, 100), 'outsideWorkspace');
      await refuses(files.create(name, text('x')), 'outsideWorkspace');
    }
  });

  it('refuses links that lead out of the folders, and follows links inside', async () => {
    await symlink(path.join(root, 'outside.txt'), inFolder('link.txt'));
    await symlink(root, inFolder('up'));
    await symlink(inFolder('sub', 'a.txt'), inFolder('inner.txt'));
    const files = workspaceFiles([folder]);
    for (const name of ['link.txt', 'up/outside.txt', 'up/workspace-2/b.txt']) {
      await refuses(files.find(name), 'outsideWorkspace');
      await refuses(files.read(name, 100), 'outsideWorkspace');
    }
    await refuses(files.create('up/new.txt', text('x')), 'outsideWorkspace');
    await refuses(files.create('up/new/deep.txt', text('x')), 'outsideWorkspace');
    assert.deepEqual((await readdir(root)).toSorted(), ['outside.txt', 'workspace', 'workspace-2'], 'no folder either');
    assert.equal((await files.find('inner.txt')).name, 'sub/a.txt');
  });

  it('works for a workspace folder that is a link itself', async () => {
    const link = path.join(root, 'linked');
    await symlink(folder, link);
    const files = workspaceFiles([link]);
    for (const name of ['sub/a.txt', path.join(link, 'sub', 'a.txt'), inFolder('sub', 'a.txt')])
      assert.equal((await files.find(name)).name, 'sub/a.txt');
    assert.equal((await files.create('new.txt', text('x'))).path, inFolder('new.txt'));
  });

  it('refuses folders, missing files, and pipes, without waiting for a writer', async function () {
    const files = workspaceFiles([folder]);
    for (const name of ['sub', '.', 'no.txt', '', 'a\0b']) await refuses(files.find(name), 'noFile');
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [inFolder('pipe')]);
    await refuses(files.read('pipe', 100), 'noFile');
  });

  it('refuses a file over the limit', async () => {
    await refuses(workspaceFiles([folder]).read('sub/a.txt', 5), 'tooLarge');
  });

  it('creates files with their folders, and never replaces one', async () => {
    const files = workspaceFiles([folder]);
    const created = await files.create('new/deep/c.txt', text('content'));
    assert.deepEqual(created, { path: inFolder('new', 'deep', 'c.txt'), name: 'new/deep/c.txt', size: 7 });
    assert.equal(await readFile(created.path, 'utf8'), 'content');
    await refuses(files.create('new/deep/c.txt', text('x')), 'fileExists');
    await symlink(path.join(root, 'target.txt'), inFolder('dangling.txt'));
    await refuses(files.create('dangling.txt', text('x')), 'fileExists');
    await assert.rejects(readFile(path.join(root, 'target.txt')));
  });

  it('names the folder of a file if there are several, and refuses an ambiguous name', async () => {
    const other = path.join(root, 'workspace-2');
    await mkdir(path.join(other, 'sub'));
    await writeFile(path.join(other, 'sub', 'a.txt'), 'second');
    const files = workspaceFiles([folder, other]);
    assert.equal((await files.find('b.txt')).name, 'workspace-2/b.txt');
    await refuses(files.find('sub/a.txt'), 'ambiguous');
    assert.equal(new TextDecoder().decode(await files.read('workspace-2/sub/a.txt', 100)), 'second');
    assert.equal((await files.create('workspace-2/new.txt', text('x'))).path, path.join(other, 'new.txt'));
  });

  it('finds a file once, even if one folder contains the other', async () => {
    const files = workspaceFiles([folder, inFolder('sub')]);
    assert.equal((await files.find(inFolder('sub', 'a.txt'))).name, 'workspace/sub/a.txt');
  });

  it('takes only the name of a folder as the beginning of a path, not any text of its length', async () => {
    const files = workspaceFiles([folder, path.join(root, 'workspace-2')]);
    await refuses(files.find(`${'x'.repeat('workspace-2'.length)}/b.txt`), 'noFile');
  });

  it('ignores a folder that does not exist', async () => {
    const files = workspaceFiles([path.join(root, 'gone'), folder]);
    assert.equal((await files.find('sub/a.txt')).name, 'workspace/sub/a.txt');
  });

  it('creates no file without a name', async () => {
    const files = workspaceFiles([folder]);
    for (const name of ['', '  ', 'a\0b']) await refuses(files.create(name, text('x')), 'noFile');
    assert.deepEqual(await readdir(folder), ['sub']);
  });

  it('finds a file with a colon in its name where the system allows one', async function () {
    if (process.platform === 'win32') this.skip();
    await writeFile(inFolder('notes:1.txt'), 'x');
    assert.equal((await workspaceFiles([folder]).find('notes:1.txt')).name, 'notes:1.txt');
  });

  it('closes each file, also one that it refuses or cannot write', async function () {
    if (process.platform !== 'linux') this.skip();
    const files = workspaceFiles([folder]);
    const content = { length: 1 } as unknown as Uint8Array;
    await files.read('sub/a.txt', 6);
    await refuses(files.read('sub/a.txt', 5), 'tooLarge');
    await files.create('b.txt', text('x'));
    await assert.rejects(files.create('c.txt', content), TypeError);
    const open = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    assert.deepEqual(
      open.filter((file) => file.startsWith(root)),
      [],
    );
  });

  it('says that no folder is open', async () => {
    const files = workspaceFiles([]);
    await refuses(files.find('a.txt'), 'noFile');
    await refuses(files.create('a.txt', text('x')), 'noFile');
  });
});
