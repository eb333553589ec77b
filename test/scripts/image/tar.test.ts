import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { tarOf, type TarEntry } from '../../../scripts/image/tar.ts';

const file = (name: string, content: string): TarEntry => ({
  ...{ kind: 'file', path: name, content, mode: 0o640, owner: 10_001 },
});

describe('tarOf', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'cloud-compute-'))));
  after(() => rmSync(folder, { recursive: true }));

  /** Writes an archive, and returns the output of the system's tar. */
  async function withTar(entries: readonly TarEntry[], ...args: readonly string[]): Promise<string> {
    const archive = path.join(folder, 'archive.tar');
    writeFileSync(archive, await buffer(tarOf(entries)));
    return execFileSync('tar', [...args, '--file', archive], { cwd: folder, encoding: 'utf8', env: { TZ: 'UTC' } });
  }

  it('writes directories and files with their modes, owners, and sizes', async function () {
    if (process.platform !== 'linux') this.skip();
    const directory: TarEntry = { kind: 'directory', path: 'tmp', mode: 0o1777, owner: 0 };
    const listed = await withTar(
      [directory, file('tmp/é', 'abc')],
      '--list',
      '--verbose',
      '--numeric-owner',
      '--quoting-style=literal',
    );
    assert.deepEqual(
      listed
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/)),
      [
        ['drwxrwxrwt', '0/0', '0', '1970-01-01', '00:00', 'tmp/'],
        ['-rw-r-----', '10001/10001', '3', '1970-01-01', '00:00', 'tmp/é'],
      ],
    );
  });

  it('writes contents of any length, and copies of files', async function () {
    if (process.platform !== 'linux') this.skip();
    const source = path.join(folder, 'source');
    const large = 'x'.repeat(200_000);
    writeFileSync(source, large);
    const copy: TarEntry = {
      kind: 'copy',
      path: 'copied',
      file: source,
      size: large.length,
      mode: 0o644,
      owner: process.getuid?.() ?? 0,
    };
    const texts = ['', 'a', 'b'.repeat(511), 'c'.repeat(512), 'd'.repeat(513)];
    await withTar([...texts.map((text, index) => file(`text-${index}`, text)), copy], '--extract', '--no-same-owner');
    const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
    assert.deepEqual(
      texts.map((_, index) => read(`text-${index}`)),
      texts,
    );
    assert.equal(read('copied'), large);
  });

  it('splits long paths, and rejects those that do not fit', async function () {
    if (process.platform !== 'linux') this.skip();
    const long = `${'a'.repeat(90)}/${'b'.repeat(60)}/${'c'.repeat(99)}`;
    assert.equal((await withTar([file(long, '')], '--list')).trim(), long);
    await assert.rejects(buffer(tarOf([file('d'.repeat(101), '')])), /too long/);
    await assert.rejects(buffer(tarOf([file(`${'a'.repeat(156)}/b`, '')])), /too long/);
  });

  it('fails for a file with another size than its entry', async () => {
    const source = path.join(folder, 'changed');
    writeFileSync(source, 'abcd');
    const copy: TarEntry = { kind: 'copy', path: 'copied', file: source, size: 3, mode: 0o644, owner: 0 };
    await assert.rejects(buffer(tarOf([copy])), /4 bytes instead of 3/);
  });
});
