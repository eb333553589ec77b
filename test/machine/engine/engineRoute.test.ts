import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import {
  EngineAddressError,
  findEngine,
  sourceWords,
  usualSockets,
  type MachineContext,
} from '../../../src/machine/engine/engineRoute.ts';
import { afterwards, cleanUp, dataDirectory } from '../../platform/support.ts';

const hashOf = (name: string): string => createHash('sha256').update(name).digest('hex');

describe('The route to a container engine', () => {
  afterEach(cleanUp);

  async function machineWith(environment: MachineContext['environment'] = {}): Promise<MachineContext> {
    return { environment, home: await dataDirectory(), platform: 'linux' };
  }

  /** Writes a context as Docker's command line does. */
  async function addContext({ home }: MachineContext, name: string, docker: object, tls?: Record<string, string>) {
    const contexts = path.join(home, '.docker/contexts');
    const meta = path.join(contexts, 'meta', hashOf(name));
    await mkdir(meta, { recursive: true });
    await writeFile(path.join(meta, 'meta.json'), JSON.stringify({ Name: name, Metadata: {}, Endpoints: { docker } }));
    if (!tls) return;
    const files = path.join(contexts, 'tls', hashOf(name), 'docker');
    await mkdir(files, { recursive: true });
    for (const [file, text] of Object.entries(tls)) await writeFile(path.join(files, file), text);
  }

  async function listenOn(socket: string): Promise<void> {
    await mkdir(path.dirname(socket), { recursive: true });
    const server = net.createServer((connection) => connection.destroy());
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    afterwards(() => new Promise((resolve) => server.close(resolve)));
  }

  const isAddressError = (message: RegExp) => (error: unknown) =>
    error instanceof EngineAddressError && message.test(error.message);

  it('prefers the setting to DOCKER_HOST, and DOCKER_HOST to contexts', async () => {
    const machine = await machineWith({ DOCKER_HOST: 'unix:///variable.sock', DOCKER_CONTEXT: 'other' });
    await addContext(machine, 'other', { Host: 'unix:///other.sock' });
    const set = await findEngine('unix:///set.sock', machine);
    assert.equal(set?.connection.options.socketPath, '/set.sock');
    assert.deepEqual(set.source, { kind: 'setting' });
    const found = await findEngine(undefined, machine);
    assert.equal(found?.address, 'unix:///variable.sock');
    assert.equal(sourceWords(found.source), 'the variable DOCKER_HOST');
  });

  it('reads contexts as the command line stores them', async () => {
    const machine = await machineWith({ DOCKER_CONTEXT: 'second' });
    await addContext(machine, 'first', { Host: 'unix:///first.sock' });
    await addContext(machine, 'second', { Host: 'unix:///second.sock' });
    await writeFile(path.join(machine.home, '.docker/config.json'), JSON.stringify({ currentContext: 'first' }));
    const addressWith = async (choice: string | undefined, environment = {}) =>
      (await findEngine(choice, { ...machine, environment }))?.address;
    assert.equal(await addressWith(undefined, machine.environment), 'unix:///second.sock');
    assert.equal(await addressWith(undefined), 'unix:///first.sock');
    assert.equal(await addressWith('second'), 'unix:///second.sock');
  });

  it('uses the certificates of a context', async () => {
    const machine = await machineWith();
    const tls = { 'ca.pem': 'ca', 'cert.pem': 'cert', 'key.pem': 'key' };
    await addContext(machine, 'far', { Host: 'tcp://engine.example:2376' }, tls);
    const route = await findEngine('far', machine);
    assert.ok(route?.connection.tls);
    assert.deepEqual(route.connection.options, {
      ...{ host: 'engine.example', port: 2376, servername: 'engine.example' },
      ...{ ca: 'ca', cert: 'cert', key: 'key', rejectUnauthorized: true },
    });
    assert.equal(route.remoteHost, 'engine.example');
  });

  it('reports a missing or damaged context with its remedy', async () => {
    const machine = await machineWith({ DOCKER_CONTEXT: 'gone' });
    await assert.rejects(findEngine(undefined, machine), isAddressError(/no Docker context gone\. Select one/));
    await addContext(machine, 'gone', { Nonsense: true });
    await assert.rejects(findEngine(undefined, machine), isAddressError(/meta\.json cannot be read/));
    const damaged = await machineWith();
    await mkdir(path.join(damaged.home, '.docker'));
    await writeFile(path.join(damaged.home, '.docker/config.json'), '{');
    await assert.rejects(findEngine(undefined, damaged), isAddressError(/config\.json cannot be read/));
  });

  it('uses TLS as DOCKER_TLS_VERIFY and DOCKER_CERT_PATH select', async () => {
    const certificates = await dataDirectory();
    await writeFile(path.join(certificates, 'ca.pem'), 'ca');
    const DOCKER_HOST = 'tcp://192.0.2.1';
    const plain = await findEngine(undefined, await machineWith({ DOCKER_HOST, DOCKER_TLS_VERIFY: '' }));
    assert.deepEqual(plain?.connection.options, { host: '192.0.2.1', port: 2375 });
    const verified = { DOCKER_HOST, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: certificates };
    const tls = await findEngine(undefined, await machineWith(verified));
    assert.deepEqual(tls?.connection.options, { host: '192.0.2.1', port: 2376, ca: 'ca', rejectUnauthorized: true });
    const trusting = await findEngine(undefined, await machineWith({ DOCKER_HOST, DOCKER_TLS: '1' }));
    assert.equal(trusting?.connection.options.rejectUnauthorized, false);
  });

  it('treats loopback addresses as this machine', async () => {
    const machine = await machineWith();
    const hostOf = async (address: string) => (await findEngine(address, machine))?.remoteHost;
    assert.equal(await hostOf('tcp://127.0.0.1:2375'), undefined);
    assert.equal(await hostOf('tcp://[::1]:2375'), undefined);
    assert.equal(await hostOf('ssh://user@localhost'), undefined);
    assert.equal(await hostOf('ssh://user@192.0.2.7:2222'), '192.0.2.7');
  });

  it('understands named pipes', async () => {
    const route = await findEngine('npipe:////./pipe/docker_engine', await machineWith());
    assert.equal(route?.connection.options.socketPath, '//./pipe/docker_engine');
  });

  it('reports an invalid address with its source', async () => {
    const machine = await machineWith({ DOCKER_HOST: 'ftp://engine' });
    await assert.rejects(
      findEngine(undefined, machine),
      isAddressError(/from the variable DOCKER_HOST is invalid: it must/),
    );
    await assert.rejects(
      findEngine('unix://docker.sock', machine),
      isAddressError(/from the setting .* absolute path/),
    );
    await assert.rejects(findEngine('ssh://user:hush@host', machine), (error) => {
      assert.ok(isAddressError(/must not contain a password/)(error));
      assert.doesNotMatch(String(error), /hush/);
      return true;
    });
    await assert.rejects(
      findEngine('ssh://-oProxyCommand=x/', machine),
      isAddressError(/must not start with a hyphen/),
    );
  });

  it('finds the first usual socket that accepts connections', async function () {
    if (process.platform === 'win32') this.skip();
    const home = await dataDirectory();
    const machine: MachineContext = { environment: { XDG_RUNTIME_DIR: `${home}/run` }, home, platform: 'linux' };
    const own = usualSockets(machine).filter((socket) => socket.startsWith(home));
    const podman = own.find((socket) => socket.endsWith('run/podman/podman.sock'));
    const colima = own.find((socket) => socket.includes('.colima'));
    assert.ok(podman && colima);
    const isElsewhere = (address: string | undefined): boolean => address !== undefined && !address.includes(home);
    const before = await findEngine(undefined, machine);
    // An engine of this machine has precedence.
    if (isElsewhere(before?.address)) this.skip();
    assert.equal(before, undefined);
    await listenOn(podman);
    assert.equal((await findEngine(undefined, machine))?.address, `unix://${podman}`);
    await listenOn(colima);
    assert.equal((await findEngine(undefined, machine))?.address, `unix://${colima}`);
  });
});
