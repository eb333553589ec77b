import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { afterwards, cleanUp, dataDirectory, type Api } from '../platform/support.ts';
import { ended, faultyEndpoint, launchBuilt, scaled } from './support.ts';

const READERS = scaled(500, 100);
const LINES = scaled(1_000_000, 50_000);
/** Memory that the platform may use for each stalled reader, and in addition for all of them, in bytes. */
const PER_READER = 256 * 1024;
const FIXED = 200 * 1_048_576;

describe('Platform under log floods', () => {
  afterEach(cleanUp);

  it(`keeps running while a worker floods its log and ${READERS} readers stall`, async function () {
    this.timeout(300_000);
    const effects = path.join(await dataDirectory(), 'effects');
    const platform = await launchBuilt(['--json', '--data-dir', await dataDirectory()]);
    const { pid } = await platform.announcement();
    const api = await platform.api();
    const noisy = await api.createEndpoint(faultyEndpoint(effects, { name: 'noisy' }));
    const quiet = await api.createEndpoint(faultyEndpoint(effects, { name: 'quiet' }));
    const { id: workerId } = await api.worker(noisy, 'IDLE');
    const memoryBefore = await residentBytes(pid);
    const readers = await Promise.all(Array.from({ length: READERS }, () => stalledReader(api, noisy.id, workerId)));
    const flood = await api.run(noisy, { do: 'flood', lines: LINES, value: 'flooded' });
    for (let value = 0; value < scaled(200, 20); value++) {
      const { id } = await api.run(quiet, { do: 'echo', value });
      const job = await ended(api, quiet, id);
      assert.equal((job.output as { value: number }).value, value);
    }
    const { status, output } = await ended(api, noisy, flood.id, 200_000);
    assert.equal(status, 'COMPLETED');
    assert.equal((output as { value: string }).value, 'flooded');
    const memory = await residentBytes(pid);
    assert.ok(
      memory - memoryBefore < FIXED + READERS * PER_READER,
      `memory grew from ${memoryBefore} to ${memory} bytes`,
    );
    assert.ok(readers.every(({ destroyed }) => !destroyed));
    // An active reader can still read the last line.
    const [line] = await api.logsUntil(noisy, workerId, (event) => event.line.startsWith(`${LINES - 1} `), {
      query: { tail: 1, source: 'container' },
    });
    assert.ok(line);
  });
});

/** Requests the log and never reads the response, so the connection's buffers fill up. */
async function stalledReader({ addresses }: Api, id: string, workerId: string): Promise<Socket> {
  const { hostname, port } = new URL(addresses.baseUrl);
  const socket = connect(Number(port), hostname);
  afterwards(async () => {
    socket.destroy();
    return Promise.resolve();
  });
  socket.pause();
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const target = fillPath(operations.getWorkerLogs.path, { id, workerId });
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${addresses.apiKey}\r\n\r\n`,
  );
  return socket;
}

/** Returns the resident memory of a process, in bytes, or 0 on systems without `/proc`. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
