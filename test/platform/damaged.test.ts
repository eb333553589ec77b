import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, mkdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { operations } from '../../src/contract/operations.ts';
import { PLATFORM_EXIT_CODES, type PlatformExitReason } from '../../src/contract/launch/platformExit.ts';
import { StartFailure } from '../../src/platform/startFailure.ts';
import { startPlatform } from '../../src/platform/daemon/start.ts';
import { launch } from './launch.ts';
import { afterwards, Api, cleanUp, dataDirectory, platformForTest } from './support.ts';

/** Page size that SQLite uses by default. */
const PAGE_BYTES = 4096;

describe('Damaged data directory', () => {
  afterEach(cleanUp);

  /** Returns a data directory that a stopped platform left behind. */
  async function usedDataDirectory(): Promise<string> {
    const dataDir = await dataDirectory();
    const { platform, api } = await platformForTest({ dataDir });
    for (let count = 0; count < 40; count++) {
      await api.createEndpoint({ name: 'n'.repeat(300), env: { TOKEN: 'x' }, workers: { min: 0, max: 0 } });
    }
    await platform.close();
    return dataDir;
  }

  const damages: Record<string, [(file: (name: string) => string) => Promise<unknown>, PlatformExitReason, RegExp]> = {
    'a database file that is not a database': [
      (file) => writeFile(file('platform.sqlite'), 'this is not a database'),
      'dataDirUnusable',
      /platform\.sqlite cannot be opened: .*repair or move that file/,
    ],
    'a database with overwritten pages': [
      async (file) => {
        const bytes = await readFile(file('platform.sqlite'));
        await writeFile(file('platform.sqlite'), bytes.fill(0xa5, 4096));
      },
      'dataDirUnusable',
      /platform\.sqlite cannot be opened: .*repair or move that file/,
    ],
    'a truncated database': [
      async (file) => truncate(file('platform.sqlite'), ((await stat(file('platform.sqlite'))).size / 2) | 0),
      'dataDirUnusable',
      /platform\.sqlite cannot be opened: .*repair or move that file/,
    ],
    'a database that is a directory': [
      async (file) => {
        await rm(file('platform.sqlite'));
        await mkdir(file('platform.sqlite'));
      },
      'dataDirUnusable',
      /platform\.sqlite cannot be opened: .*repair or move that file/,
    ],
    'a log database file that is not a database': [
      (file) => writeFile(file('logs.sqlite'), 'this is not a database'),
      'dataDirUnusable',
      /logs\.sqlite cannot be opened: .*repair or move that file/,
    ],
    'a log database with overwritten pages': [
      async (file) => {
        const bytes = await readFile(file('logs.sqlite'));
        await writeFile(file('logs.sqlite'), bytes.fill(0xa5, PAGE_BYTES));
      },
      'dataDirUnusable',
      /logs\.sqlite cannot be opened: .*repair or move that file/,
    ],
    'a database of another version': [
      (file) => {
        const database = new DatabaseSync(file('platform.sqlite'));
        database.exec('PRAGMA user_version = 999');
        database.close();
        return Promise.resolve();
      },
      'dataDirVersion',
      /another version.*use that version/,
    ],
    'a key that is too short': [
      (file) => truncate(file('secrets.key'), 7),
      'dataDirUnusable',
      /secrets\.key is not a key: it must have 32 bytes: restore the original key/,
    ],
    'a key that is missing': [
      (file) => rm(file('secrets.key')),
      'dataDirUnusable',
      /secrets\.key is missing: restore the original key.*move .*platform\.sqlite away/,
    ],
    'the key of another data directory': [
      (file) => writeFile(file('secrets.key'), Buffer.alloc(32, 7)),
      'dataDirUnusable',
      /secrets\.key is not the key that the stored secrets were encrypted with: restore the original key/,
    ],
    'a key that is a directory': [
      async (file) => {
        await rm(file('secrets.key'));
        await mkdir(file('secrets.key'));
      },
      'dataDirUnusable',
      /secrets\.key cannot be read/,
    ],
    'a session key that is a directory': [
      async (file) => {
        await rm(file('session.key'));
        await mkdir(file('session.key'));
      },
      'dataDirUnusable',
      /session\.key.*make that file writable/,
    ],
  };

  for (const [what, [damage, reason, words]] of Object.entries(damages)) {
    it(`is refused with a message and a remedy: ${what}`, async () => {
      const dataDir = await usedDataDirectory();
      await damage((name) => path.join(dataDir, name));
      const { code, stderr } = await launch(['--data-dir', dataDir]).exit;
      assert.equal(code, PLATFORM_EXIT_CODES[reason], stderr);
      const lines = stderr
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith('{'));
      assert.equal(lines.length, 1, stderr);
      assert.match(lines[0] ?? '', words);
      assert.doesNotMatch(stderr, /\n\s+at /);
    });
  }

  it('stops the platform with a message and a remedy if the damage shows only after the start', async () => {
    const intact = await usedDataDirectory();
    const database = new DatabaseSync(path.join(intact, 'platform.sqlite'));
    const roots = database
      .prepare('SELECT name, rootpage FROM sqlite_master WHERE name IN (?, ?, ?, ?)')
      .all('endpoints', 'runs', 'accounts', 'webhooks_by_receiver');
    database.close();
    assert.equal(roots.length, 4);
    for (const { name, rootpage } of roots) {
      const dataDir = await dataDirectory();
      await cp(intact, dataDir, { recursive: true });
      const file = path.join(dataDir, 'platform.sqlite');
      const bytes = await readFile(file);
      const end = (rootpage as number) * PAGE_BYTES;
      await writeFile(file, bytes.fill(0xa5, end - PAGE_BYTES, end));
      const { code, stderr } = await launch(['--data-dir', dataDir]).exit;
      assert.equal(code, PLATFORM_EXIT_CODES.dataDirUnusable, `${name as string}: ${stderr}`);
      const lines = stderr
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith('{'));
      assert.equal(lines.length, 1, `${name as string}: ${stderr}`);
      assert.match(lines[0] ?? '', /platform\.sqlite .*repair or move that file/);
    }
  });

  it('works without data loss after its key is restored', async () => {
    const dataDir = await usedDataDirectory();
    const [key, copy] = [path.join(dataDir, 'secrets.key'), path.join(await dataDirectory(), 'copy')];
    await copyFile(key, copy);
    await rm(key);
    await assert.rejects(startPlatform({ dataDir }), /secrets\.key is missing/);
    await assert.rejects(stat(key), 'no new key was created');
    await copyFile(copy, key);
    const { api } = await platformForTest({ dataDir });
    const { endpoints } = await api.call(operations.listEndpoints, { query: { limit: 1 } });
    assert.deepEqual(endpoints[0]?.env, { TOKEN: 'x' });
  });

  describe('with a lock that contains the PID of another program', () => {
    async function startOtherProgram(): Promise<number> {
      const child = spawn(process.execPath, ['--eval', 'process.stdin.resume()'], { stdio: 'pipe' });
      await once(child, 'spawn');
      afterwards(async () => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      });
      return child.pid ?? assert.fail('the child has no PID');
    }

    const lockWith = async (lock: object): Promise<string> => {
      const dataDir = await dataDirectory();
      await writeFile(path.join(dataDir, 'platform.lock'), JSON.stringify(lock));
      return dataDir;
    };

    it('is refused with a message and a remedy while that process could be a starting platform', async () => {
      const pid = await startOtherProgram();
      const dataDir = await lockWith({ pid, processStart: null, holder: 'another' });
      await assert.rejects(startPlatform({ dataDir }), (failure) => {
        assert.ok(failure instanceof StartFailure);
        assert.equal(failure.reason, 'dataDirInUse');
        assert.match(failure.message, new RegExp(`process ${pid}.*another program, remove .*platform\\.lock`));
        return true;
      });
    });

    it('is taken over after the time in which a platform would have announced itself', async () => {
      const pid = await startOtherProgram();
      for (const lock of [{}, { leaving: true }]) {
        const dataDir = await lockWith({ pid, processStart: null, holder: 'another', ...lock });
        const old = new Date(Date.now() - 120_000);
        await utimes(path.join(dataDir, 'platform.lock'), old, old);
        await (await startPlatform({ dataDir })).close();
      }
    });

    it('is taken over if the PID is not valid', async () => {
      for (const pid of [0, -1, 2 ** 31, 2 ** 53]) {
        const dataDir = await lockWith({ pid, processStart: null, holder: 'another' });
        const platform = launch(['--json', '--data-dir', dataDir]);
        await new Api(await platform.announcement()).call(operations.listEndpoints);
        platform.kill('SIGTERM');
        await platform.exit;
      }
    });
  });
});
