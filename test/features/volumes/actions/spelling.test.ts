import assert from 'node:assert/strict';
import type { S3Files } from '../../../../src/client/s3/s3Files.ts';
import { isInside, isSameFile } from '../../../../src/features/volumes/actions/fileTree.ts';
import { cleanUp } from '../../../platform/support.ts';
import { bytesOf, volumeWorld } from '../world.ts';

/** The files of a volume on a file system that ignores case: each key addresses the file with any spelling of it. */
function ignoringCase(files: S3Files): S3Files {
  const spelled = async (key: string): Promise<string> => {
    for await (const { objects } of files.pages('', { flat: true }))
      for (const object of objects)
        if (object.key.toLowerCase().startsWith(key.toLowerCase())) return object.key.slice(0, key.length);
    return key;
  };
  const listed: S3Files['list'] = async (prefix, query, options) => {
    // A folder is found by any spelling, and its entries only by their own.
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const actual = await spelled(folder);
    const back = (key: string) => folder + key.slice(actual.length);
    const page = await files.list(actual + prefix.slice(folder.length), query, options);
    return {
      ...page,
      objects: page.objects.map((one) => ({ ...one, key: back(one.key) })),
      directories: page.directories.map(back),
    };
  };
  return Object.create(files, {
    head: { value: async (key: string) => files.head(await spelled(key)) },
    list: { value: listed },
    pages: {
      value: async function* (prefix: string) {
        yield await listed(prefix);
      },
    },
  }) as S3Files;
}

describe('Keys that differ only in case', () => {
  afterEach(cleanUp);

  it('are different files on a file system with case', async () => {
    const { files } = await volumeWorld();
    await files.put('Data/One', bytesOf('1'));
    assert.equal(await isSameFile(files, 'Data/One', 'Data/one'), false);
    await files.put('Data/one', bytesOf('1'));
    await files.put('data/One', bytesOf('1'));
    assert.equal(await isSameFile(files, 'Data/One', 'Data/one'), false);
    assert.equal(await isSameFile(files, 'Data/One', 'data/One'), false);
    assert.equal(await isSameFile(files, 'Data', 'data'), false);
    assert.equal(await isSameFile(files, 'Data/One', 'Data/One'), true);
    assert.equal(await isInside(files, 'data/sub', 'Data'), false);
    assert.equal(await isInside(files, 'Data/sub', 'Data'), true);
    assert.equal(await isInside(files, 'Data-sub', 'Data'), false);
  });

  it('are one file on a file system that ignores case', async () => {
    const { files } = await volumeWorld();
    await files.put('Data/One', bytesOf('1'));
    const same = ignoringCase(files);
    assert.equal(await isSameFile(same, 'Data/One', 'Data/one'), true);
    assert.equal(await isSameFile(same, 'Data/One', 'data/One'), true);
    assert.equal(await isSameFile(same, 'Data', 'DATA'), true);
    assert.equal(await isSameFile(same, 'Data/One', 'Data/two'), false);
    assert.equal(await isInside(same, 'data/sub', 'Data'), true);
  });
});
