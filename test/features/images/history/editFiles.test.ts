import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EditFiles } from '../../../../src/features/images/history/actions/editFiles.ts';
import { MAX_SOURCE_BYTES } from '../../../../src/features/images/history/model/keptRecord.ts';
import { hashedName } from '../../../../src/text/fileNames.ts';
import { formOf, parametersOf } from '../../../../src/features/images/model/form.ts';
import { cleanUp, dataDirectory } from '../../../platform/support.ts';
import { sampleEdit, sampleImage, sampleRecord, sampleSource } from './sampleEdit.ts';

const idsOf = async (files: EditFiles): Promise<string[]> => (await files.list()).map(({ record }) => record.id);

describe('kept edits', () => {
  let root: string;
  let files: EditFiles;

  beforeEach(async () => {
    root = path.join(await dataDirectory(), 'edits');
    files = new EditFiles(root);
  });
  afterEach(cleanUp);

  it('have no items before the first edit', async () => {
    assert.deepEqual(await files.list(), []);
    assert.equal(await files.load('none'), undefined);
    await files.remove('none');
  });

  it('contain the edit, its image, and the file that was edited', async () => {
    await files.keep(sampleRecord('job-1', 1_000));
    const loaded = await files.load('job-1');
    assert.deepEqual(loaded, { edit: sampleEdit('job-1'), image: sampleImage(), source: sampleSource() });
    const [listed] = await files.list();
    assert.equal(listed?.record.time, 1_000);
    assert.deepEqual(await readFile(listed.resultPath), sampleImage().bytes);
  });

  it('contain the parameters that were left to the service, and give them to the form again', async () => {
    const sent = { ...sampleEdit('job-1').parameters, seed: undefined, format: undefined, safetyChecker: undefined };
    await files.keep(sampleRecord('job-1', 1_000, { edit: { ...sampleEdit('job-1'), parameters: sent } }));
    const kept = (await files.load('job-1'))?.edit.parameters;
    assert.deepEqual(kept, sent);
    assert.deepEqual(parametersOf(formOf(kept)), sent);
  });

  it('contain addresses without values that look like secrets', async () => {
    const url = 'https://images.example.com/a.png?size=2&token=abc123';
    await files.keep(sampleRecord('job-1', 1, { source: { kind: 'url', url }, edit: { ...sampleEdit('job-1'), url } }));
    const stored = await readFile(path.join(root, hashedName('job-1'), 'edit.json'), 'utf8');
    assert.doesNotMatch(stored, /abc123/);
    assert.match(stored, /size=2/);
  });

  it('list newest first, and are found by IDs with any characters', async () => {
    const odd = '../../etc/passwd\0';
    for (const [index, id] of ['b', odd, 'c'].entries()) await files.keep(sampleRecord(id, index));
    assert.deepEqual(await idsOf(files), ['c', odd, 'b']);
    assert.equal((await files.load(odd))?.edit.id, odd);
    assert.deepEqual((await readdir(path.dirname(root))).length, 1);
    await files.remove(odd);
    assert.deepEqual(await idsOf(files), ['c', 'b']);
  });

  it('get one thumbnail, which goes with them', async () => {
    const small = Buffer.from('small');
    await files.addThumbnail('job-1', small);
    await files.keep(sampleRecord('job-1', 1));
    await files.addThumbnail('job-1', small);
    await files.addThumbnail('job-1', Buffer.from('other'));
    const [listed] = await files.list();
    assert.deepEqual(await readFile(listed?.thumbnailPath ?? ''), small);
    await files.remove('job-1');
    assert.deepEqual(await readdir(root), []);
  });

  it('have no source bytes if the file is too large', async () => {
    await files.keep(sampleRecord('job-1', 1, { source: sampleSource(MAX_SOURCE_BYTES + 1) }));
    assert.equal((await files.load('job-1'))?.source, undefined);
    assert.equal((await files.list()).length, 1);
  });

  it('are bounded in number: the oldest go first', async () => {
    files = new EditFiles(root, { edits: 3, bytes: 1e9 });
    for (let time = 1; time <= 5; time++) await files.keep(sampleRecord(`job-${time}`, time));
    assert.deepEqual(await idsOf(files), ['job-5', 'job-4', 'job-3']);
    assert.equal((await readdir(root)).length, 3);
  });

  it('are bounded in bytes, but always contain the newest', async () => {
    files = new EditFiles(root, { edits: 100, bytes: 4_000 });
    for (let time = 1; time <= 3; time++)
      await files.keep(sampleRecord(`job-${time}`, time, { image: sampleImage(2_000) }));
    assert.deepEqual(await idsOf(files), ['job-3']);
    await files.keep(sampleRecord('large', 9, { image: sampleImage(9_000) }));
    assert.deepEqual(await idsOf(files), ['large']);
  });

  it('omit what a crash between two files left, and remove it later', async () => {
    const half = path.join(root, '.01234567-89ab-cdef-0123-456789abcdef');
    await mkdir(half, { recursive: true });
    await writeFile(path.join(half, 'result.png'), 'half');
    await files.keep(sampleRecord('job-1', Date.now()));
    assert.deepEqual(await idsOf(files), ['job-1']);
    assert.equal((await readdir(root)).length, 2, 'another window could still write the folder');
    await utimes(half, 1, 1);
    await files.trim(Date.now());
    assert.deepEqual(await readdir(root), [hashedName('job-1')]);
  });

  it('omit damaged and foreign files', async () => {
    for (const [index, id] of ['cut', 'other', 'gone', 'odd', 'good'].entries())
      await files.keep(sampleRecord(id, index));
    const at = (id: string, name: string) => path.join(root, hashedName(id), name);
    await truncate(at('cut', 'edit.json'), 20);
    await writeFile(at('other', 'edit.json'), await readFile(at('good', 'edit.json')));
    await rm(at('gone', 'result.png'));
    const odd = JSON.parse(await readFile(at('odd', 'edit.json'), 'utf8')) as { image: { mediaType: string } };
    odd.image.mediaType = 'image/../../../x';
    await writeFile(at('odd', 'edit.json'), JSON.stringify(odd));
    await writeFile(path.join(root, 'notes.txt'), 'foreign');
    await mkdir(path.join(root, 'folder'));
    assert.deepEqual(await idsOf(files), ['good']);
    assert.equal(await files.load('cut'), undefined);
  });

  it('replace a damaged edit with the same ID only if it is removed first', async () => {
    await files.keep(sampleRecord('job-1', 1));
    await truncate(path.join(root, hashedName('job-1'), 'edit.json'), 20);
    await assert.rejects(files.keep(sampleRecord('job-1', 2)), { code: /ENOTEMPTY|EEXIST|EPERM/ });
    await files.remove('job-1');
    await files.keep(sampleRecord('job-1', 3));
    assert.deepEqual(await idsOf(files), ['job-1']);
  });

  it('stay complete when two windows write and remove at the same time', async () => {
    const bounds = { edits: 8, bytes: 1e9 };
    const windows = [new EditFiles(root, bounds), new EditFiles(root, bounds)];
    await Promise.all(
      windows.flatMap((window, number) =>
        Array.from({ length: 20 }, (_, index) => window.keep(sampleRecord(`${number}-${index}`, index))),
      ),
    );
    await Promise.all(windows.map((window) => window.keep(sampleRecord('same', 100))));
    const listed = await files.list();
    assert.equal(listed[0]?.record.id, 'same');
    assert.ok(listed.length <= 8, `${listed.length} edits`);
    for (const { record } of listed) assert.ok(await files.load(record.id), record.id);
    assert.equal((await readdir(root)).length, listed.length);
  });
});
