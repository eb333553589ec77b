import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { volumeDirectories, type VolumeDirectories } from '../../../src/platform/resources/volumeDirectories.ts';

describe('Volume directories', () => {
  let root: string;
  let directories: VolumeDirectories;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'cloud-compute-volumes-'));
    directories = volumeDirectories(root);
    writeFileSync(path.join(directories.of('v1'), 'file'), 'content');
  });
  afterEach(() => rm(root, { recursive: true }));

  const content = (): string => readFileSync(path.join(root, 'v1', 'file'), 'utf8');

  it('keep their files if a deletion is rolled back', () => {
    const aside = directories.setAside('v1');
    assert.ok(!existsSync(path.join(root, 'v1')));
    aside.restore();
    assert.equal(content(), 'content');
  });

  it('are removed by a deletion', async () => {
    await directories.setAside('v1').remove();
    assert.deepEqual(readdirSync(root), []);
  });

  it('are restored at the next start if the deletion was not stored', async () => {
    directories.setAside('v1');
    await volumeDirectories(root).finishDeletions((id) => id === 'v1');
    assert.equal(content(), 'content');
    assert.deepEqual(readdirSync(root), ['v1']);
  });

  it('are removed at the next start if the deletion was stored', async () => {
    directories.setAside('v1');
    await volumeDirectories(root).finishDeletions(() => false);
    assert.deepEqual(readdirSync(root), []);
  });
});
