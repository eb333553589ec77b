import assert from 'node:assert/strict';
import path from 'node:path';
import process from 'node:process';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { poster } from '../bench/load.ts';
import { openTally } from '../bench/tally.ts';
import { afterwards, cleanUp, dataDirectory, repository, type Api } from '../platform/support.ts';
import { launchBuilt, long } from './support.ts';

/** Resources of the platform's process after a garbage collection: bytes and counts. */
interface ResourceUsage {
  readonly rss: number;
  readonly heapUsed: number;
  readonly handles: number;
  readonly listeners: number;
}

const LANES = 32;
const BATCH = 500;
const LINES_PER_JOB = 10;
/** Returns true at the end of a quarter. The long form has 200,000 jobs and 2 million lines. The short form is limited by time. */
const quarterIsOver = (batches: number, ms: number): boolean => (long ? batches * BATCH >= 50_000 : ms >= 2_000);
/**
 * Maximum ratio of the last quarter to the first. Compiled code and caches grow for a while, which matters more in the short form. A leak
 * of one small object per job exceeds the ratio by far.
 */
const ALLOWED = long ? { rss: 1.2, heapUsed: 1.2 } : { rss: 1.35, heapUsed: 1.35 };

describe('Platform under a long load', () => {
  afterEach(cleanUp);

  it('does not grow with the number of jobs and log lines', async function () {
    this.timeout(long ? 900_000 : 120_000);
    const tally = await openTally();
    afterwards(() => Promise.resolve(tally.close()));
    const nodeArgs = ['--expose-gc', '--import', path.join(import.meta.dirname, 'fixtures/probe.mjs')];
    const platform = await launchBuilt(['--json', '--data-dir', await dataDirectory()], nodeArgs);
    const api = await platform.api();
    const submitAll = await endpointOf(api, tally.port);

    const quarter = async (): Promise<ResourceUsage> => {
      const start = performance.now();
      let batches = 0;
      do {
        const done = tally.next(BATCH);
        await submitAll(BATCH);
        await done;
        batches++;
      } while (!quarterIsOver(batches, performance.now() - start));
      return platform.ask<ResourceUsage>('holdings');
    };

    const first = await quarter();
    await quarter();
    await quarter();
    const last = await quarter();
    assert.ok(last.heapUsed / first.heapUsed < ALLOWED.heapUsed, `the heap grew: ${describeChange(first, last)}`);
    assert.ok(last.rss / first.rss < ALLOWED.rss, `resident memory grew: ${describeChange(first, last)}`);
    // The number of keep-alive connections varies. A leak of one handle per job would add thousands.
    assert.ok(last.handles <= first.handles + LANES, `handles leaked: ${describeChange(first, last)}`);
    assert.equal(last.listeners, first.listeners, `listeners leaked: ${describeChange(first, last)}`);
    platform.kill('SIGTERM');
    const { code, stderr } = await platform.exit;
    assert.equal(code, 0);
    assert.doesNotMatch(stderr, /MaxListenersExceeded/);
  });
});

/** Creates an endpoint with one worker that writes log lines. @returns a function that submits jobs */
async function endpointOf(api: Api, tallyPort: number): Promise<(jobs: number) => Promise<void>> {
  const { id: endpointId } = await api.createEndpoint({
    image: `process:${path.join(repository, 'test/bench/queueWorkers')}`,
    cmd: [process.execPath, 'platform.mjs'],
    env: { TALLY_PORT: String(tallyPort), CONCURRENCY: String(LANES), LINES: String(LINES_PER_JOB) },
    workers: { min: 1, max: 1 },
  });
  const { send, close } = poster({
    url: api.addresses.queueUrl + fillPath(operations.runJob.path, { endpointId }),
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${api.addresses.apiKey}` },
    concurrency: LANES,
  });
  afterwards(() => {
    close();
    return Promise.resolve();
  });
  return async (jobs) => {
    let left = jobs;
    const lane = async (): Promise<void> => {
      while (left-- > 0) await send(JSON.stringify({ input: { at: Date.now() } }));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  };
}

const describeChange = (first: ResourceUsage, last: ResourceUsage): string =>
  `from ${JSON.stringify(first)} to ${JSON.stringify(last)}`;
