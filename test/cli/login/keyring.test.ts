import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { systemKeyring, type KeyringError } from '../../../src/cli/login/keyring.ts';
import { cleanUp, dataDirectory } from '../../platform/support.ts';

const KEY = 'a"key\\with$signs';

/** Programs of other operating systems are stand-ins that record their arguments and their input. */
describe('The keyring', () => {
  let folder: string;
  const { PATH } = process.env;

  beforeEach(async () => {
    folder = await dataDirectory();
    process.env['PATH'] = `${folder}:${PATH}`;
  });
  afterEach(async () => {
    process.env['PATH'] = PATH;
    await cleanUp();
  });

  async function install(program: string, script: string): Promise<void> {
    const file = path.join(folder, program);
    await writeFile(file, `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/args\ncat > ${folder}/input\n${script}\n`);
    await chmod(file, 0o755);
  }
  const args = async () => (await readFile(path.join(folder, 'args'), 'utf8')).trimEnd().split('\n');
  const input = () => readFile(path.join(folder, 'input'), 'utf8');

  describe('of macOS', () => {
    const keychain = systemKeyring('darwin');

    it('gets a key with a quoted command on standard input, and no argument', async () => {
      await install('security', '');
      await keychain.set('api.example.com', KEY);
      assert.deepEqual(await args(), ['-i']);
      assert.equal(
        await input(),
        '"add-generic-password" "-U" "-s" "cloud-compute" "-a" "api.example.com" "-w" "a\\"key\\\\with$signs"\n',
      );
    });

    it('returns a key without its line break, and nothing for an unknown account', async () => {
      await install('security', `printf '%s\\n' 'the key'`);
      assert.equal(await keychain.get('a'), 'the key');
      assert.deepEqual(await args(), ['find-generic-password', '-s', 'cloud-compute', '-a', 'a', '-w']);
      await install('security', 'echo "The item could not be found." >&2; exit 44');
      assert.equal(await keychain.get('a'), undefined);
      await keychain.delete('a');
      assert.deepEqual(await args(), ['delete-generic-password', '-s', 'cloud-compute', '-a', 'a']);
    });

    it('fails with the reason of the program', async () => {
      await install('security', 'echo "User interaction is not allowed." >&2; exit 36');
      await assert.rejects(keychain.get('a'), { code: 'failed', message: 'User interaction is not allowed.' });
    });
  });

  describe('of Windows', () => {
    const locker = systemKeyring('win32');

    it('reads the action, the account, and the key as lines of standard input', async () => {
      await install('powershell.exe', '');
      await locker.set('api.example.com', KEY);
      assert.equal(await input(), `set\napi.example.com\n${KEY}\n`);
      const all = await args();
      assert.deepEqual(all.slice(0, 3), ['-NoProfile', '-NonInteractive', '-Command']);
      assert.ok(!all.some((one) => one.includes('a"key') || one.includes('api.example.com')));
      await locker.delete('b');
      assert.equal(await input(), 'delete\nb\n\n');
    });

    it('returns a key, and nothing for an unknown account', async () => {
      await install('powershell.exe', `printf '%s' 'the key'`);
      assert.equal(await locker.get('a'), 'the key');
      assert.equal(await input(), 'get\na\n\n');
      await install('powershell.exe', '');
      assert.equal(await locker.get('a'), undefined);
    });
  });

  describe('of Linux', () => {
    const service = systemKeyring('linux');

    it('gets a key on standard input, exactly', async () => {
      await install('secret-tool', '');
      await service.set('a', KEY);
      assert.equal(await input(), KEY);
      assert.deepEqual(await args(), [
        ...['store', '--label=Cloud Compute (a)', 'service', 'cloud-compute', 'account', 'a'],
      ]);
    });

    it('tells an unknown account from a keyring that cannot be reached', async () => {
      await install('secret-tool', 'exit 1');
      assert.equal(await service.get('a'), undefined);
      await install('secret-tool', 'echo "no bus" >&2; exit 1');
      await assert.rejects(service.get('a'), { code: 'failed', message: 'no bus' });
    });
  });

  it('that is not installed is missing', async () => {
    process.env['PATH'] = folder;
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      await assert.rejects(systemKeyring(platform).get('a'), (error: KeyringError) => error.code === 'missing');
  });
});
