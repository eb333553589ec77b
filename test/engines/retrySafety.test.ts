import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { checkImage, sampleFolder, workerSource } from '../features/safety/safetyWorld.ts';
import { cleanUp } from '../platform/support.ts';
import { buildImage } from './images.ts';
import { onEngines } from './world.ts';

const IMAGE = 'cloud-compute-test/retry-safety:1';
const VOLUME = '/models';

/** Not safe in three ways: over HTTP, in a directory, and on the network volume. */
const HANDLER = `
  await fetch(process.env.PAYMENTS_URL + '/charges', { method: 'POST', body: job.id });
  fs.appendFileSync(path.join(process.env.OUT, 'ledger.csv'), 'line\\n');
  fs.appendFileSync('${VOLUME}/used.txt', 'used\\n');
  if (job.input.url) await fetch(job.input.url, { method: 'POST' });
  return 'done';`;

const MANIFEST = {
  cmd: ['worker.mjs'],
  mounts: { network: [{ volumeId: 'agv6w2qcg7', path: VOLUME }] },
  'x-safety': {
    http: { PAYMENTS_URL: { reply: { body: { id: 'ch_1' } } } },
    files: { OUT: 'out', CLOUD_COMPUTE_VOLUME: 'volume' },
  },
};

describe('The retry safety of a worker in a container', function () {
  this.timeout(300_000);

  onEngines(({ running }) => {
    before(async () => {
      const files = {
        '/app/serve.mjs': await readFile(path.join(sampleFolder, 'worker/serve.mjs'), 'utf8'),
        '/app/worker.mjs': workerSource(HANDLER, './serve.mjs'),
      };
      await buildImage(running().api, IMAGE, { files });
    });
    afterEach(cleanUp);

    const engineFlags = () => ['--container-engine', running().address];

    it('is checked at each point, with effects over HTTP, in a directory, and on the volume', async () => {
      const { outcomes, smallest, failure, notes, events } = await checkImage(IMAGE, MANIFEST, {
        engineFlags: engineFlags(),
      });
      assert.deepEqual([failure, notes], [undefined, []]);
      assert.deepEqual(outcomes, {
        killedBeforeTake: 'safe',
        'killedAtCall:1': 'unsafe',
        'killedBeforeCall:1': 'safe',
        'killedAtFile:1': 'unsafe',
        killedBeforeResult: 'unsafe',
        resultLost: 'unsafe',
        answerLost: 'safe',
        'expiredAtCall:1': 'unsafe',
        'overlapAtCall:1': 'unsafe',
        twoWorkers: 'unsafe',
      });
      assert.equal(smallest, 'killedAtCall:1');
      const [lost] = events.flatMap((event) =>
        event.kind === 'ended' && event.result.point.kind === 'resultLost' ? [event.result.differences] : [],
      );
      assert.deepEqual(lost, [
        { kind: 'call', name: 'POST /charges', expected: 1, actual: 2 },
        { kind: 'fileLines', name: 'OUT/ledger.csv', expected: 1, actual: 2 },
        { kind: 'fileLines', name: 'CLOUD_COMPUTE_VOLUME/used.txt', expected: 1, actual: 2 },
      ]);
    });

    it('shows calls through HTTP_PROXY', async () => {
      const { failure } = await checkImage(IMAGE, MANIFEST, {
        engineFlags: engineFlags(),
        input: { url: 'http://refunds.invalid/refunds' },
        wants: () => false,
      });
      assert.match(failure ?? '', /^refunds\.invalid cannot be reached/);
    });
  });
});
