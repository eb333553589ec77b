import assert from 'node:assert/strict';
import path from 'node:path';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { eventually, type Api } from '../platform/support.ts';
import {
  assertChargedOnce,
  assertRecovered,
  keepEndedUsage,
  submitUntilKilled,
  type Observed,
} from './killedPlatform.ts';
import { launchBuilt, printCounts, readEffects, repeatedIn } from './support.ts';

const CLIENTS = 3;
const MIN_WORKERS = 2;
const API_KEY = 'faults';
/** A network volume, which all workers mount. They record their actions there. */
const VOLUME = '/data';

/** A container engine or cluster on which a platform runs fixtures/worker.mjs, and what is killed there besides the platform. */
export interface KilledWorld {
  /** Flags that select the engine. */
  readonly flags: readonly string[];
  /** Additional environment variables of the platform. */
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir: string;
  readonly endpoint: Partial<CreateEndpointBody>;
  /** Maximum time until a kill, in ms. A worker starts within this time, so some kills hit a start, and some hit running jobs. */
  readonly maxPauseMs: number;
  /** Whether workers outlive the platform. Others are charged at most until its end. */
  readonly outlive: boolean;
  /** Further phases in which the platform is killed. Each resolves once a worker is in the phase. */
  readonly phases?: Readonly<Record<string, () => Promise<void>>>;
  /** Kills by the name of the victim. */
  readonly victims: Readonly<Record<string, () => Promise<void>>>;
  /** Resolves with the names of everything that belongs to workers. */
  readonly leftovers: () => Promise<readonly string[]>;
}

/** Kills the platform and other victims under load, and asserts that no job is lost, repeated, or charged twice, and nothing is left. */
export async function killUnderLoad(
  name: string,
  kills: number,
  random: () => number,
  world: KilledWorld,
): Promise<void> {
  const { dataDir } = world;
  const args = ['--json', '--data-dir', dataDir, '--api-key', API_KEY, ...world.flags];
  const observed: Observed = { accepted: new Set(), seenEnded: new Map() };
  const phases = {
    working: () => untilNoted('executed'),
    delivering: () => untilNoted('acknowledged'),
    ...world.phases,
  };
  const phaseOf = new Map<string, () => Promise<void>>([
    ['platform', () => new Promise((resolve) => setTimeout(resolve, random() * world.maxPauseMs))],
    ...Object.entries(phases).map(([phase, reached]) => [`platform while ${phase}`, reached] as const),
  ]);
  const victims = [...phaseOf.keys(), ...Object.keys(world.victims)];
  const killed: Record<string, number> = Object.fromEntries(victims.map((victim) => [victim, 0]));
  const killedAt: number[] = [];
  const began = Date.now();
  const database = path.join(dataDir, 'platform.sqlite');
  keepEndedUsage(database);

  const start = () => launchBuilt(args, [], world.env);
  let platform = await start();
  const { endpoint, effects } = await createEndpoint(await platform.api(), world);
  /** Resolves once a worker notes the action for one more job. */
  const untilNoted = async (action: 'executed' | 'acknowledged'): Promise<void> => {
    const count = async (): Promise<number> => (await readEffects(effects))[action].size;
    const before = await count();
    await eventually(`one more job is ${action}`, async () => (await count()) > before, 90_000);
  };
  let load = startLoad(platform, endpoint, observed, random);
  for (let kill = 0; kill < kills; kill++) {
    const victim = victims[kill < victims.length ? kill : Math.floor(random() * victims.length)] ?? 'platform';
    const reached = phaseOf.get(victim);
    if (reached) {
      await reached();
      platform.kill('SIGKILL');
      killedAt.push(Date.now());
      await platform.exit;
      await load.end();
      platform = await start();
      load = startLoad(platform, endpoint, observed, random);
    } else {
      await new Promise((resolve) => setTimeout(resolve, random() * world.maxPauseMs));
      await world.victims[victim]?.();
    }
    killed[victim] = (killed[victim] ?? 0) + 1;
  }
  await load.end();

  const api = await platform.api();
  await assertRecovered(api, endpoint, observed);
  const charged = await assertChargedOnce(api, endpoint, database, world.outlive ? [] : killedAt, async () => {
    platform.kill('SIGTERM');
    assert.equal((await platform.exit).code, 0);
  });
  const { acknowledged, executed, pids } = await readEffects(effects);
  const twice = [...acknowledged].filter(([, times]) => times > 1);
  assert.deepEqual(twice, [], 'results were acknowledged twice');
  assert.ok(observed.accepted.size > kills, `only ${observed.accepted.size} jobs were accepted`);
  // A kill can hit a worker before its program starts.
  assert.ok(pids.length > MIN_WORKERS, `only ${pids.length} workers ran`);
  assert.deepEqual(await world.leftovers(), [], 'something is left after the platform ended');
  const killsOf = Object.fromEntries(Object.entries(killed).map(([victim, times]) => [`kills of ${victim}`, times]));
  printCounts(name, {
    ...{ jobs: observed.accepted.size, ...killsOf, workers: pids.length, 'charged runs': charged },
    'jobs that ran again': repeatedIn(executed),
    seconds: Math.round((Date.now() - began) / 1_000),
  });
}

type LaunchedPlatform = Awaited<ReturnType<typeof launchBuilt>>;

async function createEndpoint(api: Api, world: KilledWorld): Promise<{ endpoint: Endpoint; effects: string }> {
  const { id } = await api.call(operations.createNetworkVolume, {
    body: { name: 'effects', size: 10, dataCenter: 'EU-RO-1' },
  });
  const endpoint = await api.createEndpoint({
    env: { EFFECTS: `${VOLUME}/effects` },
    mounts: { network: [{ volumeId: id, path: VOLUME }] },
    workers: { min: MIN_WORKERS, max: 3 },
    ...world.endpoint,
  });
  return { endpoint, effects: path.join(world.dataDir, 'volumes', id, 'effects') };
}

/** Submits jobs until the platform is killed, or until `end`. */
function startLoad(platform: LaunchedPlatform, endpoint: Endpoint, observed: Observed, random: () => number) {
  const over = new AbortController();
  const submit = (api: Api) => submitUntilKilled(api, endpoint, observed, random, over.signal);
  const work = platform.api().then((api) => Promise.all(Array.from({ length: CLIENTS }, () => submit(api))));
  return {
    end: async (): Promise<void> => {
      over.abort();
      await work.catch((error: unknown) => {
        // A platform that is killed before its announcement does not answer.
        if (error instanceof assert.AssertionError) throw error;
      });
    },
  };
}
