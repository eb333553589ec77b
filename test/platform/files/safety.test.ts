import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHmac, hash } from 'node:crypto';
import http from 'node:http';
import { mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import { operations } from '../../../src/contract/operations.ts';
import { S3Buckets, S3Objects } from '../../../src/contract/s3/s3Documents.ts';
import { s3DateTime } from '../../../src/contract/s3/s3Signing.ts';
import { readXml } from '../../../src/contract/s3/xml.ts';
import { parseKey } from '../../../src/platform/files/objectKey.ts';
import { systemClock } from '../../../src/platform/time/clock.ts';
import { cleanUp, dataDirectory, eventually, platformForTest, type Api } from '../support.ts';
import { createVolume, directoriesOf, ownerS3, S3, s3Failure, s3World, type S3World } from './s3Client.ts';

const keysOf = async (s3: S3): Promise<string[]> =>
  (await s3.document(S3Objects, 'GET', undefined, { query: { 'list-type': '2' } })).Contents.map(({ Key }) => Key);

describe('the S3 interface', () => {
  afterEach(cleanUp);

  describe('names of objects', () => {
    const hostile = ['../a', 'a/../../b', '/etc/passwd', 'a//b', './a', 'a/.', 'a/..', '..', '.', 'a\0b', '\ud800', ''];
    for (const key of hostile) {
      it(`refuses ${JSON.stringify(key)}`, () => {
        assert.throws(() => parseKey(key), s3Failure('InvalidArgument'));
      });
    }

    it('refuses keys and names that are too long', () => {
      assert.throws(() => parseKey('a/'.repeat(513)), s3Failure('KeyTooLongError'));
      assert.throws(() => parseKey('ü'.repeat(128)), s3Failure('KeyTooLongError'));
      assert.ok(parseKey(`${'ü'.repeat(127)}/a`));
    });

    it('refuses what Windows would read as another name, on Windows alone', () => {
      for (const key of ['a\\..\\b', 'C:/a', 'a:stream', 'con', 'nul.txt', 'a.', 'a ', 'a\u0001']) {
        assert.throws(() => parseKey(key, 'win32'), s3Failure('InvalidArgument'), key);
        assert.ok(parseKey(key, 'linux'));
      }
    });

    it('never leave the volume over HTTP', async () => {
      const { s3, dataDir } = await s3World();
      const before = await readdir(dataDir);
      for (const key of ['../escape', 'a/../../escape', '/tmp/escape', '..\\escape/..']) {
        assert.equal(await rawRefusal(s3, key), 'InvalidArgument', key);
      }
      assert.deepEqual(await readdir(dataDir), before);
    });
  });

  describe('links that workers make', () => {
    before(function () {
      if (process.platform === 'win32') this.skip();
    });

    it('serve files of the volume only', async () => {
      const { s3, directory, dataDir } = await s3World();
      await writeFile(path.join(dataDir, 'secret'), 'secret');
      await mkdir(path.join(directory, 'blobs'));
      await writeFile(path.join(directory, 'blobs/one'), 'inside');
      await symlink('blobs/one', path.join(directory, 'inside'));
      await symlink('../../secret', path.join(directory, 'outside'));
      await symlink(path.join(dataDir, 'secret'), path.join(directory, 'absolute'));
      await symlink('..', path.join(directory, 'parent'));
      await symlink('.', path.join(directory, 'circle'));
      await symlink('inside', path.join(directory, 'chain'));
      await symlink('missing', path.join(directory, 'broken'));
      assert.deepEqual(await keysOf(s3), ['blobs/one', 'chain', 'inside']);
      assert.equal(await s3.text('inside'), 'inside');
      for (const key of ['outside', 'absolute', 'parent/secret', 'circle/inside', 'broken']) {
        assert.equal(await s3.refused('GET', key), 'NoSuchKey', key);
      }
      assert.equal(await s3.refused('PUT', 'parent/escape', { body: 'x' }), 'ParentIsFile');
      assert.equal(await s3.refused('PUT', 'circle/x', { body: 'x' }), 'ParentIsFile');
      await s3.ok('DELETE', 'parent/secret');
      await s3.put('outside', 'replaced');
      await s3.ok('DELETE', 'absolute');
      assert.equal(await readFile(path.join(dataDir, 'secret'), 'utf8'), 'secret');
      assert.equal(await s3.text('outside'), 'replaced');
    });

    it('lead nowhere while a worker exchanges a directory for a link', async () => {
      const { s3, directory, dataDir } = await s3World();
      const outside = path.join(dataDir, 'outside');
      await mkdir(outside);
      await writeFile(path.join(outside, 'file'), 'secret');
      await mkdir(path.join(directory, 'real'));
      await writeFile(path.join(directory, 'real/file'), 'public');
      await symlink(outside, path.join(directory, 'link'));
      let isRacing = true;
      const place = path.join(directory, 'place');
      const exchange = async (name: string): Promise<void> => {
        try {
          await rename(path.join(directory, name), place);
        } catch {
          // A PUT creates the directory if there is none.
          await rm(place, { recursive: true, force: true });
          return;
        }
        await rename(place, path.join(directory, name));
      };
      const race = (async () => {
        while (isRacing) for (const name of ['real', 'link']) await exchange(name);
      })();
      const texts = new Set<string>();
      for (let turn = 0; turn < 40; turn++) {
        const [read] = await Promise.all([
          s3.call('GET', 'place/file'),
          s3.call('PUT', `place/new-${turn}`, { body: 'x' }),
          s3.call('DELETE', 'place/file-of-nobody'),
          s3.call('GET', undefined, { query: { 'list-type': '2' } }),
        ]);
        texts.add(read.ok ? await read.text() : 'refused');
      }
      isRacing = false;
      await race;
      assert.ok(!texts.has('secret'));
      assert.deepEqual(await readdir(outside), ['file']);
    });

    it('are the only special files that count: pipes and sockets are no objects', async () => {
      const { s3, directory } = await s3World();
      execFileSync('mkfifo', [path.join(directory, 'pipe')]);
      await s3.put('file', 'x');
      assert.deepEqual(await keysOf(s3), ['file']);
      assert.equal(await s3.refused('GET', 'pipe'), 'NoSuchKey');
    });
  });

  describe('the size of a volume', () => {
    it('is a limit for objects, parts, and the files of workers together', async () => {
      const { s3, directory } = await s3World();
      const file = path.join(directory, 'worker.bin');
      await writeFile(file, '');
      await truncate(file, 10_000_000_000 - 100);
      await s3.put('fits', 'x'.repeat(60));
      assert.equal(await s3.refused('PUT', 'too-large', { body: 'x'.repeat(60) }), 'QuotaExceeded');
      assert.equal((await s3.call('HEAD', 'too-large')).status, 404);
      const headers = { 'x-amz-copy-source': `/${s3.volumeId}/fits` };
      assert.equal(await s3.refused('PUT', 'copy', { headers }), 'QuotaExceeded');
      await s3.ok('DELETE', 'fits');
      await s3.put('again', 'x'.repeat(60));
      await rm(file);
      await s3.put('large', 'x'.repeat(1_000));
    });

    it('is a limit for contents that arrive at the same time', async () => {
      const { s3, directory } = await s3World();
      await writeFile(path.join(directory, 'worker.bin'), '');
      await truncate(path.join(directory, 'worker.bin'), 10_000_000_000 - 100);
      const statuses = await Promise.all(
        Array.from(
          { length: 6 },
          async (_, index) => (await s3.call('PUT', `k${index}`, { body: 'x'.repeat(40) })).status,
        ),
      );
      assert.equal(statuses.filter((status) => status === 200).length, 2);
    });
  });

  describe('keys', () => {
    const userKey = async (
      api: Api,
      changes: object = {},
    ): Promise<{ id: string; accessKeyId: string; secretAccessKey: string }> => {
      const created = await api.call(controlOperations.createApiKey, { body: { name: 'key', ...changes } });
      return { id: created.id, accessKeyId: created.s3AccessKeyId, secretAccessKey: created.s3SecretAccessKey };
    };

    it('see only the volumes of their account', async () => {
      const { api, s3 } = await s3World();
      await s3.put('private', 'x');
      const { id: accountId } = await api.call(controlOperations.createUser, { body: { name: 'Ada' } });
      const ada = new S3(api.addresses.s3Url, await userKey(api, { accountId }), s3.volumeId);
      assert.equal(await ada.refused('GET', 'private'), 'NoSuchBucket');
      assert.equal(await ada.refused('PUT', 'private', { body: 'y' }), 'NoSuchBucket');
      const buckets = new S3(api.addresses.s3Url, await userKey(api, { accountId }), '');
      assert.deepEqual(readXml(S3Buckets, await (await buckets.ok('GET')).text()).Buckets.Bucket, []);
    });

    it('have the permissions of their API key', async () => {
      const { api, s3 } = await s3World();
      await s3.put('file', 'x');
      const reader = new S3(
        api.addresses.s3Url,
        await userKey(api, { permissions: ['network-volumes:read'] }),
        s3.volumeId,
      );
      assert.equal(await reader.text('file'), 'x');
      for (const [method, query] of [
        ['PUT', {}],
        ['DELETE', {}],
        ['POST', { uploads: '' }],
      ] as const) {
        assert.equal(
          await reader.refused(method, 'file', { query, ...(method === 'PUT' ? { body: 'y' } : {}) }),
          'AccessDenied',
        );
      }
      const caller = new S3(api.addresses.s3Url, await userKey(api, { permissions: ['invoke'] }), s3.volumeId);
      assert.equal(await caller.refused('GET', 'file'), 'AccessDenied');
    });

    it('end at once with their API key, or when it expires', async () => {
      const { api, s3 } = await s3World();
      const key = await userKey(api, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
      const client = new S3(api.addresses.s3Url, key, s3.volumeId);
      await client.put('file', 'x');
      const lasting = new S3(api.addresses.s3Url, await userKey(api), s3.volumeId);
      await api.call(controlOperations.setClock, { body: { advanceMs: 3_600_001 } });
      assert.equal(await client.refused('GET', 'file'), 'InvalidAccessKeyId');
      assert.equal(await lasting.text('file'), 'x');
      const keys = await api.call(controlOperations.listApiKeys);
      for (const { id } of keys.keys) await api.call(controlOperations.revokeApiKey, { parameters: { id } });
      assert.equal(await lasting.refused('GET', 'file'), 'InvalidAccessKeyId');
    });

    it('stay the same after a restart, and change with the key of the owner', async () => {
      const dataDir = await dataDirectory();
      const first = await platformForTest({ dataDir, apiKey: 'first-key' });
      const key = await userKey(first.api);
      const volumeId = await createVolume(first.api);
      await first.platform.close();
      const second = await platformForTest({ dataDir, apiKey: 'first-key' });
      const { s3AccessKeyId, s3SecretAccessKey } = first.platform.announcement;
      assert.deepEqual(
        [second.platform.announcement.s3AccessKeyId, second.platform.announcement.s3SecretAccessKey],
        [s3AccessKeyId, s3SecretAccessKey],
      );
      await new S3(second.api.addresses.s3Url, key, volumeId).put('file', 'x');
      await second.platform.close();
      const lock = await readFile(path.join(dataDir, 'platform.lock'), 'utf8').catch(() => '');
      assert.ok(!lock.includes(s3SecretAccessKey));
      const third = await platformForTest({ dataDir, apiKey: 'second-key' });
      assert.notEqual(third.platform.announcement.s3SecretAccessKey, s3SecretAccessKey);
    });

    it('are refused with a wrong secret, and for requests without a signature', async () => {
      const { api, s3 } = await s3World();
      const { s3AccessKeyId: accessKeyId, s3Url } = api.addresses;
      const wrong = new S3(s3Url, { accessKeyId, secretAccessKey: 'wrong' }, s3.volumeId);
      assert.equal(await wrong.refused('GET', 'file'), 'SignatureDoesNotMatch');
      const unknown = new S3(s3Url, { accessKeyId: 'unknown', secretAccessKey: 'wrong' }, s3.volumeId);
      assert.equal(await unknown.refused('GET', 'file'), 'InvalidAccessKeyId');
      assert.equal((await fetch(s3.url('file'))).status, 401);
    });
  });

  it('refuses requests at another time than that of this machine, even if the clock of the platform is advanced', async () => {
    let ahead = 0;
    const clock = { ...systemClock, now: () => Date.now() + ahead };
    const { api, s3 } = await s3World({ clock });
    await api.call(controlOperations.setClock, { body: { advanceMs: 86_400_000 } });
    await s3.put('file', 'x');
    ahead = 16 * 60_000;
    assert.equal(await s3.refused('GET', 'file'), 'RequestTimeTooSkewed');
  });

  it('shows its requests in the request log without the parameters of signatures', async () => {
    const { api, s3 } = await s3World();
    await fetch(await s3.presigned('GET', 'missing'));
    await eventually('the request is logged', async () => {
      const { requests } = await api.call(controlOperations.listRequests);
      return requests.some(({ path: logged, status }) => logged === `/${s3.volumeId}/missing` && status === 404);
    });
  });

  it('removes the records and uploads of a deleted volume', async () => {
    const { api, s3, state, directory } = await s3World();
    await s3.put('file', 'x');
    await api.call(operations.deleteNetworkVolume, { parameters: { id: s3.volumeId } });
    for (const gone of [state, directory]) await assert.rejects(readdir(gone), { code: 'ENOENT' });
    assert.equal(await s3.refused('GET', 'file'), 'NoSuchBucket');
  });

  it('keeps nothing of a body that ends early', async () => {
    const { s3, state, directory } = await s3World();
    const signed = new URL(await s3.presigned('PUT', 'part'));
    const request = http.request(signed, { method: 'PUT', headers: { 'Content-Length': 1_000_000 } });
    request.on('error', () => undefined);
    request.write(Buffer.alloc(500_000));
    await eventually(
      'the body arrives',
      async () => (await readdir(path.join(state, 'new')).catch(() => [])).length > 0,
    );
    request.destroy();
    await eventually('the file is removed', async () => (await readdir(path.join(state, 'new'))).length === 0);
    assert.deepEqual(await readdir(directory), []);
  });

  it('removes records without files, and files that were not finished, at its start', async () => {
    const dataDir = await dataDirectory();
    const first = await platformForTest({ dataDir, apiKey: 'the-key' });
    const volumeId = await createVolume(first.api);
    const { state, directory } = directoriesOf(dataDir, volumeId);
    await ownerS3(first.api, volumeId).put('gone', 'x');
    const etag = (await ownerS3(first.api, volumeId).put('kept', 'x')).headers.get('etag');
    await rm(path.join(directory, 'gone'));
    await first.platform.close();
    await writeFile(path.join(state, 'new', 'left'), 'x');
    const second = await platformForTest({ dataDir, apiKey: 'the-key' });
    await eventually('one record is left', async () => {
      const records = await readdir(path.join(state, 'objects'), { recursive: true });
      return records.filter((name) => name.includes('-')).length === 1;
    });
    assert.equal((await ownerS3(second.api, volumeId).ok('HEAD', 'kept')).headers.get('etag'), etag);
    await assert.rejects(readdir(path.join(state, 'new')), { code: 'ENOENT' });
  });
});

/** Sends a key that a URL and its signer would resolve. Returns the code of the refusal. */
async function rawRefusal(s3: S3, key: string): Promise<string> {
  const target = new URL(s3.url('any'));
  const { accessKeyId, secretAccessKey } = s3.key;
  const dateTime = s3DateTime(Date.now());
  const scope = `${dateTime.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const query = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${encodeURIComponent(`${accessKeyId}/${scope}`)}`,
    `X-Amz-Date=${dateTime}`,
    'X-Amz-Expires=60',
    'X-Amz-SignedHeaders=host',
  ].join('&');
  const route = `/${s3.volumeId}/${encodeURIComponent(key).replaceAll('%2F', '/')}`;
  const canonical = ['PUT', route, query, `host:${target.host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const text = ['AWS4-HMAC-SHA256', dateTime, scope, hash('sha256', canonical)].join('\n');
  const signing = scope
    .split('/')
    .reduce<Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      Buffer.from(`AWS4${secretAccessKey}`),
    );
  const signature = createHmac('sha256', signing).update(text).digest('hex');
  return new Promise((resolve, reject) => {
    const options = {
      host: target.hostname,
      port: target.port,
      method: 'PUT',
      path: `${route}?${query}&X-Amz-Signature=${signature}`,
    };
    const request = http.request(options, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve(/<Code>(\w+)<\/Code>/.exec(body)?.[1] ?? `status ${response.statusCode ?? 0}`));
    });
    request.on('error', reject).end('x');
  });
}
