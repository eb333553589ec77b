import assert from 'node:assert/strict';
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { copySample, sampleFolderIn } from '../../../../../src/features/local/firstSteps/actions/copySample.ts';
import { SampleError, type SampleErrorCode } from '../../../../../src/features/local/firstSteps/actions/sampleError.ts';
import { cleanUp, dataDirectory, repository } from '../../../../platform/support.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');
const MANIFEST = 'hello.endpoint.yaml';
const never = new AbortController().signal;

const failsWith = (code: SampleErrorCode) => (error: unknown) => error instanceof SampleError && error.code === code;
const listed = async (folder: string) => (await readdir(folder, { recursive: true })).sort();

describe('copySample', () => {
  afterEach(cleanUp);

  it('copies each file to a new folder, and creates the folders above it', async () => {
    const folder = path.join(await dataDirectory(), 'new', 'hello-queue');
    assert.equal(await copySample(SAMPLE, folder, never), 'copied');
    assert.deepEqual(await listed(folder), await listed(SAMPLE));
    assert.equal(
      await readFile(path.join(folder, MANIFEST), 'utf8'),
      await readFile(path.join(SAMPLE, MANIFEST), 'utf8'),
    );
    assert.deepEqual(await readdir(path.dirname(folder)), ['hello-queue']);
  });

  it('copies to an empty folder', async () => {
    const folder = await dataDirectory();
    assert.equal(await copySample(SAMPLE, folder, never), 'copied');
    assert.deepEqual(await listed(folder), await listed(SAMPLE));
  });

  it('keeps an earlier copy with its changes', async () => {
    const folder = path.join(await dataDirectory(), 'hello-queue');
    await cp(SAMPLE, folder, { recursive: true });
    await writeFile(path.join(folder, MANIFEST), 'name: changed');
    assert.equal(await copySample(SAMPLE, folder, never), 'kept');
    assert.equal(await readFile(path.join(folder, MANIFEST), 'utf8'), 'name: changed');
  });

  it('rejects a folder with other files, and a copy that lacks a file', async () => {
    const folder = path.join(await dataDirectory(), 'hello-queue');
    await cp(SAMPLE, folder, { recursive: true });
    await rm(path.join(folder, MANIFEST));
    const before = await listed(folder);
    await assert.rejects(copySample(SAMPLE, folder, never), failsWith('notEmpty'));
    assert.deepEqual(await listed(folder), before);
  });

  it('rejects a path through a file', async () => {
    const file = path.join(await dataDirectory(), 'file');
    await writeFile(file, '');
    await assert.rejects(copySample(SAMPLE, file, never), failsWith('notFolder'));
    await assert.rejects(copySample(SAMPLE, path.join(file, 'hello-queue'), never), failsWith('notFolder'));
  });

  it('reports a folder that cannot be written, with the reason of the system', async function () {
    // The administrator can write everywhere, and Windows has other permissions.
    if (process.platform === 'win32' || process.getuid?.() === 0) this.skip();
    const parent = path.join(await dataDirectory(), 'read-only');
    await mkdir(parent);
    await chmod(parent, 0o500);
    await assert.rejects(copySample(SAMPLE, path.join(parent, 'hello-queue'), never), (error) => {
      return failsWith('unwritable')(error) && ((error as SampleError).reason ?? '').includes('EACCES');
    });
  });

  it('reports a source that does not exist', async () => {
    const parent = await dataDirectory();
    const missing = path.join(parent, 'missing');
    await assert.rejects(copySample(missing, path.join(parent, 'hello-queue'), never), failsWith('unwritable'));
    assert.deepEqual(await readdir(parent), []);
  });

  it('leaves nothing behind after a cancellation', async () => {
    const parent = await dataDirectory();
    const stop = new AbortController();
    const copying = copySample(SAMPLE, path.join(parent, 'hello-queue'), stop.signal);
    const reason = new Error('canceled');
    stop.abort(reason);
    await assert.rejects(copying, (error) => error === reason);
    assert.deepEqual(await readdir(parent), []);
  });
});

describe('sampleFolderIn', () => {
  afterEach(cleanUp);

  it('returns the name of the sample, and adds a number to a name that is taken', async () => {
    const parent = await dataDirectory();
    const named = (name: string) => path.join(parent, name);
    assert.equal(await sampleFolderIn(SAMPLE, parent), named('hello-queue'));
    await writeFile(named('hello-queue'), '');
    assert.equal(await sampleFolderIn(SAMPLE, parent), named('hello-queue-2'));
    await mkdir(named('hello-queue-2'));
    assert.equal(await sampleFolderIn(SAMPLE, parent), named('hello-queue-2'));
    await writeFile(path.join(named('hello-queue-2'), 'mine.txt'), '');
    assert.equal(await sampleFolderIn(SAMPLE, parent), named('hello-queue-3'));
  });

  it('returns an earlier copy', async () => {
    const parent = await dataDirectory();
    await cp(SAMPLE, path.join(parent, 'hello-queue'), { recursive: true });
    assert.equal(await sampleFolderIn(SAMPLE, parent), path.join(parent, 'hello-queue'));
  });
});
