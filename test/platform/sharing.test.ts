import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { PLATFORM_EXIT_CODES } from '../../src/contract/launch/platformExit.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { attach, findRunning } from '../../src/platform/daemon/attach.ts';
import { launch } from './launch.ts';
import { afterwards, Api, cleanUp, dataDirectory, platformForTest } from './support.ts';

const lockOf = (dataDir: string): string => path.join(dataDir, 'platform.lock');

describe('Shared platform', () => {
  afterEach(cleanUp);

  it('is found by its data directory, in a private file that is deleted with the platform', async () => {
    const dataDir = await dataDirectory();
    const { platform } = await platformForTest({ dataDir });
    assert.deepEqual(await findRunning(dataDir), platform.announcement);
    if (process.platform !== 'win32') assert.equal((await stat(lockOf(dataDir))).mode & 0o077, 0);
    await platform.close();
    assert.equal(await findRunning(dataDir), undefined);
  });

  it('is not found if its lock is stale and another program uses its port, which receives no key', async () => {
    const dataDir = await dataDirectory();
    const { platform } = await platformForTest({ dataDir });
    const lock = JSON.parse(await readFile(lockOf(dataDir), 'utf8')) as object;
    const headers: unknown[] = [];
    const server = createServer((incoming, response) => {
      headers.push(incoming.headers.authorization);
      response.end(JSON.stringify({ pid: process.pid, proof: 'I am the platform' }));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    afterwards(() => new Promise((resolve) => server.close(resolve)));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await writeFile(lockOf(dataDir), JSON.stringify({ ...lock, announcement: { ...platform.announcement, baseUrl } }));
    assert.equal(await findRunning(dataDir), undefined);
    assert.deepEqual(headers, [undefined]);
  });

  it('prints its address if it is started again', async () => {
    const dataDir = await dataDirectory();
    const { platform } = await platformForTest({ dataDir });
    const json = await launch(['--json', '--data-dir', dataDir]).exit;
    assert.deepEqual([json.code, JSON.parse(json.stdout)], [0, platform.announcement], json.stderr);
    const text = await launch(['--data-dir', dataDir]).exit;
    assert.match(text.stdout, /already running as process \d+/);
    assert.ok(text.stdout.includes(platform.announcement.baseUrl));
  });

  it('is refused if another port or key is requested', async () => {
    const dataDir = await dataDirectory();
    await platformForTest({ dataDir, apiKey: 'the-key' });
    for (const [flag, value, words] of [
      ['--port', '1', /at http:\/\/127\.0\.0\.1:\d+/],
      ['--api-key', 'other', /with another API key/],
    ] as const) {
      const { code, stderr } = await launch(['--data-dir', dataDir, flag, value]).exit;
      assert.equal(code, PLATFORM_EXIT_CODES.dataDirInUse);
      assert.match(stderr, words);
      assert.doesNotMatch(stderr, /the-key/);
    }
  });

  it('keeps running while a window uses it, and ends with the last', async () => {
    const dataDir = await dataDirectory();
    const flags = ['--json', '--stop-with-stdin', '--data-dir', dataDir];
    const first = launch(flags);
    const announcement = await first.announcement();
    const second = launch(flags);
    assert.deepEqual(await second.announcement(), announcement);
    first.stdin.end();
    const endpoint = await new Api(announcement).createEndpoint();
    assert.equal((await new Api(announcement).runSync(endpoint, { do: 'echo', value: 1 })).output, 1);
    second.stdin.end();
    assert.equal((await second.exit).code, 0);
    assert.equal((await first.exit).code, 0);
  });

  it('keeps running after the terminal of another window is closed', async () => {
    const dataDir = await dataDirectory();
    const { api } = await platformForTest({ dataDir });
    const other = launch(['--json', '--stop-with-stdin', '--data-dir', dataDir]);
    await other.announcement();
    other.kill('SIGHUP');
    assert.deepEqual(await other.exit.then(({ code, signal }) => [code, signal]), [0, null]);
    await api.createEndpoint();
  });

  it('stops for all windows on request', async () => {
    const dataDir = await dataDirectory();
    const flags = ['--json', '--stop-with-stdin', '--data-dir', dataDir];
    const first = launch(flags);
    const announcement = await first.announcement();
    const second = launch(flags);
    await second.announcement();
    await new Api(announcement).call(controlOperations.stopPlatform);
    assert.deepEqual([(await first.exit).code, (await second.exit).code], [0, 0]);
  });

  it('informs windows that arrive during shutdown', async () => {
    const { platform, api } = await platformForTest({ graceMs: 20_000 });
    const endpoint = await api.createEndpoint();
    await api.runDeaf(endpoint);
    const early = await attach(platform.announcement);
    const closing = platform.close();
    assert.ok(early);
    assert.equal(await early.ended, undefined);
    const late = await attach(platform.announcement);
    assert.ok(late);
    assert.equal(await late.ended, undefined);
    await closing;
  });

  it('informs its windows if it is killed', async () => {
    const dataDir = await dataDirectory();
    const flags = ['--json', '--stop-with-stdin', '--data-dir', dataDir];
    const first = launch(flags);
    await first.announcement();
    const second = launch(flags);
    await second.announcement();
    first.kill('SIGKILL');
    const { code, stderr } = await second.exit;
    assert.equal(code, PLATFORM_EXIT_CODES.failed);
    assert.match(stderr, /stopped unexpectedly/);
  });

  it('starts once if several windows start it at the same time', async () => {
    const dataDir = await dataDirectory();
    const flags = ['--json', '--stop-with-stdin', '--data-dir', dataDir];
    const windows = [launch(flags), launch(flags), launch(flags)];
    const found = await Promise.all(windows.map((window) => window.announcement()));
    assert.equal(new Set(found.map(({ pid, baseUrl }) => `${pid} ${baseUrl}`)).size, 1);
    for (const { stdin } of windows) stdin.end();
    for (const { exit } of windows) assert.equal((await exit).code, 0);
  });

  it('requires its key for everything except its proof of identity', async () => {
    const { api } = await platformForTest();
    const headers = { Authorization: 'Bearer wrong' };
    await api.refused(401, controlOperations.attach, { headers });
    await api.refused(401, controlOperations.stopPlatform, { headers });
    await api.refused(422, controlOperations.getIdentity, { query: { challenge: 'short' } });
    assert.equal(await attach({ ...api.addresses, apiKey: 'wrong' }), undefined);
  });
});
