import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import http from 'node:http';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { S3CompletedUpload, S3Objects, S3Parts, S3Upload } from '../../../src/contract/s3/s3Documents.ts';
import { launch } from '../launch.ts';
import { Api, cleanUp, dataDirectory, eventually } from '../support.ts';
import { createVolume, directoriesOf, ownerS3, type S3 } from './s3Client.ts';

const PART = Buffer.alloc(5 * 1_048_576, 'a');

async function start(dataDir: string) {
  const platform = launch([
    '--json',
    '--data-dir',
    dataDir,
    '--api-key',
    'kill-key-0123456789',
    '--runtime',
    'process',
  ]);
  return { platform, api: new Api(await platform.announcement()) };
}

/** Returns the size of a file in bytes, and 0 if there is none. */
const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

/** Begins a PUT whose body never ends. */
async function putForever(s3: S3, key: string): Promise<void> {
  const request = http.request(await s3.presigned('PUT', key), {
    method: 'PUT',
    headers: { 'Content-Length': 1_000_000_000 },
  });
  request.on('error', () => undefined);
  request.write(Buffer.alloc(1_000_000));
}

describe('objects of a platform that is killed', () => {
  afterEach(cleanUp);

  it('are whole or absent, and a multipart upload continues', async () => {
    const dataDir = await dataDirectory();
    const first = await start(dataDir);
    const volumeId = await createVolume(first.api);
    const { state } = directoriesOf(dataDir, volumeId);
    const s3 = ownerS3(first.api, volumeId);
    await s3.put('old', 'old contents');
    const { UploadId: uploadId } = await s3.document(S3Upload, 'POST', 'joined', { query: { uploads: '' } });
    const etag =
      (await s3.ok('PUT', 'joined', { query: { uploadId, partNumber: '1' }, body: PART })).headers.get('etag') ?? '';
    for (const key of ['old', 'new']) await putForever(s3, key);
    await eventually('both bodies arrive', async () => (await readdir(path.join(state, 'new'))).length === 2);
    first.platform.kill('SIGKILL');
    await first.platform.exit;

    const second = await start(dataDir);
    const again = ownerS3(second.api, volumeId);
    const { Contents } = await again.document(S3Objects, 'GET', undefined, { query: { 'list-type': '2' } });
    assert.deepEqual(
      Contents.map(({ Key, Size }) => [Key, Size]),
      [['old', 12]],
    );
    assert.equal(await again.text('old'), 'old contents');
    await assert.rejects(readdir(path.join(state, 'new')), { code: 'ENOENT' });
    const { Part } = await again.document(S3Parts, 'GET', 'joined', { query: { uploadId } });
    assert.deepEqual(
      Part.map(({ PartNumber, ETag }) => [PartNumber, ETag]),
      [[1, etag]],
    );
    const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
    await again.document(S3CompletedUpload, 'POST', 'joined', { query: { uploadId }, body });
    assert.equal((await again.text('joined')).length, PART.length);
  });

  it('are whole or absent while their parts are joined, and can be completed again', async () => {
    const dataDir = await dataDirectory();
    const first = await start(dataDir);
    const volumeId = await createVolume(first.api);
    const { directory, state } = directoriesOf(dataDir, volumeId);
    const s3 = ownerS3(first.api, volumeId);
    const { UploadId: uploadId } = await s3.document(S3Upload, 'POST', 'joined', { query: { uploads: '' } });
    const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
    let parts = '';
    for (const number of numbers) {
      const put = await s3.ok('PUT', 'joined', { query: { uploadId, partNumber: String(number) }, body: PART });
      parts += `<Part><PartNumber>${number}</PartNumber><ETag>${put.headers.get('etag') ?? ''}</ETag></Part>`;
    }
    const body = `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`;
    const completing = s3.call('POST', 'joined', { query: { uploadId }, body }).catch(() => undefined);
    // Parts leave new files behind for a moment. Only the joined file is larger than one.
    await eventually('the parts are joined', async () => {
      const names = await readdir(path.join(state, 'new'));
      const sizes = await Promise.all(names.map((name) => sizeOf(path.join(state, 'new', name))));
      return sizes.some((size) => size > PART.length) || (await sizeOf(path.join(directory, 'joined'))) > 0;
    });
    first.platform.kill('SIGKILL');
    await Promise.all([first.platform.exit, completing]);
    const wanted = numbers.length * PART.length;
    assert.ok([0, wanted].includes(await sizeOf(path.join(directory, 'joined'))));

    const second = await start(dataDir);
    const again = ownerS3(second.api, volumeId);
    // The kill can come between the object and the end of the upload.
    await again.call('POST', 'joined', { query: { uploadId }, body });
    assert.equal(await sizeOf(path.join(directory, 'joined')), wanted);
    assert.match((await again.ok('HEAD', 'joined')).headers.get('etag') ?? '', /^"[\da-f]{32}-12"$/);
    assert.deepEqual(await readdir(path.join(state, 'uploads')), []);
  });

  it('have the contents and the metadata of one answered PUT, whenever the kill comes', async () => {
    const dataDir = await dataDirectory();
    let { platform, api } = await start(dataDir);
    const volumeId = await createVolume(api);
    let answered = -1;
    for (let kill = 0; kill < 4; kill++) {
      const s3 = ownerS3(api, volumeId);
      let begun = answered;
      const puts = (async () => {
        for (;;) {
          begun = answered + 1;
          const body = `${begun} `.repeat(1_000 + begun);
          try {
            await s3.put('file', body, { 'x-amz-meta-turn': String(begun) });
          } catch (error) {
            if (error instanceof assert.AssertionError) throw error;
            return;
          }
          answered = begun;
        }
      })();
      const before = answered;
      await eventually('some contents are stored', () => answered >= before + 3 + kill);
      platform.kill('SIGKILL');
      await Promise.all([platform.exit, puts]);
      ({ platform, api } = await start(dataDir));
      const found = await ownerS3(api, volumeId).ok('GET', 'file');
      const text = await found.text();
      const turn = Number.parseInt(text, 10);
      // The last PUT may be stored although the platform did not answer it.
      assert.ok(turn === answered || turn === begun, `${turn} is neither ${answered} nor ${begun}`);
      assert.equal(text, `${turn} `.repeat(1_000 + turn));
      assert.equal(found.headers.get('x-amz-meta-turn'), String(turn));
      assert.equal(found.headers.get('etag'), `"${createHash('md5').update(text).digest('hex')}"`);
      answered = turn;
    }
  });
});
