import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { DATA_DIRECTORY } from '../../src/contract/launch/localPlatform.ts';
import { operations } from '../../src/contract/operations.ts';
import { PLATFORM_EXIT_CODES, type PlatformExitReason } from '../../src/contract/launch/platformExit.ts';
import { isAlive } from '../../src/machine/processTable.ts';
import { DATABASE_FILE } from '../../src/platform/daemon/dataDirectory.ts';
import { OWNER_ACCOUNT_ID } from '../../src/platform/domain/account.ts';
import { createEndpoint, type EndpointRecord } from '../../src/platform/domain/endpoint.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import { launch } from './launch.ts';
import { afterwards, Api, cleanUp, dataDirectory, endpointBody, eventually } from './support.ts';

describe('Command line', () => {
  afterEach(cleanUp);

  it('announces the platform as one line of JSON, and stops when standard input ends', async () => {
    const process = launch(['--json', '--in-memory', '--stop-with-stdin', '--api-key', 'the-key']);
    const announcement = await process.announcement();
    assert.equal(announcement.apiKey, 'the-key');
    assert.equal(announcement.dataDir, null);
    const api = new Api(announcement);
    const endpoint = await api.createEndpoint();
    const worker = await api.worker(endpoint, 'IDLE');
    // A connected reader does not delay the shutdown.
    const logs = await api.fetch(operations.getWorkerLogs, { parameters: { id: endpoint.id, workerId: worker.id } });
    process.stdin.end();
    const { code, stdout } = await process.exit;
    await logs.text().catch(() => undefined);
    assert.equal(code, 0);
    assert.equal(stdout, `${JSON.stringify(announcement)}\n`);
  });

  it('prints a readable announcement, logs to stderr, and stops on SIGINT', async () => {
    const process = launch(['--in-memory']);
    await process.firstLine;
    process.kill('SIGINT');
    const { code, stdout, stderr } = await process.exit;
    assert.equal(code, 0);
    assert.match(stdout, /management {4}http:\/\/127\.0\.0\.1:\d+\n/);
    assert.match(stderr, /"msg":"platform started"/);
  });

  it('stops after its start when a signal arrives during the start', async () => {
    const dataDir = await dataDirectory();
    const platform = launch(['--data-dir', dataDir]);
    await eventually('the platform has locked its data', async () =>
      (await readdir(dataDir)).includes(DATA_DIRECTORY.lock),
    );
    platform.kill('SIGTERM');
    const { code, signal } = await platform.exit;
    assert.deepEqual([code, signal], [0, null]);
  });

  it('ends all workers when its terminal is closed', async () => {
    const platform = launch(['--json', '--in-memory']);
    const worker = await busyWorker(new Api(await platform.announcement()));
    platform.kill('SIGHUP');
    const { code, signal } = await platform.exit;
    assert.deepEqual([code, signal], [0, null]);
    assert.equal(isAlive(worker), false);
  });

  it('ends all workers after a second signal or an error during shutdown', async () => {
    // Fails on a signal that has no other use.
    const failing = 'data:text/javascript,process.on("SIGUSR2", () => { throw new Error("as asked"); })';
    const platform = launch(['--json', '--in-memory'], { nodeArgs: ['--import', failing] });
    const worker = await busyWorker(new Api(await platform.announcement()));
    const failures = (output: string): number => output.split('platform failed').length - 1;
    for (const count of [1, 2]) {
      platform.kill('SIGUSR2');
      await eventually(`${count} failures occurred`, () => failures(platform.stderr()) === count);
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) platform.kill(signal);
    const { code } = await platform.exit;
    assert.equal(code, PLATFORM_EXIT_CODES.failed);
    assert.equal(isAlive(worker), false);
  });

  it('keeps the size of the young generation while it starts with many endpoints', async () => {
    const large = await dataDirectory();
    const store = openSqliteStore(path.join(large, DATABASE_FILE));
    store.transaction(() => {
      for (let index = 0; index < 4_000; index++) store.endpoints.insert(idleEndpoint(`endpoint${index}`));
    });
    store.close();
    const usual = await youngGenerationAfterStart(await dataDirectory());
    // V8 doubles the size. Without the limit, it grows to four times the usual size.
    assert.ok((await youngGenerationAfterStart(large)) <= 2 * usual);
  });

  it('prints its usage', async () => {
    const { code, stdout } = await launch(['--help']).exit;
    assert.equal(code, 0);
    assert.match(stdout, /--stop-with-stdin/);
  });

  it('refuses an unknown flag', () => refuses(['--bogus'], 'badFlag', /'--bogus'/));

  it('refuses a port that is in use', async () => {
    const other = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    afterwards(() => new Promise((resolve) => other.close(resolve)));
    const { port } = other.address() as net.AddressInfo;
    await refuses(['--in-memory', '--port', String(port)], 'portTaken', new RegExp(`port ${port} is taken.*--port`));
  });

  it('refuses an invalid data directory', async () => {
    const file = path.join(await dataDirectory(), 'file');
    await writeFile(file, '');
    await refuses(['--data-dir', path.join(file, 'below')], 'dataDirUnusable', /below cannot be used.*--data-dir/);
  });
});

/** Starts a worker that ignores requests to stop. @returns its PID */
async function busyWorker(api: Api): Promise<number> {
  const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
  const { output } = await api.runSync(endpoint, { do: 'pid' });
  await api.runDeaf(endpoint);
  return output as number;
}

async function refuses(args: readonly string[], reason: PlatformExitReason, message: RegExp): Promise<void> {
  const { code, stdout, stderr } = await launch(args).exit;
  assert.equal(code, PLATFORM_EXIT_CODES[reason], stderr);
  assert.equal(stdout, '');
  const lines = stderr.trim().split('\n');
  assert.match(lines.at(-1) ?? '', message);
  assert.equal(lines.length, 1, `stderr must have one line: ${stderr}`);
}

/** Returns a stored endpoint without workers. */
function idleEndpoint(id: string): EndpointRecord {
  const body = endpointBody({ name: id, workers: { min: 0, max: 0 } });
  const anything = { findTemplate: () => undefined, exists: () => true, mayRunProcesses: true };
  return createEndpoint(body, { ...anything, id, accountId: OWNER_ACCOUNT_ID, now: Date.now() });
}

/** Starts a platform. Resolves with the size of its young generation after the start, in bytes. */
async function youngGenerationAfterStart(dataDir: string): Promise<number> {
  const reporting = `data:text/javascript,import v8 from 'node:v8';
    process.on('exit', () => process.stderr.write('size: ' + v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size));`;
  const platform = launch(['--json', '--stop-with-stdin', '--data-dir', dataDir], {
    nodeArgs: ['--import', reporting],
  });
  await platform.announcement();
  platform.stdin.end();
  const { stderr } = await platform.exit;
  return Number(/size: (\d+)/.exec(stderr)?.[1]);
}
