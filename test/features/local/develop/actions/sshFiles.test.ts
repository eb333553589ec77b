import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {
  createSshConfig,
  identityFile,
  readSshConfig,
  sshConfigFile,
} from '../../../../../src/features/local/develop/actions/sshFiles.ts';

describe('the files of OpenSSH', () => {
  let home: string;

  beforeEach(async () => (home = await mkdtemp(path.join(tmpdir(), 'cloud-compute-ssh-'))));
  afterEach(() => rm(home, { recursive: true }));

  it('are created without access for other users', async () => {
    assert.equal(await readSshConfig(home), '');
    await createSshConfig(home);
    assert.equal(await readSshConfig(home), '');
    if (process.platform === 'win32') return;
    assert.equal((await stat(path.join(home, '.ssh'))).mode & 0o777, 0o700);
    assert.equal((await stat(sshConfigFile(home))).mode & 0o777, 0o600);
  });

  it('keep their content', async () => {
    await mkdir(path.join(home, '.ssh'));
    await writeFile(sshConfigFile(home), 'Host a\n');
    await createSshConfig(home);
    assert.equal(await readSshConfig(home), 'Host a\n');
  });

  it('name the key that OpenSSH tries first', async () => {
    assert.equal(await identityFile(home), '~/.ssh/id_ed25519');
    await mkdir(path.join(home, '.ssh'));
    await writeFile(path.join(home, '.ssh', 'id_rsa'), '');
    assert.equal(await identityFile(home), '~/.ssh/id_rsa');
    await writeFile(path.join(home, '.ssh', 'id_ed25519'), '');
    assert.equal(await identityFile(home), '~/.ssh/id_ed25519');
  });

  it('report a configuration that is not a file', async () => {
    await mkdir(sshConfigFile(home), { recursive: true });
    await assert.rejects(readSshConfig(home), { code: 'EISDIR' });
  });
});
