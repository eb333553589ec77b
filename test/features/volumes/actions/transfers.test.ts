import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '../../../../src/client/apiError.ts';
import { S3Error } from '../../../../src/client/s3/s3Error.ts';
import { copyFile } from '../../../../src/features/volumes/actions/copyFile.ts';
import { downloadFile } from '../../../../src/features/volumes/actions/downloadFile.ts';
import { copyFolder, deleteFolder, exists, isFolder } from '../../../../src/features/volumes/actions/fileTree.ts';
import { TransferError } from '../../../../src/features/volumes/actions/transferError.ts';
import { downloadAll, uploadAll } from '../../../../src/features/volumes/actions/transferFolders.ts';
import { partBytesOf, uploadFile } from '../../../../src/features/volumes/actions/uploadFile.ts';
import { cleanUp } from '../../../platform/support.ts';
import { bytesOf, volumeWorld, type VolumeWorld } from '../world.ts';

const MIB = 1_048_576;
const partBytes = 5 * MIB;
const { signal } = new AbortController();

describe('Transfers of files of a volume', function () {
  let world: VolumeWorld;
  beforeEach(async () => (world = await volumeWorld()));
  afterEach(cleanUp);

  const file = (name: string) => path.join(world.folder, name);
  const parts = () => world.requests.filter((one) => one.startsWith('PUT ?partNumber'));

  it('uploads and downloads names with spaces, other scripts, and special characters', async () => {
    const key = 'a b/+ü 模型 (1)&%.txt';
    await writeFile(file('plain'), 'hello');
    await uploadFile(world.files, file('plain'), key, { signal });
    assert.deepEqual(
      (await world.files.list('a b/')).objects.map((one) => one.key),
      [key],
    );
    await downloadFile(world.files, key, file('copy'), { signal });
    assert.equal(await readFile(file('copy'), 'utf8'), 'hello');
  });

  it('uploads and downloads an empty file', async () => {
    await writeFile(file('empty'), '');
    await uploadFile(world.files, file('empty'), 'empty', { signal });
    await downloadFile(world.files, 'empty', file('copy'), { signal });
    assert.equal((await readFile(file('copy'))).length, 0);
  });

  it('continues an upload after the network was lost, without the parts that have arrived', async () => {
    const bytes = randomBytes(partBytes * 5 + 17);
    await writeFile(file('large'), bytes);
    world.network.before = (request) => {
      if (request.startsWith('PUT ?partNumber=4')) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    };
    await assert.rejects(
      uploadFile(world.files, file('large'), 'large', { signal, partBytes }),
      (error) => error instanceof ApiError && error.kind === 'network',
    );
    const before = parts().length;
    assert.ok(before >= 2 && before <= 5, `${before} parts`);
    world.network.before = () => undefined;
    let reported = 0;
    await uploadFile(world.files, file('large'), 'large', { signal, partBytes, onBytes: (more) => (reported += more) });
    assert.equal(parts().length, 6);
    assert.equal(reported, bytes.length);
    await downloadFile(world.files, 'large', file('copy'), { signal });
    assert.ok(bytes.equals(await readFile(file('copy'))));
  });

  it('keeps the parts of a canceled upload, and continues it', async () => {
    const bytes = randomBytes(partBytes * 5 + 17);
    await writeFile(file('large'), bytes);
    const canceling = new AbortController();
    await assert.rejects(
      uploadFile(world.files, file('large'), 'large', {
        signal: canceling.signal,
        partBytes,
        onBytes: () => canceling.abort(),
      }),
      (error) => error instanceof ApiError && error.kind === 'canceled',
    );
    const uploadId = (await world.files.findUpload('large')) ?? '';
    const kept = (await world.files.listParts('large', uploadId)).length;
    assert.ok(kept >= 1 && kept < 6, `${kept} parts`);
    world.requests.length = 0;
    await uploadFile(world.files, file('large'), 'large', { signal, partBytes });
    // Parts that were being sent can arrive after the list. Three are sent at a time.
    assert.ok(parts().length >= 3 && parts().length <= 6 - kept, `${parts().length} parts after ${kept}`);
    assert.ok(bytes.equals((await world.files.get('large')).bytes));
    assert.equal(await world.files.findUpload('large'), undefined);
  });

  it('reports a volume that is full, for files of one part and of several parts', async () => {
    await world.fill();
    await writeFile(file('small'), 'x');
    await writeFile(file('large'), randomBytes(partBytes + 1));
    for (const name of ['small', 'large'])
      await assert.rejects(
        uploadFile(world.files, file(name), name, { signal, partBytes }),
        (error) => error instanceof S3Error && error.s3Code === 'QuotaExceeded',
      );
    await world.client.updateNetworkVolume({ id: world.volume.id, body: { size: 11 } });
    await uploadFile(world.files, file('large'), 'large', { signal, partBytes });
    assert.equal((await world.files.head('large')).size, partBytes + 1);
  });

  it('reads the size of a file that is larger than any response', async () => {
    await world.fill();
    assert.equal((await world.files.head('large')).size, 10_000_000_000);
  });

  it('downloads with a key that can only read, and reports that it cannot upload', async () => {
    await world.files.put('object', bytesOf('text'));
    const reader = await world.readOnlyFiles();
    await downloadFile(reader, 'object', file('copy'), { signal });
    assert.equal(await readFile(file('copy'), 'utf8'), 'text');
    for (const size of [4, partBytes + 1]) {
      await writeFile(file('new'), randomBytes(size));
      await assert.rejects(
        uploadFile(reader, file('new'), 'new', { signal, partBytes }),
        (error) => error instanceof ApiError && error.kind === 'forbidden',
      );
    }
  });

  it('sends changed parts of a continued upload again', async () => {
    const bytes = randomBytes(partBytes * 2);
    await writeFile(file('large'), bytes);
    const uploadId = await world.files.createUpload('large', partBytes);
    await world.files.putPart('large', uploadId, 1, new Uint8Array(bytes.subarray(0, partBytes)));
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    await writeFile(file('large'), bytes);
    await uploadFile(world.files, file('large'), 'large', { signal, partBytes });
    const read = await world.files.get('large');
    assert.ok(bytes.equals(read.bytes));
  });

  it('continues a canceled download', async () => {
    const bytes = randomBytes(partBytes * 2);
    await world.files.put('large', new Uint8Array(bytes));
    const canceling = new AbortController();
    let done = 0;
    await assert.rejects(
      downloadFile(world.files, 'large', file('copy'), {
        signal: canceling.signal,
        partBytes: MIB,
        onBytes: (more) => {
          done += more;
          if (done >= 3 * MIB) canceling.abort();
        },
      }),
      (error) => error instanceof ApiError && error.kind === 'canceled',
    );
    const firsts: number[] = [];
    await downloadFile(world.files, 'large', file('copy'), {
      signal,
      partBytes: MIB,
      onBytes: (more) => firsts.push(more),
    });
    assert.equal(firsts[0], done);
    assert.ok(bytes.equals(await readFile(file('copy'))));
    assert.deepEqual(await readdir(world.folder), ['copy']);
  });

  it('verifies the checksums of parts, and starts a download with damaged bytes again', async () => {
    const bytes = randomBytes(partBytes * 2 + 17);
    await writeFile(file('large'), bytes);
    await uploadFile(world.files, file('large'), 'large', { signal, partBytes });
    const canceling = new AbortController();
    const canceled = { signal: canceling.signal, partBytes: MIB, onBytes: (more: number) => more && canceling.abort() };
    await assert.rejects(downloadFile(world.files, 'large', file('copy'), canceled));
    const [partial = ''] = (await readdir(world.folder)).filter((name) => name.endsWith('.part'));
    const damaged = await readFile(file(partial));
    await writeFile(file(partial), damaged.fill(1, 0, 4));
    await assert.rejects(
      downloadFile(world.files, 'large', file('copy'), { signal }),
      (error) => error instanceof TransferError && error.problem === 'checksum',
    );
    await downloadFile(world.files, 'large', file('copy'), { signal });
    assert.ok(bytes.equals(await readFile(file('copy'))));
  });

  it('starts a download again if the object has changed', async () => {
    await world.files.put('object', bytesOf('first version'));
    world.network.before = (request) => {
      if (request.startsWith('GET')) throw new Error('lost');
    };
    await assert.rejects(downloadFile(world.files, 'object', file('copy'), { signal }));
    world.network.before = () => undefined;
    await world.files.put('object', bytesOf('second'));
    await downloadFile(world.files, 'object', file('copy'), { signal });
    assert.equal(await readFile(file('copy'), 'utf8'), 'second');
  });

  it('fails if the file grows while it is read, and leaves no upload behind', async () => {
    await writeFile(file('large'), randomBytes(partBytes * 2));
    await assert.rejects(
      uploadFile(world.files, file('large'), 'large', {
        signal,
        partBytes,
        onBytes: () => void appendFile(file('large'), 'more'),
      }),
      (error) => error instanceof TransferError && error.problem === 'changed',
    );
    assert.equal(await world.files.findUpload('large'), undefined);
    await assert.rejects(world.files.head('large'), (error) => error instanceof ApiError && error.kind === 'notFound');
  });

  it('reports a key that is not accepted', async () => {
    const wrongSecret = world.filesWith({ s3SecretAccessKey: 'wrong' });
    await assert.rejects(wrongSecret.check(), (error) => error instanceof S3Error && error.kind === 'unauthorized');
    const wrongId = world.filesWith({ s3AccessKeyId: 'unknown' });
    await assert.rejects(wrongId.check(), (error) => error instanceof S3Error && error.kind === 'unauthorized');
  });

  it('rejects a key whose segments a URL would resolve', async () => {
    await assert.rejects(
      world.files.get('a/../b'),
      (error) => error instanceof ApiError && error.kind === 'validation',
    );
  });

  it('writes only if nobody else has written', async () => {
    const { etag } = await world.files.put('note', bytesOf('one'));
    await world.files.put('note', bytesOf('two'));
    await assert.rejects(
      world.files.put('note', bytesOf('three'), { ifMatch: etag }),
      (error) => error instanceof S3Error && error.s3Code === 'PreconditionFailed',
    );
    await assert.rejects(
      world.files.put('note', bytesOf('three'), { ifNoneMatch: '*' }),
      (error) => error instanceof S3Error && error.s3Code === 'PreconditionFailed',
    );
  });

  it('uploads a folder with empty folders, copies it, downloads it, and deletes it', async () => {
    await mkdir(file('project/sub/empty'), { recursive: true });
    await writeFile(file('project/one.txt'), '1');
    await writeFile(file('project/sub/two.txt'), '22');
    const last = { files: 0, bytes: 0 };
    const count = await uploadAll(world.files, [file('project')], 'in/', {
      signal,
      onProgress: (progress) => Object.assign(last, progress),
    });
    assert.deepEqual([count, last.files, last.bytes], [3, 3, 3]);
    assert.equal(await isFolder(world.files, 'in/project/sub/empty'), true);
    await copyFolder(world.files, 'in', 'out');
    assert.equal(await downloadAll(world.files, 'out/project/', file('back'), { signal }), 2);
    assert.equal(await readFile(file('back/project/sub/two.txt'), 'utf8'), '22');
    await deleteFolder(world.files, 'in');
    assert.equal(await isFolder(world.files, 'in'), false);
    assert.equal(await isFolder(world.files, 'out/project/sub/empty'), true);
  });

  it('copies a file in parts that is too large for one request', async () => {
    const bytes = randomBytes(partBytes * 2 + 17);
    await writeFile(file('large'), bytes);
    await uploadFile(world.files, file('large'), 'a b/large', { signal, partBytes });
    const source = { key: 'a b/large', ...(await world.files.head('a b/large')) };
    const options = { signal, most: partBytes, partBytes };
    await copyFile(world.files, source, 'copy', options);
    await downloadFile(world.files, 'copy', file('copy'), { signal });
    assert.ok(bytes.equals(await readFile(file('copy'))));
    assert.deepEqual(await world.files.head('copy').then(({ etag, partBytes: size }) => [etag, size]), [
      source.etag,
      partBytes,
    ]);

    await world.files.put('a b/large', bytesOf('changed'));
    await assert.rejects(
      copyFile(world.files, source, 'other', options),
      (error) => error instanceof S3Error && error.s3Code === 'PreconditionFailed',
    );
    assert.equal(await exists(world.files, 'other'), false);
    assert.equal(await world.files.findUpload('other'), undefined);
  });

  it('chooses parts that never exceed the maximum number', () => {
    assert.equal(partBytesOf(20 * 1024 * MIB), 16 * MIB);
    assert.ok((4096 * 1024 * MIB) / partBytesOf(4096 * 1024 * MIB) <= 10_000);
  });
});
