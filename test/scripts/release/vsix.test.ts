import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { repository } from '../../../scripts/editor/build.ts';
import { MAX_VSIX_BYTES, readVsix, vsixProblems, vsixRules } from '../../../scripts/release/vsix.ts';

/** A minimal extension with an allow-list. The file `secret.txt` is not in the list. */
const FILES = {
  'package.json': JSON.stringify({
    name: 'example',
    publisher: 'example',
    version: '1.2.0',
    license: 'MIT',
    repository: 'https://example.com/example.git',
    engines: { vscode: '^1.105.0' },
  }),
  'README.md': '# Example\n',
  LICENSE: 'MIT\n',
  'secret.txt': 'secret\n',
  'media/icon.svg': '<svg/>\n',
  '.vscodeignore': '**\n!package.json\n!README.md\n!LICENSE\n!media/*.svg\n',
};

describe('Check of a VSIX file', () => {
  let folder: string;
  let file: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-vsix-'));
    await mkdir(path.join(folder, 'media'));
    for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(folder, name), text);
    file = path.join(folder, 'example.vsix');
    const vsce = path.join(repository, 'node_modules', '@vscode', 'vsce', 'vsce');
    execFileSync(process.execPath, [vsce, 'package', '--no-dependencies', '--out', file], { cwd: folder });
  });

  after(() => rm(folder, { recursive: true, force: true }));

  it('accepts a file with exactly the files of the allow-list', async () => {
    const vsix = await readVsix(file);
    assert.equal(vsix.version, '1.2.0');
    assert.deepEqual(vsixProblems(vsix, await vsixRules(folder, '1.2.0')), []);
  });

  it('names other files, missing files, another version, native code, and the size', async () => {
    const vsix = await readVsix(file);
    const rules = await vsixRules(folder, '1.2.0');
    const problems = (changes: Partial<typeof vsix>) => vsixProblems({ ...vsix, ...changes }, rules).join('\n');
    assert.match(
      problems({ files: [...vsix.files, 'extension/secret.txt'] }),
      /does not allow: extension\/secret\.txt/,
    );
    assert.match(problems({ files: vsix.files.filter((name) => !name.endsWith('.svg')) }), /lacks files: .*icon\.svg/);
    assert.match(problems({ files: [...vsix.files, 'extension/dist/a.node'] }), /native code.*a\.node/);
    assert.match(problems({ version: '1.1.0' }), /has version 1\.1\.0/);
    assert.match(problems({ bytes: MAX_VSIX_BYTES + 1 }), new RegExp(`has ${MAX_VSIX_BYTES + 1} bytes`));
    assert.equal(problems({ bytes: MAX_VSIX_BYTES }), '');
  });

  it('rejects a file that is not a VSIX', async () => {
    await assert.rejects(readVsix(path.join(folder, 'README.md')));
  });
});
