import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { PLATFORM_EXIT_CODES } from '../../src/contract/launch/platformExit.ts';
import { findRunning } from '../../src/platform/daemon/attach.ts';
import { launch } from './launch.ts';
import { Api, cleanUp, dataDirectory, platformForTest } from './support.ts';

const KEY = 'a-key-that-must-stay-secret';
const lockOf = (dataDir: string): string => path.join(dataDir, 'platform.lock');

describe("The owner's key", () => {
  afterEach(cleanUp);

  it('is read from the first line of standard input, which stays open', async () => {
    const platform = launch(['--json', '--in-memory', '--stop-with-stdin', '--api-key-file', '-']);
    platform.stdin.write(`${KEY}\n`);
    const announcement = await platform.announcement();
    assert.equal(announcement.apiKey, KEY);
    await new Api(announcement).call(operations.listEndpoints);
    platform.stdin.end();
    assert.equal((await platform.exit).code, 0);
  });

  it('is read from a file, or from the environment without being passed to workers', async () => {
    const file = path.join(await dataDirectory(), 'key');
    await writeFile(file, `${KEY}\n`);
    const fromFile = await launch(['--json', '--in-memory', '--api-key-file', file]).announcement();
    assert.equal(fromFile.apiKey, KEY);
    const platform = launch(['--json', '--in-memory'], { env: { CLOUD_COMPUTE_API_KEY: KEY } });
    const announcement = await platform.announcement();
    assert.equal(announcement.apiKey, KEY);
    const api = new Api(announcement);
    const endpoint = await api.createEndpoint();
    const { output } = await api.runSync(endpoint, { do: 'environment' });
    assert.ok(!JSON.stringify(output).includes(KEY));
  });

  it('is random if the line is empty', async () => {
    const platform = launch(['--json', '--in-memory', '--api-key-file', '-'], { env: { CLOUD_COMPUTE_API_KEY: KEY } });
    platform.stdin.write('\n');
    const { apiKey } = await platform.announcement();
    assert.ok(apiKey.length >= 32 && apiKey !== KEY);
  });

  it('is neither in a file of the data directory nor in the process list', async () => {
    const dataDir = await dataDirectory();
    const platform = launch(['--json', '--data-dir', dataDir, '--api-key-file', '-']);
    platform.stdin.write(`${KEY}\n`);
    const { pid } = await platform.announcement();
    assert.ok(!(await readFile(lockOf(dataDir), 'utf8')).includes(KEY));
    if (process.platform === 'linux') {
      for (const name of ['cmdline', 'environ']) {
        assert.ok(!(await readFile(`/proc/${pid}/${name}`, 'utf8')).includes(KEY), name);
      }
    }
    if (process.platform !== 'win32') {
      const { stdout } = await promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)]);
      assert.match(stdout, /--api-key-file/);
      assert.ok(!stdout.includes(KEY));
    }
  });

  it('is refused with a message if it is given twice, is empty, or is not a valid key', async () => {
    const directory = await dataDirectory();
    const [empty, odd] = ['empty', 'odd'].map((name) => path.join(directory, name)) as [string, string];
    await writeFile(empty, '\n');
    await writeFile(odd, 'größe\n');
    for (const [flags, words] of [
      [['--api-key', KEY, '--api-key-file', odd], /--api-key and --api-key-file exclude each other/],
      [['--api-key-file', empty], /empty is empty/],
      [['--api-key-file', odd], /printable ASCII characters/],
      [['--api-key-file', path.join(directory, 'nowhere')], /nowhere cannot be read/],
      [['--host', '0.0.0.0', '--api-key-file', '-'], /at least 16 characters/],
    ] as const) {
      const platform = launch(['--in-memory', ...flags]);
      platform.stdin.end('short\n');
      const { code, stderr } = await platform.exit;
      assert.equal(code, PLATFORM_EXIT_CODES.badFlag, stderr);
      assert.match(stderr, words);
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
    }
  });

  it('is created at the first start if asked for, and is then in a private file instead of the output', async () => {
    const dataDir = await dataDirectory();
    const file = path.join(dataDir, 'api-key');
    const first = launch(['--create-api-key', '--data-dir', dataDir]);
    await first.firstLine;
    const key = (await readFile(file, 'utf8')).trim();
    assert.ok(key.length >= 32);
    if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, 0o600);
    first.kill('SIGTERM');
    const { stdout, stderr } = await first.exit;
    assert.ok(stdout.includes(`API key       in ${file}\n`), stdout);
    assert.ok(!(stdout + stderr).includes(key));
    const second = await launch(['--json', '--create-api-key', '--data-dir', dataDir]).announcement();
    assert.equal(second.apiKey, key);
    const other = launch(['--json', '--create-api-key', '--data-dir', dataDir]);
    assert.equal((await other.announcement()).apiKey, key, 'a second process finds the running platform');
  });

  it('refuses a created key that was damaged', async () => {
    const dataDir = await dataDirectory();
    await writeFile(path.join(dataDir, 'api-key'), '\n');
    const { code, stderr } = await launch(['--create-api-key', '--data-dir', dataDir]).exit;
    assert.equal(code, PLATFORM_EXIT_CODES.dataDirUnusable);
    assert.match(stderr, /api-key cannot be used: .* or remove it to create another key/);
  });

  it('on the command line is documented as readable by other programs', async () => {
    const { stdout } = await launch(['--help']).exit;
    assert.match(stdout.replace(/\s+/g, ' '), /--api-key KEY [^-]*other programs of the same user can read it/);
  });

  describe('is shared with another window', () => {
    it('that already has the key, without sending it', async () => {
      const dataDir = await dataDirectory();
      const { platform, api } = await platformForTest({ dataDir, apiKey: KEY });
      assert.deepEqual(await findRunning(dataDir, KEY), platform.announcement);
      const { requests } = await api.call(controlOperations.listRequests);
      assert.deepEqual(requests, []);
    });

    it('that has no key and proves that it can read the lock', async () => {
      const dataDir = await dataDirectory();
      const { platform } = await platformForTest({ dataDir, apiKey: KEY });
      assert.deepEqual(await findRunning(dataDir), platform.announcement);
    });

    it('but not with one that has another key, which gets an error message', async () => {
      const dataDir = await dataDirectory();
      await platformForTest({ dataDir, apiKey: KEY });
      assert.equal(await findRunning(dataDir, 'another'), 'otherKey');
      const other = launch(['--json', '--data-dir', dataDir, '--api-key-file', '-']);
      other.stdin.write('another\n');
      const { code, stderr } = await other.exit;
      assert.equal(code, PLATFORM_EXIT_CODES.dataDirInUse);
      assert.match(stderr, /with another API key/);
    });

    it('but not with one that cannot read the lock and sends an invented or replayed proof', async () => {
      const dataDir = await dataDirectory();
      const { api } = await platformForTest({ dataDir, apiKey: KEY });
      const headers = { Authorization: '' };
      const identity = (challenge: string) =>
        api.call(controlOperations.getIdentity, { query: { challenge }, headers });
      const { nonce = '' } = await identity('0123456789abcdef');
      await api.refused(403, controlOperations.handOverKey, { body: { nonce, proof: 'f'.repeat(64) }, headers });
      const { nonce: second = '' } = await identity('0123456789abcdef');
      // The platform proves itself for any challenge. Its proofs must not work in the other direction.
      for (const challenge of [second, `key ${second}`]) {
        const { nonce: fresh = '' } = await identity('0123456789abcdef');
        const { proof } = await identity(challenge);
        await api.refused(403, controlOperations.handOverKey, { body: { nonce: second, proof }, headers });
        const echoed = await identity(fresh);
        await api.refused(403, controlOperations.handOverKey, { body: { nonce: fresh, proof: echoed.proof }, headers });
      }
    });

    it('only once for each proof', async () => {
      const dataDir = await dataDirectory();
      const { api } = await platformForTest({ dataDir, apiKey: KEY });
      const { holder } = JSON.parse(await readFile(lockOf(dataDir), 'utf8')) as { holder: string };
      const { keyRequestProof } = await import('../../src/platform/control/keyHandOver.ts');
      const { nonce = '' } = await api.call(controlOperations.getIdentity, {
        query: { challenge: '0123456789abcdef' },
      });
      const request = { body: { nonce, proof: keyRequestProof(holder, nonce) }, headers: { Authorization: '' } };
      assert.deepEqual(await api.call(controlOperations.handOverKey, request), { apiKey: KEY });
      await api.refused(403, controlOperations.handOverKey, request);
    });
  });
});
