import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SimulationRequest, SimulationResult } from '../../src/contract/launch/simulation.ts';
import { runSimulation } from '../../src/machine/simulationProcess.ts';
import { SIMULATION_PROGRAM } from '../support/programs.ts';

const request: SimulationRequest = {
  load: {
    ...{ type: 'QUEUE', durationMs: 60_000, arrivalsMs: [0, 1_000], executionsMs: [500], coldStartsMs: [2_000] },
    ...{ processStartsMs: [0], resumesMs: [100], handOverMs: 0, concurrency: 1 },
  },
  settings: ['a', 'b', 'c'].map((id, index) => ({
    ...{ id, scaling: { type: 'QUEUE_DELAY', queueDelay: 1 }, min: 0, max: index + 1, idleTimeoutMs: 5_000 },
    ...{ flashboot: 'OFF', usdPerSecond: 0.001, executionFactor: 1 },
  })),
};

const RESULT = JSON.stringify({
  type: 'result',
  result: {
    ...{ id: 'a', usd: 1, waitMs: { p50: 1, p90: 1, p95: 1, p99: 1, max: 1 }, completed: 2, timedOut: 0 },
    ...{ coldStarts: 1, resumes: 0, peakWorkers: 1, utilization: 0.5 },
  },
});

describe('a run of the simulation', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-simulation-'));
  });

  after(() => rm(folder, { recursive: true }));

  /** Runs a program in place of the simulation, for what the real one does not do. */
  const run = async (code: string, signal = new AbortController().signal, onResult: () => void = () => undefined) => {
    const script = path.join(folder, `${Math.random()}.mjs`);
    await writeFile(script, code);
    return runSimulation({ script, request, onResult, signal });
  };

  it('passes on each result of the real simulation', async () => {
    const results: SimulationResult[] = [];
    const { signal } = new AbortController();
    const end = await runSimulation({
      script: SIMULATION_PROGRAM,
      request,
      signal,
      onResult: (one) => results.push(one),
    });
    assert.deepEqual(end, { kind: 'done' });
    assert.deepEqual(results.map(({ id, completed }) => `${id} ${completed}`).sort(), ['a 2', 'b 2', 'c 2']);
  });

  it('tells why the process ended early', async () => {
    assert.deepEqual(await run('console.error("no memory"); process.exit(3)'), { kind: 'died', detail: 'no memory' });
    assert.deepEqual(await run('process.exit(3)'), { kind: 'died', detail: 'it exited with code 3' });
    assert.deepEqual(await run('process.kill(process.pid, "SIGKILL")'), { kind: 'died', detail: 'SIGKILL' });
    assert.deepEqual(await run(`console.log(${JSON.stringify(RESULT)})`), {
      kind: 'died',
      detail: 'it exited with code 0',
    });
  });

  it('rejects lines that are no events', async () => {
    assert.deepEqual(await run('console.log("hello"); setInterval(() => {}, 1000)'), {
      kind: 'invalid',
      detail: 'hello',
    });
    assert.deepEqual(await run('console.log("{}")'), { kind: 'invalid', detail: '{}' });
  });

  it('kills the process when it is canceled', async () => {
    const controller = new AbortController();
    const endless = `console.log(${JSON.stringify(RESULT)}); setInterval(() => {}, 1000)`;
    const end = await run(endless, controller.signal, () => controller.abort());
    assert.deepEqual(end, { kind: 'canceled' });
    assert.deepEqual(await run('', AbortSignal.abort()), { kind: 'canceled' });
  });

  it('reports a missing program', async () => {
    const { signal } = new AbortController();
    const script = path.join(folder, 'missing.mjs');
    const end = await runSimulation({ script, request, signal, onResult: () => undefined });
    assert.ok(end.kind === 'died');
    assert.match(end.detail, /^Error: Cannot find module /);
  });
});
