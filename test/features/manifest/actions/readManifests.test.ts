import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readManifests, type FileTree } from '../../../../src/features/manifest/actions/readManifests.ts';
import { cleanUp, dataDirectory } from '../../../platform/support.ts';

const never = new AbortController().signal;

/** Returns the file system of this machine. */
function diskTree(changes: Partial<FileTree<string>> = {}): FileTree<string> {
  return {
    list: async (folder) =>
      (await readdir(folder, { withFileTypes: true })).map((entry) => ({
        name: entry.name,
        place: path.join(folder, entry.name),
        kind: entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'linkToFolder' : 'file',
      })),
    size: async (file) => (await stat(file)).size,
    read: readFile,
    unsaved: () => undefined,
    ...changes,
  };
}

describe('readManifests', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await dataDirectory();
  });
  afterEach(cleanUp);

  async function write(name: string, content: string | Uint8Array): Promise<void> {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  async function read(tree = diskTree()): Promise<Record<string, string>> {
    const found = await readManifests(tree, folder, never);
    return Object.fromEntries(
      found.map(({ path: name, content }) => [name, 'text' in content ? content.text : `(${content.unreadable})`]),
    );
  }

  it('finds manifests of all formats in subfolders, except in node_modules and .git', async () => {
    for (const name of ['b.endpoint.yaml', 'a/x.endpoint.yml', 'a/b/y.endpoint.json', 'other.yaml'])
      await write(name, name);
    await write('node_modules/m/z.endpoint.yaml', '');
    await write('a/.git/z.endpoint.yaml', '');
    const found = await read();
    assert.deepEqual(Object.entries(found), [
      ['a/b/y.endpoint.json', 'a/b/y.endpoint.json'],
      ['a/x.endpoint.yml', 'a/x.endpoint.yml'],
      ['b.endpoint.yaml', 'b.endpoint.yaml'],
    ]);
  });

  it('removes byte order marks and reads UTF-16', async () => {
    await write('a.endpoint.yaml', '\ufeffname: a');
    await write('b.endpoint.yaml', Buffer.from('\ufeffname: b', 'utf16le'));
    await write('c.endpoint.yaml', Buffer.from('\ufeffname: c', 'utf16le').swap16());
    assert.deepEqual(Object.values(await read()), ['name: a', 'name: b', 'name: c']);
  });

  it('prefers the text of an editor with unsaved changes', async () => {
    await write('a.endpoint.yaml', 'saved');
    assert.deepEqual(Object.values(await read(diskTree({ unsaved: () => 'unsaved' }))), ['unsaved']);
  });

  it('returns the reason for a file without text', async () => {
    await write('binary.endpoint.yaml', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff));
    await write('zeros.endpoint.yaml', new Uint8Array(64));
    await write('folder.endpoint.yaml/inner.endpoint.yaml', 'not found');
    await write('large.endpoint.yaml', new Uint8Array(1_000_000));
    await write('secret.endpoint.yaml', '');
    const tree = diskTree({
      read: (file) => (file.includes('secret') ? Promise.reject(new Error('EACCES')) : readFile(file)),
    });
    assert.deepEqual(await read(tree), {
      'binary.endpoint.yaml': '(notText)',
      'folder.endpoint.yaml': '(folder)',
      'large.endpoint.yaml': '(tooLarge)',
      'secret.endpoint.yaml': '(unreadable)',
      'zeros.endpoint.yaml': '(notText)',
    });
  });

  it('does not follow links to folders', async () => {
    await write('a/x.endpoint.yaml', 'x');
    await symlink(folder, path.join(folder, 'a', 'cycle'), 'dir');
    assert.deepEqual(Object.keys(await read()), ['a/x.endpoint.yaml']);
  });

  it('skips an unreadable subfolder, but rejects if the folder itself is unreadable', async () => {
    await write('a.endpoint.yaml', 'a');
    await write('closed/b.endpoint.yaml', 'b');
    const list: FileTree<string>['list'] = (place) =>
      place.endsWith('closed') ? Promise.reject(new Error('EACCES')) : diskTree().list(place);
    assert.deepEqual(Object.keys(await read(diskTree({ list }))), ['a.endpoint.yaml']);
    await assert.rejects(readManifests(diskTree(), path.join(folder, 'missing'), never), { code: 'ENOENT' });
  });

  it('can be canceled', async () => {
    await assert.rejects(readManifests(diskTree(), folder, AbortSignal.abort()), { name: 'AbortError' });
  });
});
