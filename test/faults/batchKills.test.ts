import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../src/client/clock.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { readJournal } from '../../src/features/jobs/batch/journal.ts';
import { findSource } from '../../src/features/jobs/batch/actions/readSource.ts';
import { prepareBatch, startBatch } from '../../src/features/jobs/batch/actions/prepareBatch.ts';
import { BatchRunner } from '../../src/features/jobs/batch/actions/runBatch.ts';
import { batchPlatform, clientTo } from '../features/jobs/batch/batchSupport.ts';
import { cleanUp, dataDirectory, eventually, type Api } from '../platform/support.ts';
import { completeLines } from '../support/completeLines.ts';
import { faultyEndpoint, launchBuilt } from './support.ts';

const ROWS = 2_000;
const WORKERS = 4;
/** Numbers of ended rows at which the platform is killed, and at which the runner is dropped. */
const PLATFORM_KILLS = [300, 1_100];
const RUNNER_DROPS = [600, 1_500];

describe('A batch of jobs', () => {
  afterEach(cleanUp);

  it(`runs each of ${ROWS} rows exactly once despite kills of the platform and of its runner`, async () => {
    const dataDir = await dataDirectory();
    const folder = await dataDirectory();
    const effects = path.join(folder, 'effects');
    const args = ['--json', '--data-dir', dataDir, '--api-key', 'faults'];
    let platform = await launchBuilt(args);
    let api = await platform.api();
    const endpoint = await api.createEndpoint(faultyEndpoint(effects, { workers: { min: WORKERS, max: WORKERS } }));
    const { platform: batch, use } = batchPlatform(clientTo(api.addresses));

    const source = path.join(folder, 'rows.jsonl');
    const inputs = Array.from({ length: ROWS }, (_, row) => JSON.stringify({ do: 'echo', value: row + 1 }));
    await writeFile(source, inputs.join('\n'));
    const found = await findSource(source);
    assert.ok(found);
    const { signal } = new AbortController();
    const prepared = await prepareBatch(folder, { source: found, member: '', signal });
    const target = {
      connectionId: 'local',
      endpointId: endpoint.id,
      endpointName: 'test',
      pricePerHour: 1,
      member: '',
    };
    await startBatch(prepared, target, systemClock);

    const open = () =>
      BatchRunner.open({ folder: prepared.folder, platform: batch, clock: systemClock, maxInFlight: () => 40 });
    let runner = await open();
    let run = runner.run();
    const points = [
      ...PLATFORM_KILLS.map((at) => ({ at, kills: 'platform' })),
      ...RUNNER_DROPS.map((at) => ({ at, kills: 'runner' })),
    ].sort((a, b) => a.at - b.at);
    for (const { at, kills } of points) {
      await eventually(`${at} rows have ended`, () => runner.progress.counts.completed >= at, 60_000);
      if (kills === 'platform') {
        platform.kill('SIGKILL');
        await platform.exit;
        platform = await launchBuilt(args);
        api = await platform.api();
        use(clientTo(api.addresses));
      } else {
        await runner.drop();
        assert.equal(await run, undefined);
        await writeFile(source, 'changed');
        runner = await open();
        run = runner.run();
      }
    }
    assert.equal(await run, 'done');

    const { state } = await readJournal(prepared.folder);
    assert.deepEqual([state.counts.completed, state.left, state.counts.uncertain], [ROWS, 0, 0]);
    await assertOneJobPerRow(api, endpoint);
    await assertEachRowOnce(prepared.folder, effects);
  });
});

/** Asserts that the platform has as many jobs as there are rows. */
async function assertOneJobPerRow(api: Api, { id: endpointId }: Endpoint): Promise<void> {
  const { jobs } = await api.call(operations.getEndpointHealth, { parameters: { endpointId } });
  assert.deepEqual([jobs.completed, jobs.failed, jobs.inQueue, jobs.inProgress], [ROWS, 0, 0, 0]);
}

/**
 * Asserts that each row has the result of its own job, and that the result of each job was acknowledged at most once. A killed platform
 * can acknowledge a result without an answer to the worker, so the worker can record fewer.
 */
async function assertEachRowOnce(folder: string, effects: string): Promise<void> {
  const results = (await readFile(path.join(folder, 'results.jsonl'), 'utf8')).trimEnd().split('\n');
  const { state } = await readJournal(folder);
  const text = await readFile(path.join(folder, 'results.jsonl'));
  const jobs = new Set<string>();
  for (let row = 1; row <= ROWS; row++) {
    const place = state.resultOf(row);
    assert.ok(place);
    const result = JSON.parse(text.subarray(place.at, place.at + place.length).toString()) as {
      readonly row: number;
      readonly id: string;
      readonly output: { readonly value: number };
    };
    assert.deepEqual([result.row, result.output.value], [row, row]);
    jobs.add(result.id);
  }
  assert.equal(jobs.size, ROWS, 'two rows have the same job');
  assert.ok(results.length >= ROWS);

  const executed = new Map<string, number>();
  const acknowledged = new Map<string, number>();
  for (const line of await completeLines(effects)) {
    const [what, job = ''] = line.split(' ');
    if (what === 'executed') executed.set(job, (executed.get(job) ?? 0) + 1);
    if (what === 'acknowledged') acknowledged.set(job, (acknowledged.get(job) ?? 0) + 1);
  }
  assert.deepEqual([...executed.keys()].sort(), [...jobs].sort(), 'a job that is not of a row was executed');
  const twice = [...acknowledged].filter(([, times]) => times > 1);
  assert.deepEqual(twice, []);
  // A kill returns the jobs of the platform's workers to the queue: at most one for each worker and kill.
  const repeated = [...executed.values()].filter((times) => times > 1).length;
  assert.ok(repeated <= PLATFORM_KILLS.length * WORKERS, `${repeated} jobs were executed more than once`);
}
