import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import {
  S3Buckets,
  S3CompletedUpload,
  S3CopyPartResult,
  S3CopyResult,
  S3Deleted,
  S3Objects,
  S3ObjectsV1,
  S3Parts,
  S3Upload,
  S3Uploads,
} from '../../../src/contract/s3/s3Documents.ts';
import { cleanUp } from '../support.ts';
import { readXml } from '../../../src/contract/s3/xml.ts';
import { codeOf, ownerS3, s3World, type S3World } from './s3Client.ts';

const MiB = 1_048_576;
const md5 = (bytes: string | Buffer): string => createHash('md5').update(bytes).digest('hex');
const base64 = (algorithm: string, bytes: string): string => createHash(algorithm).update(bytes).digest('base64');
const header = (response: Response, name: string): string => response.headers.get(name) ?? '';

describe('objects of network volumes', () => {
  let world: S3World;
  before(async () => {
    world = await s3World();
  });
  after(cleanUp);

  describe('whole objects', () => {
    it('are plain files in the directory that workers mount', async () => {
      const { s3, directory } = world;
      const stored = await s3.put('models/ü +&/weights.bin', 'hello');
      assert.equal(header(stored, 'etag'), `"${md5('hello')}"`);
      assert.equal(await readFile(path.join(directory, 'models/ü +&/weights.bin'), 'utf8'), 'hello');
      assert.equal(await s3.text('models/ü +&/weights.bin'), 'hello');
      assert.deepEqual(
        (await readdir(directory)).filter((name) => name.startsWith('.')),
        [],
      );
    });

    it('keep their content type, their headers, and the metadata of the user', async () => {
      const { s3 } = world;
      const headers = {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-cache',
        'content-disposition': 'attachment',
        'x-amz-meta-mtime': '1.5',
      };
      await s3.put('kept', 'x', headers);
      for (const method of ['GET', 'HEAD']) {
        const response = await s3.ok(method, 'kept');
        for (const [name, value] of Object.entries(headers)) assert.equal(header(response, name), value);
        assert.equal(header(response, 'content-length'), '1');
        assert.equal(header(response, 'accept-ranges'), 'bytes');
        assert.ok(Math.abs(Date.parse(header(response, 'last-modified')) - Date.now()) < 60_000);
      }
      assert.equal(header(await s3.put('plain', new Uint8Array([1])), 'x-amz-request-id').length, 16);
      assert.equal(header(await s3.ok('HEAD', 'plain'), 'content-type'), 'binary/octet-stream');
      assert.equal(
        await s3.refused('PUT', 'much', { body: 'x', headers: { 'x-amz-meta-a': 'a'.repeat(2_100) } }),
        'MetadataTooLarge',
      );
    });

    it('are served in ranges', async () => {
      const { s3 } = world;
      await s3.put('range', '0123456789');
      const ranges: [string, number, string, string][] = [
        ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
        ['bytes=7-', 206, '789', 'bytes 7-9/10'],
        ['bytes=-3', 206, '789', 'bytes 7-9/10'],
        ['bytes=5-100', 206, '56789', 'bytes 5-9/10'],
        ['bytes=0-1,3-4', 200, '0123456789', ''],
        ['bytes=4-2', 200, '0123456789', ''],
        ['lines=1-2', 200, '0123456789', ''],
      ];
      for (const [range, status, text, contentRange] of ranges) {
        const response = await s3.ok('GET', 'range', { headers: { range } });
        assert.equal(response.status, status, range);
        assert.equal(await response.text(), text, range);
        assert.equal(header(response, 'content-range'), contentRange);
      }
      for (const range of ['bytes=10-', 'bytes=-0']) {
        const refused = await s3.call('GET', 'range', { headers: { range } });
        assert.equal(header(refused, 'content-range'), 'bytes */10');
        assert.equal(await codeOf(refused), 'InvalidRange');
      }
      await s3.put('empty', '');
      assert.equal(await s3.text('empty'), '');
      assert.equal(await s3.refused('GET', 'empty', { headers: { range: 'bytes=0-0' } }), 'InvalidRange');
    });

    it('are served under conditions', async () => {
      const { s3 } = world;
      const etag = header(await s3.put('condition', 'a'), 'etag');
      const past = new Date(Date.now() - 3_600_000).toUTCString();
      const future = new Date(Date.now() + 3_600_000).toUTCString();
      const statuses: [Record<string, string>, number][] = [
        [{ 'if-match': etag }, 200],
        [{ 'if-match': etag.replaceAll('"', '') }, 200],
        [{ 'if-match': '"other", *' }, 200],
        [{ 'if-match': '"other"' }, 412],
        [{ 'if-none-match': etag }, 304],
        [{ 'if-none-match': '"other"' }, 200],
        [{ 'if-modified-since': past }, 200],
        [{ 'if-modified-since': future }, 304],
        [{ 'if-unmodified-since': past }, 412],
        [{ 'if-unmodified-since': future }, 200],
        [{ 'if-none-match': '"other"', 'if-modified-since': future }, 200],
        [{ 'if-match': etag, 'if-unmodified-since': past }, 200],
      ];
      for (const [headers, status] of statuses) {
        assert.equal((await s3.call('HEAD', 'condition', { headers })).status, status, JSON.stringify(headers));
        assert.equal((await s3.call('GET', 'condition', { headers })).status, status);
      }
    });

    it('are written under conditions', async () => {
      const { s3 } = world;
      const create = { 'if-none-match': '*' };
      const etag = header(await s3.put('once', 'a', create), 'etag');
      assert.equal(await s3.refused('PUT', 'once', { body: 'b', headers: create }), 'PreconditionFailed');
      assert.equal(
        await s3.refused('PUT', 'once', { body: 'b', headers: { 'if-match': '"other"' } }),
        'PreconditionFailed',
      );
      assert.equal(await s3.refused('PUT', 'never', { body: 'b', headers: { 'if-match': etag } }), 'NoSuchKey');
      await s3.put('once', 'c', { 'if-match': etag });
      assert.equal(await s3.text('once'), 'c');
      const contenders = Array.from({ length: 8 }, (_, index) =>
        s3.call('PUT', 'contended', { body: `${index}`, headers: create }),
      );
      const winners = (await Promise.all(contenders)).filter(({ ok }) => ok);
      assert.equal(winners.length, 1);
    });

    it('are stored only if their digests and checksums match', async () => {
      const { s3, state } = world;
      const good: Record<string, string>[] = [
        { 'content-md5': base64('md5', 'abc') },
        { 'x-amz-checksum-crc32': 'NSRBwg==' },
        { 'x-amz-checksum-crc32c': 'Nks/tw==' },
        { 'x-amz-checksum-sha1': base64('sha1', 'abc') },
        { 'x-amz-checksum-sha256': base64('sha256', 'abc') },
        { 'x-amz-content-sha256': createHash('sha256').update('abc').digest('hex') },
      ];
      for (const headers of good) await s3.put('checked', 'abc', headers);
      for (const headers of good) {
        const code = 'x-amz-content-sha256' in headers ? 'XAmzContentSHA256Mismatch' : 'BadDigest';
        assert.equal(await s3.refused('PUT', 'unchecked', { body: 'abd', headers }), code);
      }
      const headers = { 'x-amz-checksum-crc64nvme': 'AAAAAAAAAAA=' };
      assert.equal(await s3.refused('PUT', 'unchecked', { body: 'abd', headers }), 'NotImplemented');
      assert.equal(
        await s3.refused('PUT', 'unchecked', { body: 'abd', headers: { 'content-md5': 'no' } }),
        'InvalidDigest',
      );
      assert.equal((await s3.call('HEAD', 'unchecked')).status, 404);
      assert.deepEqual(await readdir(path.join(state, 'new')), []);
    });

    it('are removed, and a removal of nothing succeeds', async () => {
      const { s3, directory } = world;
      await s3.put('gone/file', 'a');
      for (let again = 0; again < 2; again++) assert.equal((await s3.ok('DELETE', 'gone/file')).status, 204);
      assert.deepEqual(await readdir(path.join(directory, 'gone')), []);
      assert.equal(await s3.refused('GET', 'gone/file'), 'NoSuchKey');
    });
  });

  describe('the files of workers', () => {
    it('are objects, whose ETags change with every write', async () => {
      const { s3, directory } = world;
      const file = path.join(directory, 'worker.txt');
      await writeFile(file, 'one');
      const first = header(await s3.ok('HEAD', 'worker.txt'), 'etag');
      assert.match(first, /^"[0-9a-f]{32}-0"$/);
      assert.equal(header(await s3.ok('GET', 'worker.txt'), 'etag'), first);
      await writeFile(file, 'two');
      assert.notEqual(header(await s3.ok('HEAD', 'worker.txt'), 'etag'), first);
    });

    it('have no ETag or metadata of an object that they replaced, even at the same size and at once', async () => {
      const { s3, directory } = world;
      for (let round = 0; round < 20; round++) {
        const put = header(await s3.put('shared', 'aaaa', { 'x-amz-meta-by': 'client' }), 'etag');
        await writeFile(path.join(directory, 'shared'), 'bbbb');
        const found = await s3.ok('GET', 'shared');
        assert.notEqual(header(found, 'etag'), put);
        assert.equal(found.headers.get('x-amz-meta-by'), null);
        assert.equal(await found.text(), 'bbbb');
      }
    });

    it('keep the ETag of an object that they only rename', async () => {
      const { s3, directory } = world;
      const etag = header(await s3.put('before-rename', 'abc'), 'etag');
      await rename(path.join(directory, 'before-rename'), path.join(directory, 'after-rename'));
      assert.equal(header(await s3.ok('HEAD', 'after-rename'), 'etag'), etag);
    });

    it('are served with the announced length while they grow', async () => {
      const { s3, directory } = world;
      const file = path.join(directory, 'growing');
      await writeFile(file, Buffer.alloc(4 * MiB, 'a'));
      const response = await s3.ok('GET', 'growing');
      const reading = response.arrayBuffer();
      await writeFile(file, Buffer.alloc(MiB, 'b'), { flag: 'a' });
      assert.equal((await reading).byteLength, 4 * MiB);
    });
  });

  describe('directories', () => {
    it('are objects whose keys end with a slash', async () => {
      const { s3, directory } = world;
      await s3.put('dir/inner/', '');
      assert.ok((await stat(path.join(directory, 'dir/inner'))).isDirectory());
      const head = await s3.ok('HEAD', 'dir/inner/');
      assert.equal(header(head, 'content-type'), 'application/x-directory');
      const { Contents } = await s3.document(S3Objects, 'GET', undefined, {
        query: { 'list-type': '2', prefix: 'dir/' },
      });
      assert.deepEqual(
        Contents.map(({ Key }) => Key),
        ['dir/inner/'],
      );
      await s3.put('dir/inner/file', 'x');
      assert.equal((await s3.ok('DELETE', 'dir/inner/')).status, 204);
      assert.equal(await s3.text('dir/inner/file'), 'x');
      await s3.ok('DELETE', 'dir/inner/file');
      await s3.ok('DELETE', 'dir/inner/');
      assert.deepEqual(await readdir(path.join(directory, 'dir')), []);
    });

    it('cannot take the place of files, and files cannot take theirs', async () => {
      const { s3 } = world;
      await s3.put('place/file', 'x');
      assert.equal(await s3.refused('PUT', 'place', { body: 'x' }), 'KeyIsDirectory');
      assert.equal(await s3.refused('PUT', 'place/file/below', { body: 'x' }), 'ParentIsFile');
      assert.equal(await s3.refused('PUT', 'place/file/', { body: '' }), 'ParentIsFile');
      assert.equal(await s3.refused('PUT', 'place/other/', { body: 'contents' }), 'InvalidArgument');
      assert.equal(await s3.refused('GET', 'place'), 'NoSuchKey');
      assert.equal(await s3.refused('GET', 'place/file/'), 'NoSuchKey');
      assert.equal((await s3.ok('DELETE', 'place')).status, 204);
      assert.equal(await s3.text('place/file'), 'x');
    });
  });

  describe('copies', () => {
    it('have the contents, and the metadata of the source or new ones', async () => {
      const { s3 } = world;
      await s3.put('source ü', 'abc', { 'x-amz-meta-a': '1', 'content-type': 'text/x' });
      const from = { 'x-amz-copy-source': `/${s3.volumeId}/source%20%C3%BC` };
      const { ETag } = await s3.document(S3CopyResult, 'PUT', 'copy/one', { headers: from });
      assert.equal(ETag, `"${md5('abc')}"`);
      const copy = await s3.ok('GET', 'copy/one');
      assert.deepEqual(
        [header(copy, 'x-amz-meta-a'), header(copy, 'content-type'), await copy.text()],
        ['1', 'text/x', 'abc'],
      );
      const replace = { ...from, 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-b': '2' };
      await s3.ok('PUT', 'copy/two', { headers: replace });
      const other = await s3.ok('HEAD', 'copy/two');
      assert.deepEqual([other.headers.get('x-amz-meta-a'), header(other, 'x-amz-meta-b')], [null, '2']);
    });

    it('to the same key replace only the metadata', async () => {
      const { s3, directory } = world;
      await writeFile(path.join(directory, 'self'), 'abc');
      const before = await s3.ok('HEAD', 'self');
      const from = { 'x-amz-copy-source': `${s3.volumeId}/self` };
      assert.equal(await s3.refused('PUT', 'self', { headers: from }), 'InvalidRequest');
      await s3.ok('PUT', 'self', { headers: { ...from, 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-c': '3' } });
      const after = await s3.ok('HEAD', 'self');
      assert.equal(header(after, 'etag'), header(before, 'etag'));
      assert.equal(header(after, 'x-amz-meta-c'), '3');
    });

    it('are refused without a source, or if a condition does not hold', async () => {
      const { s3 } = world;
      await s3.put('copied', 'abc');
      const from = { 'x-amz-copy-source': `/${s3.volumeId}/copied` };
      const codes: [Record<string, string>, string][] = [
        [{ 'x-amz-copy-source': `/${s3.volumeId}/missing` }, 'NoSuchKey'],
        [{ 'x-amz-copy-source': '/other/copied' }, 'NoSuchBucket'],
        [{ 'x-amz-copy-source': 'copied' }, 'InvalidArgument'],
        [{ 'x-amz-copy-source': `/${s3.volumeId}/..%2F..%2Fplatform.sqlite` }, 'InvalidArgument'],
        [{ 'x-amz-copy-source': `/${s3.volumeId}/copied?versionId=1` }, 'NotImplemented'],
        [{ ...from, 'x-amz-copy-source-if-match': '"other"' }, 'PreconditionFailed'],
        [{ ...from, 'x-amz-copy-source-if-none-match': `"${md5('abc')}"` }, 'PreconditionFailed'],
      ];
      for (const [headers, code] of codes) assert.equal(await s3.refused('PUT', 'copy/refused', { headers }), code);
    });
  });

  it('fail with documents of S3 if a fault is injected', async () => {
    const { api, s3 } = world;
    await s3.put('a', 'a');
    for (const [status, code] of [
      [503, 'ServiceUnavailable'],
      [500, 'InternalError'],
      [429, 'SlowDown'],
    ] as const) {
      await api.call(controlOperations.addFault, { body: { operation: '*', status, count: 1 } });
      const response = await s3.call('GET', 'a');
      assert.deepEqual([response.status, header(response, 'content-type')], [status, 'application/xml']);
      assert.equal(await codeOf(response), code);
    }
    await api.call(controlOperations.addFault, { body: { operation: '*', status: 503, count: 1 } });
    assert.deepEqual(await (await s3.call('HEAD', 'a')).text(), '');
    assert.equal(await s3.text('a'), 'a');
  });

  describe('deletions of several objects', () => {
    it('report each key', async () => {
      const { s3 } = world;
      for (const key of ['many/a', 'many/b', 'many/c']) await s3.put(key, 'x');
      const keys = ['many/a', 'many/b', 'many/', 'many/missing', '../escape'];
      const body = `<Delete>${keys.map((Key) => `<Object><Key>${Key}</Key></Object>`).join('')}</Delete>`;
      const headers = { 'content-md5': base64('md5', body) };
      const { Deleted, Error: failed } = await s3.document(S3Deleted, 'POST', undefined, {
        query: { delete: '' },
        body,
        headers,
      });
      assert.deepEqual(Deleted.map(({ Key }) => Key).sort(), ['many/', 'many/a', 'many/b', 'many/missing']);
      assert.deepEqual(
        failed.map(({ Key, Code }) => [Key, Code]),
        [['../escape', 'InvalidArgument']],
      );
      assert.equal(await s3.text('many/c'), 'x');
    });

    it('are refused with XML that is malformed, too large, or has entities', async () => {
      const { s3 } = world;
      const bodies = [
        '',
        '<Delete>',
        '<Other/>',
        '<Delete></Delete>',
        '<Delete><Object></Object></Delete>',
        '<!DOCTYPE d [<!ENTITY a "aaaa">]><Delete><Object><Key>&a;</Key></Object></Delete>',
        `<Delete>${'<Object><Key>a</Key></Object>'.repeat(1_001)}</Delete>`,
        `<Delete>${' '.repeat(MiB)}</Delete>`,
        '<a>'.repeat(100_000),
      ];
      for (const body of bodies) {
        const headers = { 'content-md5': base64('md5', body) };
        assert.equal(
          await s3.refused('POST', undefined, { query: { delete: '' }, body, headers }),
          'MalformedXML',
          body.slice(0, 80),
        );
      }
    });
  });

  describe('multipart uploads', () => {
    const create = async (key: string, headers: Record<string, string> = {}): Promise<string> =>
      (await world.s3.document(S3Upload, 'POST', key, { query: { uploads: '' }, headers })).UploadId;
    const put = async (key: string, uploadId: string, number: number, body: string | Buffer): Promise<string> =>
      header(
        await world.s3.ok('PUT', key, { query: { uploadId, partNumber: String(number) }, body: body as string }),
        'etag',
      );
    const parts = (etags: readonly (readonly [number, string])[]): string =>
      `<CompleteMultipartUpload>${etags
        .map(([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`)
        .join('')}</CompleteMultipartUpload>`;

    it('join their parts to an object', async () => {
      const { s3, directory, state } = world;
      const id = await create('big', { 'content-type': 'text/big', 'x-amz-meta-d': '4' });
      const first = Buffer.alloc(5 * MiB, 'a');
      await put('big', id, 1, 'replaced');
      const etags = [await put('big', id, 1, first), await put('big', id, 7, 'end')];
      await assert.rejects(stat(path.join(directory, 'big')));
      const listed = await s3.document(S3Parts, 'GET', 'big', { query: { uploadId: id } });
      assert.deepEqual(
        listed.Part.map(({ PartNumber, Size, ETag }) => [PartNumber, Size, ETag]),
        [
          [1, 5 * MiB, etags[0]],
          [7, 3, etags[1]],
        ],
      );
      const page = await s3.document(S3Parts, 'GET', 'big', { query: { uploadId: id, 'max-parts': '1' } });
      assert.deepEqual([page.Part.length, page.IsTruncated, page.NextPartNumberMarker], [1, true, 1]);
      const body = parts([
        [1, etags[0] ?? ''],
        [7, etags[1] ?? ''],
      ]);
      const { ETag } = await s3.document(S3CompletedUpload, 'POST', 'big', { query: { uploadId: id }, body });
      assert.equal(ETag, `"${md5(Buffer.from(md5(first) + md5('end'), 'hex'))}-2"`);
      const found = await s3.ok('GET', 'big');
      assert.deepEqual([header(found, 'content-type'), header(found, 'x-amz-meta-d')], ['text/big', '4']);
      assert.equal(await found.text(), `${first.toString()}end`);
      assert.deepEqual(await readdir(path.join(state, 'uploads')), []);
      assert.equal(await s3.refused('POST', 'big', { query: { uploadId: id }, body }), 'NoSuchUpload');
    });

    it('become an object without a copy if they have one part', async () => {
      const { s3, directory, state } = world;
      const id = await create('one');
      const etag = await put('one', id, 1, 'a single part');
      const folder = path.join(state, 'uploads', id);
      const [part = ''] = (await readdir(folder)).filter((name) => name.startsWith('00001.'));
      const { ino } = await stat(path.join(folder, part));
      await s3.document(S3CompletedUpload, 'POST', 'one', { query: { uploadId: id }, body: parts([[1, etag]]) });
      assert.equal((await stat(path.join(directory, 'one'))).ino, ino);
      assert.equal(await s3.text('one'), 'a single part');
      assert.deepEqual(await readdir(path.join(state, 'uploads')), []);
    });

    it('are refused with wrong, unordered, or small parts', async () => {
      const { s3 } = world;
      const id = await create('bad');
      const etags = [await put('bad', id, 1, 'a'), await put('bad', id, 2, 'b')];
      const [one, two] = [[1, etags[0] ?? ''] as const, [2, etags[1] ?? ''] as const];
      const codes: [string, string][] = [
        [parts([[1, two[1]]]), 'InvalidPart'],
        [parts([one, [3, two[1]]]), 'InvalidPart'],
        [parts([two, one]), 'InvalidPartOrder'],
        [parts([one, one]), 'InvalidPartOrder'],
        [parts([one, two]), 'EntityTooSmall'],
        [parts([]), 'MalformedXML'],
      ];
      for (const [body, code] of codes) {
        assert.equal(await s3.refused('POST', 'bad', { query: { uploadId: id }, body }), code, body);
      }
      for (const partNumber of ['0', '10001', 'x']) {
        assert.equal(
          await s3.refused('PUT', 'bad', { query: { uploadId: id, partNumber }, body: 'a' }),
          'InvalidArgument',
        );
      }
      for (const uploadId of ['', '../../x', 'a'.repeat(32)]) {
        assert.equal(
          await s3.refused('PUT', 'bad', { query: { uploadId, partNumber: '1' }, body: 'a' }),
          'NoSuchUpload',
        );
      }
      assert.equal(
        await s3.refused('PUT', 'other', { query: { uploadId: id, partNumber: '1' }, body: 'a' }),
        'NoSuchUpload',
      );
    });

    it('are listed until they are aborted', async () => {
      const { s3, state } = world;
      const ids = [await create('list/a'), await create('list/b'), await create('list/deep/c')];
      const query = { uploads: '', prefix: 'list/', delimiter: '/' };
      const { Upload, CommonPrefixes } = await s3.document(S3Uploads, 'GET', undefined, { query });
      assert.deepEqual(
        Upload.map(({ Key, UploadId }) => [Key, UploadId]),
        [
          ['list/a', ids[0]],
          ['list/b', ids[1]],
        ],
      );
      assert.deepEqual(CommonPrefixes, [{ Prefix: 'list/deep/' }]);
      const keys: string[] = [];
      let marker: Record<string, string> = {};
      for (;;) {
        const page = await s3.document(S3Uploads, 'GET', undefined, {
          query: { uploads: '', prefix: 'list/', 'max-uploads': '1', ...marker },
        });
        keys.push(...page.Upload.map(({ Key }) => Key));
        if (!page.IsTruncated) break;
        marker = { 'key-marker': page.NextKeyMarker ?? '', 'upload-id-marker': page.NextUploadIdMarker ?? '' };
      }
      assert.deepEqual(keys, ['list/a', 'list/b', 'list/deep/c']);
      for (const [index, key] of keys.entries()) await s3.ok('DELETE', key, { query: { uploadId: ids[index] ?? '' } });
      assert.ok(!(await readdir(path.join(state, 'uploads'))).some((name) => ids.includes(name)));
    });

    it('copy ranges of other objects', async () => {
      const { s3 } = world;
      await s3.put('ranged', '0123456789');
      const id = await create('from-range');
      const headers = { 'x-amz-copy-source': `/${s3.volumeId}/ranged`, 'x-amz-copy-source-range': 'bytes=2-5' };
      const { ETag } = await s3.document(S3CopyPartResult, 'PUT', 'from-range', {
        query: { uploadId: id, partNumber: '1' },
        headers,
      });
      await s3.ok('POST', 'from-range', { query: { uploadId: id }, body: parts([[1, ETag]]) });
      assert.equal(await s3.text('from-range'), '2345');
    });
  });

  describe('listings', () => {
    it('name the volumes of the account, and answer for one', async () => {
      const { s3, api } = world;
      const client = await ownerS3(api, '').ok('GET');
      assert.ok(readXml(S3Buckets, await client.text()).Buckets.Bucket.some(({ Name }) => Name === s3.volumeId));
      assert.equal((await s3.ok('HEAD')).status, 200);
      assert.match(await (await s3.ok('GET', undefined, { query: { location: '' } })).text(), /<LocationConstraint/);
      assert.equal(await s3.refused('PUT'), 'BucketAlreadyOwnedByYou');
      assert.equal(await s3.refused('DELETE'), 'MethodNotAllowed');
    });

    it('have pages, prefixes, and encoded keys in both versions', async () => {
      const { s3 } = world;
      for (const key of ['l/a', 'l/b c&', 'l/d/1', 'l/d/2', 'l/e']) await s3.put(key, 'x');
      const common = { prefix: 'l/', delimiter: '/', 'max-keys': '2', 'encoding-type': 'url' };
      const first = await s3.document(S3Objects, 'GET', undefined, { query: { ...common, 'list-type': '2' } });
      assert.deepEqual(
        first.Contents.map(({ Key }) => Key),
        ['l/a', 'l/b%20c%26'],
      );
      assert.deepEqual([first.IsTruncated, first.KeyCount, first.EncodingType], [true, 2, 'url']);
      const token = { 'continuation-token': first.NextContinuationToken ?? '' };
      const second = await s3.document(S3Objects, 'GET', undefined, {
        query: { ...common, 'list-type': '2', ...token },
      });
      assert.deepEqual([second.CommonPrefixes, second.Contents.map(({ Key }) => Key)], [[{ Prefix: 'l/d/' }], ['l/e']]);
      assert.equal(second.IsTruncated, false);
      const v1 = await s3.document(S3ObjectsV1, 'GET', undefined, { query: common });
      assert.equal(v1.NextMarker, 'l/b%20c%26');
      const after = await s3.document(S3ObjectsV1, 'GET', undefined, { query: { ...common, marker: 'l/b c&' } });
      assert.deepEqual(after.CommonPrefixes, [{ Prefix: 'l/d/' }]);
      const later = await s3.document(S3Objects, 'GET', undefined, {
        query: { 'list-type': '2', prefix: 'l/', 'start-after': 'l/d/1' },
      });
      assert.deepEqual(
        later.Contents.map(({ Key }) => Key),
        ['l/d/2', 'l/e'],
      );
      for (const query of [
        { 'max-keys': 'x' },
        { 'encoding-type': 'other' },
        { 'list-type': '2', 'continuation-token': '%%' },
      ]) {
        assert.equal(await s3.refused('GET', undefined, { query }), 'InvalidArgument');
      }
      const none = await s3.document(S3Objects, 'GET', undefined, { query: { 'list-type': '2', 'max-keys': '0' } });
      assert.deepEqual([none.Contents, none.IsTruncated], [[], false]);
    });
  });

  it('are reached with presigned addresses for one method', async () => {
    const { s3 } = world;
    const put = await fetch(await s3.presigned('PUT', 'presigned'), { method: 'PUT', body: 'abc' });
    assert.equal(put.status, 200);
    const get = await s3.presigned('GET', 'presigned');
    assert.equal(await (await fetch(get)).text(), 'abc');
    assert.equal(await codeOf(await fetch(get, { method: 'PUT', body: 'x' })), 'SignatureDoesNotMatch');
    assert.equal(await codeOf(await fetch(get.replace('presigned', 'other'))), 'SignatureDoesNotMatch');
    const page = await fetch(get);
    assert.equal(header(page, 'content-security-policy'), 'sandbox');
  });

  it('are refused with an honest code for what the platform does not do', async () => {
    const { s3 } = world;
    for (const parameter of ['acl', 'tagging', 'versionId', 'torrent', 'attributes', 'retention']) {
      for (const method of ['GET', 'PUT']) {
        assert.equal(
          await s3.refused(method, 'kept', { query: { [parameter]: '' } }),
          'NotImplemented',
          `${method} ?${parameter}`,
        );
      }
    }
    for (const headers of [
      { 'x-amz-acl': 'public-read' },
      { 'x-amz-server-side-encryption': 'AES256' },
      { 'x-amz-tagging': 'a=b' },
    ]) {
      assert.equal(await s3.refused('PUT', 'kept', { body: 'x', headers }), 'NotImplemented');
    }
    assert.equal(await s3.refused('PATCH', 'kept'), 'MethodNotAllowed');
  });
});
