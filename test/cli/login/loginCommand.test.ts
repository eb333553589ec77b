import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { afterwards, cleanUp, platformForTest, type Api } from '../../platform/support.ts';
import { CliWorld, manifest, proxyOf } from '../cliWorld.ts';

const NEEDED = ['secret-tool', 'dbus-run-session', 'gnome-keyring-daemon'];

function pathOf(program: string): string | undefined {
  const { status, stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

describe('The command login', () => {
  let world: CliWorld;
  let api: Api;
  let programs: string;

  beforeEach(async () => {
    world = await CliWorld.create();
    ({ api } = await platformForTest());
    programs = path.join(path.dirname(world.folder), 'programs');
    await mkdir(programs);
  });
  afterEach(cleanUp);

  const addresses = ({ baseUrl, queueUrl, endpointHost } = api.addresses) => [
    ...[baseUrl, '--queue-url', queueUrl, '--endpoint-host', endpointHost],
  ];
  const login = (...flags: string[]) => world.run(['login', ...addresses(), ...flags], api.addresses.apiKey);
  const file = () => path.join(world.config, 'cloud-compute/logins.json');

  /** Puts a program on the path in front of the others. */
  async function install(name: string, script: string): Promise<void> {
    await writeFile(path.join(programs, name), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(programs, name), 0o755);
    world.env = { ...world.env, PATH: `${programs}:${process.env['PATH']}` };
  }

  describe('with a keyring', () => {
    let observed: string;

    beforeEach(async function () {
      // A test that cannot run on a machine counts as skipped.
      if (NEEDED.some((program) => pathOf(program) === undefined)) this.skip();
      const home = path.join(path.dirname(world.folder), 'home');
      await mkdir(home, { mode: 0o700 });
      world.env = { ...world.env, HOME: home, XDG_DATA_HOME: home, XDG_RUNTIME_DIR: home };
      const session = spawn(
        'dbus-run-session',
        [
          ...['--', 'sh', '-c'],
          'printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; echo "$DBUS_SESSION_BUS_ADDRESS"; cat >/dev/null',
        ],
        { env: world.env },
      );
      const ended = once(session, 'exit');
      afterwards(async () => {
        session.stdin.end();
        await ended;
      });
      const [address] = (await once(createInterface({ input: session.stdout }), 'line')) as [string];
      world.env['DBUS_SESSION_BUS_ADDRESS'] = address;
      // Each use of the keyring records the arguments of all processes at this moment.
      observed = path.join(home, 'observed');
      await install(
        'secret-tool',
        `cat /proc/[0-9]*/cmdline 2>/dev/null >> ${observed}\nexec ${pathOf('secret-tool')} "$@"`,
      );
    });

    it('stores the key in the keyring, and never in an argument of a process or in a file', async () => {
      const { code, stdout, stderr } = await login('--name', 'staging');
      assert.deepEqual([code, stdout, stderr], [0, '', 'Signed in to staging.\n']);
      const { apiKey, baseUrl } = api.addresses;
      const args = await readFile(observed, 'utf8');
      assert.ok(args.includes('secret-tool') && args.includes('staging'));
      assert.ok(!args.includes(apiKey));
      const text = await readFile(file(), 'utf8');
      assert.ok(!text.includes(apiKey));
      const { logins } = JSON.parse(text) as { logins: { name: string; baseUrl: string }[] };
      assert.deepEqual(
        logins.map((one) => [one.name, one.baseUrl]),
        [['staging', baseUrl]],
      );
      assert.equal((await stat(file())).mode & 0o777, 0o600);
    });

    it('is the connection of the other commands: the last one, or the one of --connection', async () => {
      const { api: other } = await platformForTest();
      await login('--name', 'first');
      const flags = [...addresses(other.addresses), '--name', 'second'];
      assert.equal((await world.run(['login', ...flags], `${other.addresses.apiKey}\n`)).code, 0);
      await world.write({ 'a.endpoint.json': manifest('a') });
      const nameOf = async (...more: string[]) => {
        const { stdout } = await world.run(['plan', world.folder, '--json', ...more]);
        return (JSON.parse(stdout) as { connection: { name: string } }).connection.name;
      };
      assert.equal(await nameOf(), 'second');
      assert.equal(await nameOf('--connection', 'first'), 'first');
      await login('--name', 'first');
      assert.equal(await nameOf(), 'first');
      const unknown = await world.run(['plan', world.folder, '--connection', 'third']);
      assert.deepEqual(
        [unknown.code, unknown.stderr],
        [1, 'there is no login third; the connections are local, second, first\n'],
      );
      world.useHosted(api.addresses);
      assert.equal(await nameOf(), new URL(api.addresses.baseUrl).host);
    });

    it('ends with the command logout, which removes the key too', async () => {
      await login('--name', 'a');
      await login('--name', 'b');
      assert.deepEqual(await world.run(['logout', 'b']), { code: 0, stdout: '', stderr: 'Signed out of b.\n' });
      const again = await world.run(['logout', 'b']);
      assert.deepEqual([again.code, again.stderr], [1, 'there is no login b\n']);
      const lookup = (account: string) =>
        spawnSync('secret-tool', ['lookup', 'service', 'cloud-compute', 'account', account], {
          ...{ encoding: 'utf8', env: world.env },
        }).stdout;
      assert.deepEqual([lookup('a'), lookup('b')], [api.addresses.apiKey, '']);
    });

    it('stores nothing if the platform refuses the key, whose words do not repeat it', async () => {
      const wrong = await world.run(['login', ...addresses()], 'a-wrong-key-of-mine');
      assert.equal(wrong.code, 1);
      const proxy = await proxyOf(api.addresses, () =>
        Promise.resolve(Response.json({ title: 'no', detail: 'not a-wrong-key-of-mine' }, { status: 401 })),
      );
      const repeated = await world.run(['login', ...addresses(proxy)], 'a-wrong-key-of-mine');
      assert.equal(repeated.code, 1);
      assert.doesNotMatch(wrong.stderr + repeated.stderr, /wrong-key/);
      await assert.rejects(stat(file()), { code: 'ENOENT' });
      await assert.rejects(stat(observed), { code: 'ENOENT' });
    });

    it('names a key that the keyring has lost', async () => {
      await login('--name', 'a');
      spawnSync('secret-tool', ['clear', 'service', 'cloud-compute', 'account', 'a'], { env: world.env });
      const { code, stderr } = await world.run(['plan', world.folder]);
      assert.deepEqual([code, stderr], [1, 'the keyring has no key for a; sign in again\n']);
    });
  });

  it('without the program of a keyring names it, and the alternative', async () => {
    world.env['PATH'] = programs;
    const { code, stderr } = await login();
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^the keyring of this system needs the program \S+; without a keyring, use environment variables \(see cloud-compute --help\)\n$/,
    );
    await assert.rejects(stat(file()), { code: 'ENOENT' });
  });

  it('reports a keyring that refuses the key', async function () {
    if (process.platform !== 'linux') this.skip();
    await install('secret-tool', 'cat >/dev/null; echo "Cannot autolaunch D-Bus" >&2; exit 1');
    const { code, stderr } = await login();
    assert.equal(code, 1);
    assert.match(stderr, /^the keyring of this system cannot be used: Cannot autolaunch D-Bus; /);
    await assert.rejects(stat(file()), { code: 'ENOENT' });
  });

  it('does not ask for a key, and stores none, if the file of logins is invalid', async () => {
    await install('secret-tool', `echo used > ${path.join(programs, 'used')}`);
    await mkdir(path.dirname(file()), { recursive: true });
    const commands = [
      ['login', ...addresses()],
      ['logout', 'a'],
      ['plan', world.folder],
    ];
    // All commands read the file in the same way, so each invalid text is tried with one of them.
    for (const [at, text] of ['', '{', '[]', '{"logins":[{"name":"a"}]}', '{"logins":[],"key":"k"}'].entries()) {
      await writeFile(file(), text);
      const { code, stderr } = await world.run(commands[at % commands.length] ?? [], api.addresses.apiKey);
      assert.deepEqual([code, stderr], [1, `${file()} is not a list of logins; remove it, and sign in again\n`]);
      assert.equal(await readFile(file(), 'utf8'), text);
    }
    await assert.rejects(stat(path.join(programs, 'used')), { code: 'ENOENT' });
  });

  it('refuses names and keys that cannot be stored', async () => {
    for (const name of ['local', '-x', 'a\nb', 'a\x1bb']) {
      const { code, stderr } = await login(`--name=${name}`);
      assert.equal(code, 1);
      assert.match(stderr, /^--name /);
    }
    for (const key of ['', ' \n', 'two words', 'two\nlines'])
      assert.equal((await world.run(['login', ...addresses()], key)).code, 1);
    assert.equal((await world.run(['login', 'not an address'], 'key')).code, 1);
    assert.equal((await world.run(['login'], 'key')).code, 64);
  });

  it('ends with 130 after SIGINT while it waits for the key', async () => {
    const { child, exit } = world.start(['login', ...addresses()], null);
    // A pipe takes so much only while the program reads it.
    await new Promise<void>((resolve) => child.stdin.write(' '.repeat(1_000_000), () => resolve()));
    child.kill('SIGINT');
    assert.equal((await exit).code, 130);
  });
});
