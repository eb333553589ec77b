import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assertLinear } from '../../../../support/growth.ts';
import { insertHost, lineOfHost, sshAlias } from '../../../../../src/features/local/develop/model/sshConfig.ts';

const host = { alias: 'hello-w1', comment: 'hello (worker w1)', identityFile: '~/.ssh/id_ed25519' };
const block = `# hello (worker w1)
Host hello-w1
    HostName address-in-the-console
    User root
    Port 22
    IdentityFile ~/.ssh/id_ed25519`;

/** Returns the configuration with the host, after the snippet is accepted unchanged. */
function withHost(config: string, given: Partial<typeof host> = {}): string {
  const { line, snippet } = insertHost(config, { ...host, ...given });
  const text = snippet
    .replaceAll(/\$\{\d:([^}\\]*)\}/g, '$1')
    .replace('$0', '')
    .replaceAll(/\\([$}\\])/g, '$1');
  const lines = config.split('\n');
  if (line === undefined) return config + text;
  return [...lines.slice(0, line), text + lines.slice(line).join('\n')].join('\n');
}

describe('sshAlias', () => {
  it('names the endpoint and the worker', () => {
    assert.equal(sshAlias('hello', 'w1'), 'hello-w1');
    assert.equal(sshAlias('hello'), 'hello');
  });

  it('is a word of every shell, whatever the names contain', () => {
    assert.equal(sshAlias('my model (v2) -fb', 'w1'), 'my-model-v2-fb-w1');
    assert.equal(sshAlias('a"; rm -rf ~ #', '$(id)'), 'a-rm-rf-id');
    assert.equal(sshAlias('工作器', 'w1'), 'w1');
    assert.equal(sshAlias('工作器'), 'worker');
  });

  it('is never an option of ssh', () => {
    assert.equal(sshAlias('-oProxyCommand=sh', 'w1'), 'oProxyCommand-sh-w1');
  });
});

describe('lineOfHost', () => {
  it('finds an alias among the names of a block, with any spelling of the keyword', () => {
    assert.equal(lineOfHost('User me\n\nHost a b\n', 'b'), 2);
    assert.equal(lineOfHost('host="a"\r\n', 'a'), 0);
    assert.equal(lineOfHost('\tHOST = a\n', 'a'), 0);
  });

  it('ignores comments, addresses, and parts of names', () => {
    assert.equal(lineOfHost('#Host a\n# Host a\nHostName a\nHost ab a* !a\n', 'a'), undefined);
    assert.equal(lineOfHost('', 'a'), undefined);
  });
});

describe('insertHost', () => {
  it('writes the block into an empty file', () => {
    assert.equal(withHost(''), `${block}\n`);
  });

  it('separates the block from the end of a file by an empty line', () => {
    assert.equal(withHost('Host a'), `Host a\n\n${block}\n`);
    assert.equal(withHost('Host a\n'), `Host a\n\n${block}\n`);
    assert.equal(withHost('Host a\n\n'), `Host a\n\n${block}\n`);
  });

  it('precedes blocks for several hosts and their comments, because the first value of an option counts', () => {
    assert.equal(withHost('Host a\n\n# All\nHost *\n  User me\n'), `Host a\n\n${block}\n\n# All\nHost *\n  User me\n`);
    assert.equal(withHost('Host *\n'), `${block}\n\nHost *\n`);
    assert.equal(withHost('User me\nMatch all\n'), `User me\n\n${block}\n\nMatch all\n`);
  });

  it('keeps special characters of a name in the comment', () => {
    assert.ok(withHost('', { comment: 'a$b}c\\d' }).startsWith('# a$b}c\\d\nHost hello-w1\n'));
  });

  it('has a placeholder for each value of the console', () => {
    const { snippet } = insertHost('', host);
    assert.deepEqual(
      [...snippet.matchAll(/(\w+) \$\{(\d)/g)].map(([, keyword, number]) => [keyword, number]),
      [
        ['HostName', '1'],
        ['User', '2'],
        ['Port', '3'],
        ['IdentityFile', '4'],
      ],
    );
  });

  it('takes linear time for any file', () => {
    for (const part of ['# a\n', 'Host a\n', 'Host a*\n', ' ', '\t=', '"', '\r\n', 'a'])
      assertLinear(
        [4_000, 16_000, 64_000, 256_000],
        (size) => part.repeat(size / part.length),
        (config) => [insertHost(config, host), lineOfHost(config, 'b')],
      );
  });

  it('is understood by OpenSSH as it is meant', async function () {
    if (spawnSync('ssh', ['-V']).status !== 0) this.skip();
    const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-ssh-'));
    try {
      const file = path.join(folder, 'config');
      await writeFile(file, withHost('Compression yes\n\n# All\nHost *\n  User me\n  Port 7\n'));
      const read = execFileSync('ssh', ['-T', '-G', '-F', file, 'hello-w1'], { encoding: 'utf8' }).split('\n');
      for (const line of ['hostname address-in-the-console', 'user root', 'port 22', 'compression yes'])
        assert.ok(read.includes(line), `${line}\n${read.join('\n')}`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
