import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import {
  MAX_SIMULATED_ARRIVALS,
  SIMULATION_EXIT_CODES,
  SimulationEvent,
} from '../../../src/contract/launch/simulation.ts';
import { SIMULATION_PROGRAM } from '../../support/programs.ts';
import { afterwards, cleanUp } from '../support.ts';
import { loadOf, settingsOf } from './simulationSupport.ts';

function startSimulation() {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', SIMULATION_PROGRAM]);
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  // The process may end before it has read its input.
  child.stdin.on('error', () => undefined);
  afterwards(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return { child, exited };
}

/** Simulates a request. Resolves with the code of the process and what it prints. */
async function ended(input: string) {
  const { child, exited } = startSimulation();
  child.stdin.end(input);
  const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, out, error };
}

const eventsOf = (out: string): SimulationEvent[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => SimulationEvent.parse(JSON.parse(line)));

describe('The process of the simulation', function () {
  this.timeout(120_000);
  afterEach(cleanUp);

  const request = (changes: object) => JSON.stringify({ load: loadOf([0]), settings: [settingsOf()], ...changes });

  it('prints a result for each settings, and then the end', async () => {
    const settings = [1, 2, 3, 4, 5].map((min) => settingsOf({ id: `minimum ${min}`, min, max: 5 }));
    const { code, out, error } = await ended(request({ settings }));
    assert.deepEqual([code, error], [SIMULATION_EXIT_CODES.ok, '']);
    const events = eventsOf(out);
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'result' ? [event.result.id] : [])).sort(),
      settings.map(({ id }) => id),
    );
    assert.deepEqual(events.at(-1), { type: 'end' });
  });

  it('simulates a load without jobs', async () => {
    const { code, out } = await ended(request({ load: loadOf([]) }));
    assert.deepEqual([code, eventsOf(out).length], [SIMULATION_EXIT_CODES.ok, 2]);
  });

  const load = loadOf([0]);
  const invalid: Readonly<Record<string, string>> = {
    'no JSON': '{"load":',
    'an empty input': '',
    'a number that is not finite': request({}).replace('"usdPerSecond":1', '"usdPerSecond":1e999'),
    'arrivals in another order': request({ load: { ...load, arrivalsMs: [2, 1] } }),
    'an arrival that is not a number': request({ load: { ...load, arrivalsMs: [Number.NaN] } }),
    'a negative time': request({ load: { ...load, executionsMs: [-1] } }),
    'no execution times': request({ load: { ...load, executionsMs: [] } }),
    'no settings': request({ settings: [] }),
    'too many arrivals': request({ load: { ...load, arrivalsMs: new Array(MAX_SIMULATED_ARRIVALS + 1).fill(0) } }),
    'too many workers': request({ settings: [{ ...settingsOf(), max: 1e9 }] }),
    'a request that is too large': ' '.repeat(128 * 1_048_576 + 1),
  };
  for (const [what, input] of Object.entries(invalid))
    it(`refuses ${what} with one sentence`, async () => {
      const { code, out, error } = await ended(input);
      assert.deepEqual([code, out], [SIMULATION_EXIT_CODES.badRequest, '']);
      assert.match(error, /^The request [^\n]{1,200}\.\n$/);
    });

  it('prints results before all settings are simulated, and ends with its threads when it is killed', async () => {
    const { child, exited } = startSimulation();
    const arrivals = Array.from({ length: 200_000 }, (_, index) => index * 700);
    const settings = Array.from({ length: 5_000 }, (_, index) =>
      settingsOf({ id: String(index), max: 3, idleTimeoutMs: index }),
    );
    child.stdin.end(request({ load: loadOf(arrivals), settings }));
    const lines = createInterface({ input: child.stdout });
    const [first] = (await once(lines, 'line')) as [string];
    assert.equal(SimulationEvent.parse(JSON.parse(first)).type, 'result');
    // Threads that still ran would keep the output open.
    const closed = once(child, 'close');
    child.kill();
    assert.deepEqual(await exited, [null, 'SIGTERM']);
    await closed;
  });

  it('ends once nobody reads its results', async () => {
    const { child, exited } = startSimulation();
    const arrivals = Array.from({ length: 100_000 }, (_, index) => index * 700);
    const settings = Array.from({ length: 5_000 }, (_, index) =>
      settingsOf({ id: String(index), idleTimeoutMs: index }),
    );
    child.stdin.end(request({ load: loadOf(arrivals), settings }));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [code] = await exited;
    assert.equal(code, SIMULATION_EXIT_CODES.failed);
  });
});
