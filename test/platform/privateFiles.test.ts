import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { operations } from '../../src/contract/operations.ts';
import { PLATFORM_EXIT_CODES } from '../../src/contract/launch/platformExit.ts';
import { launch } from './launch.ts';
import { Api, cleanUp, dataDirectory, endpointBody, platformForTest } from './support.ts';

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o7777;

/** Lists the files and directories below a directory whose mode is not private, as `name: mode`. */
async function listNonPrivate(directory: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const mode = await modeOf(file);
    if (mode !== (entry.isDirectory() ? 0o700 : 0o600)) found.push(`${entry.name}: ${mode.toString(8)}`);
  }
  return found;
}

describe('Privacy of the data directory', function () {
  // Windows has access lists instead of modes.
  if (process.platform === 'win32') return;
  afterEach(cleanUp);

  for (const umask of ['000', '022']) {
    it(`makes files private in a directory that others can read, with a umask of ${umask}`, async () => {
      const dataDir = await dataDirectory();
      await chmod(dataDir, 0o755);
      const platform = launchWithUmask(umask, dataDir);
      const api = new Api(await platform.announcement());
      await api.call(operations.createRegistry, { body: { name: 'r', username: 'u', password: 'p' } });
      await api.call(operations.createNetworkVolume, { body: { name: 'v', size: 10, dataCenter: 'EU-RO-1' } });
      const endpoint = await api.createEndpoint(endpointBody({ workers: { min: 0, max: 1 } }));
      await api.runSync(endpoint, { do: 'print', lines: 3 });
      assert.equal(await modeOf(dataDir), 0o700);
      assert.deepEqual(await listNonPrivate(dataDir), []);
      assert.ok((await readdir(dataDir)).includes('platform.sqlite-wal'));
      platform.kill('SIGTERM');
      await platform.exit;
      assert.deepEqual(await listNonPrivate(dataDir), []);
    });
  }

  it('makes files private that everyone can read', async () => {
    const dataDir = await dataDirectory();
    const first = await platformForTest({ dataDir });
    await first.api.call(operations.createRegistry, { body: { name: 'r', username: 'u', password: 'p' } });
    await first.api.call(operations.createNetworkVolume, { body: { name: 'v', size: 10, dataCenter: 'EU-RO-1' } });
    await first.platform.close();
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      await chmod(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o777 : 0o666);
    }
    await platformForTest({ dataDir });
    assert.deepEqual(await listNonPrivate(dataDir), []);
  });

  it('does not change files of other programs', async () => {
    const dataDir = await dataDirectory();
    await writeFile(path.join(dataDir, 'notes.txt'), '', { mode: 0o644 });
    await chmod(path.join(dataDir, 'notes.txt'), 0o644);
    await platformForTest({ dataDir });
    assert.equal(await modeOf(path.join(dataDir, 'notes.txt')), 0o644);
  });

  it('refuses a directory or a file of another user, with the command that fixes it', async function () {
    // Only the superuser can change the owner of a file.
    if (process.getuid?.() !== 0) this.skip();
    const other = await dataDirectory();
    await chown(other, 65534, 65534);
    const file = await dataDirectory();
    await writeFile(path.join(file, 'platform.sqlite'), '');
    await chown(path.join(file, 'platform.sqlite'), 65534, 65534);
    for (const dataDir of [other, file]) {
      const { code, stderr } = await launch(['--data-dir', dataDir]).exit;
      assert.equal(code, PLATFORM_EXIT_CODES.dataDirUnusable, stderr);
      assert.match(stderr, /belongs to another user/);
      const command = /"(chown -R [^"]+)"/.exec(stderr)?.[1] ?? assert.fail(stderr);
      await promisify(execFile)('sh', ['-c', command]);
      await platformForTest({ dataDir }).then(({ platform }) => platform.close());
    }
  });

  it('refuses a directory that all users share', async () => {
    const shared = await dataDirectory();
    await chmod(shared, 0o1777);
    const { code, stderr } = await launch(['--data-dir', shared]).exit;
    assert.equal(code, PLATFORM_EXIT_CODES.dataDirUnusable);
    assert.match(stderr, /is shared by all users.*--data-dir/);
    assert.equal(await modeOf(shared), 0o1777);
    assert.deepEqual(await readdir(shared), []);
  });

  it('refuses a directory that its user cannot write to, with the command that fixes it', async function () {
    const dataDir = await dataDirectory();
    const readOnly = path.join(dataDir, 'platform');
    await mkdir(readOnly, { mode: 0o555 });
    // The superuser can write to all directories.
    if (process.getuid?.() === 0) this.skip();
    const { code, stderr } = await launch(['--data-dir', readOnly]).exit;
    assert.equal(code, PLATFORM_EXIT_CODES.dataDirUnusable);
    assert.match(stderr, /chmod u\+rwx/);
  });
});

/** Launches the platform with a umask. The umask of this process changes briefly, because child processes inherit it. */
function launchWithUmask(umask: string, dataDir: string) {
  const before = process.umask(Number.parseInt(umask, 8));
  try {
    return launch(['--json', '--data-dir', dataDir]);
  } finally {
    process.umask(before);
  }
}
