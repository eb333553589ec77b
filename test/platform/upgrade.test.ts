import assert from 'node:assert/strict';
import { RETRY_AFTER_HEADER } from '../../src/contract/rateLimit.ts';
import { balanced, Routes } from './balancerSupport.ts';
import { cleanUp, dataDirectory, eventually, platformForTest } from './support.ts';

/** Longer than a test takes. */
const GRACE_MS = 30_000;

/** Starts a platform as the deployment does, with a load-balanced endpoint whose worker is a process, and with a request in progress. */
async function busyPlatform(graceMs = GRACE_MS) {
  const dataDir = await dataDirectory();
  const { api, platform } = await platformForTest({ dataDir, keepWorkers: true, graceMs });
  const routes = new Routes(api, await api.createEndpoint(balanced()));
  await api.worker(routes.endpoint, 'IDLE');
  const { env } = await routes.echo();
  const held = routes.fetch('/held');
  await api.worker(routes.endpoint, 'RUNNING');
  /** Ends the request in progress, without the platform. The worker may end before it answers. */
  const release = () => fetch(`http://127.0.0.1:${env['PORT']}/release`).catch(() => undefined);
  return { api, dataDir, platform, routes, held, release };
}

async function assertRepeatable(response: Response, expected: { error: string; after: string }): Promise<void> {
  assert.equal(response.status, 500);
  const { error } = (await response.json()) as { error: string };
  assert.deepEqual({ error, after: response.headers.get(RETRY_AFTER_HEADER) }, expected);
}

describe('A platform that stops with --keep-workers and has workers that are processes', () => {
  afterEach(cleanUp);

  it('refuses callers at once, and answers the requests in progress', async () => {
    const { platform, routes, held, release } = await busyPlatform();
    const outcomes = new Set<number | string | undefined>();
    const stopped = platform.close();
    await eventually('callers are refused', async () => {
      try {
        outcomes.add((await routes.raw('/status/200')).resume().statusCode);
      } catch (error) {
        outcomes.add((error as NodeJS.ErrnoException).code);
      }
      return outcomes.has('ECONNREFUSED');
    });
    const expected = [200, 'ECONNRESET', 'ECONNREFUSED'];
    assert.deepEqual(
      [...outcomes].filter((outcome) => !expected.includes(outcome ?? '')),
      [],
    );
    await release();
    assert.equal(await (await held).text(), 'released');
    await stopped;
  });

  it('lets callers decide about a request that exceeds the grace time', async () => {
    const { platform, held } = await busyPlatform(100);
    await platform.close();
    await assertRepeatable(await held, { error: 'no answer', after: '1' });
  });

  it('asks callers that wait for a worker to try again', async () => {
    const { api, platform, release } = await busyPlatform();
    const endpoint = await api.createEndpoint(balanced({ workers: { min: 0, max: 1 }, env: { FIRST_HEALTH: '204' } }));
    const waiting = new Routes(api, endpoint).fetch('/echo');
    await eventually('a worker starts for the request', async () => (await api.workers(endpoint)).length === 1);
    const stopped = platform.close();
    await assertRepeatable(await waiting, { error: 'restarting', after: '5' });
    await release();
    await stopped;
  });

  it('accepts the result of a job that a worker finishes before it ends', async () => {
    const { api, dataDir, platform, release } = await busyPlatform();
    const queue = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const { id } = await api.run(queue, { do: 'untilStop' });
    await api.worker(queue, 'RUNNING');
    const stopped = platform.close();
    await release();
    await stopped;
    const { api: next } = await platformForTest({ dataDir });
    const { status, output } = await next.job(queue, id);
    assert.deepEqual([status, output], ['COMPLETED', 'stopped']);
  });
});
