import assert from 'node:assert/strict';
import { operations } from '../../../src/contract/operations.ts';
import { failWrite } from '../failingWrites.ts';
import { contentsOf } from './contents.ts';
import { FailureWorld, type Call, type FakeWorker } from './failureWorld.ts';
import type { FakeProcess } from './fakeRuntime.ts';
import { checkHeld, checkInvariants } from './invariants.ts';

/** An operation or event while the disk of the platform is full. */
export interface Scenario<State = undefined> {
  readonly name: string;
  /** Prepares the state before the disk is full. */
  readonly arrange: (world: FailureWorld) => Promise<State> | State;
  /**
   * Performs the operation. A call that is refused must leave everything unchanged, and must succeed when it is repeated.
   *
   * @returns the call that can be refused, or nothing
   */
  readonly act: (world: FailureWorld, state: State) => Call | void | Promise<Call | void>;
  /** Runs once the disk has room again, before the clock is advanced. */
  readonly recover?: (world: FailureWorld, state: State) => Promise<void>;
  /** Checks the outcome after the disk has room again, and after a repeated call. */
  readonly verify?: (world: FailureWorld, state: State) => Promise<void> | void;
}

/** Upper bound for the number of writes of a scenario. */
const MAX_WRITES = 150;
/** Duration of the full disk, in ms. */
const OUTAGE_MS = 2_500;
/** Time after which all retries are done, in ms. */
const RECOVERY_MS = 10_000;

/**
 * How the disk fails, and how the platform ends afterward. A single failure is tested at every write. A full disk is tested from every
 * fourth write on, because only the number of retries differs.
 */
const DISK_FAILURES = {
  'a single failed write and a restart': { lasting: false, end: 'restart', step: 1 },
  'a temporarily full disk and a kill': { lasting: true, end: 'kill', step: 4 },
} as const;

type DiskFailure = (typeof DISK_FAILURES)[keyof typeof DISK_FAILURES];

/** Outcome of a run of a scenario. All runs must have the same outcome. */
interface Outcome {
  readonly contents: unknown;
  readonly timers: readonly string[];
  readonly afterStart: unknown;
}

/** Defines a test for each kind of disk failure. In each test, every write of the scenario fails in turn. */
export function sweep<State>(scenario: Scenario<State>): void {
  for (const [how, failure] of Object.entries(DISK_FAILURES)) {
    it(`${scenario.name} has the same outcome after ${how}`, async () => {
      const { outcome: undisturbed } = await run(scenario, Infinity, failure);
      for (let n = 1; ; n += failure.step) {
        assert.ok(n < MAX_WRITES);
        const { failed, outcome } = await run(scenario, n, failure).catch((error: unknown) => {
          throw withContext(error, `write ${n} failed`);
        });
        if (!failed) {
          assert.ok(n > 1, 'the scenario writes to the store');
          return;
        }
        assert.deepEqual(outcome, undisturbed, `after write ${n} failed`);
      }
    });
  }
}

function withContext(error: unknown, when: string): unknown {
  return new Error(`when ${when}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

async function run<State>(scenario: Scenario<State>, n: number, failure: DiskFailure) {
  const world = await FailureWorld.open();
  let failing: ReturnType<typeof failWrite> | undefined;
  try {
    const state = await scenario.arrange(world);
    await world.advance(100);
    const before = contentsOf(world);
    failing = failWrite(n, failure);
    const call = await scenario.act(world, state);
    await world.advance(OUTAGE_MS);
    checkHeld(world);
    const failed = failing.failed();
    failing.restore();
    await scenario.recover?.(world, state);
    await world.advance(RECOVERY_MS);
    await checkInvariants(world);
    if (call?.answer && call.answer.status >= 500) {
      assert.deepEqual(contentsOf(world), before, 'a refused call stores nothing');
      const again = await scenario.act(world, state);
      await world.advance(OUTAGE_MS + RECOVERY_MS);
      // A caller that waits for the end of a job receives its response later.
      if (again?.answer) await world.succeeds(again);
      await checkInvariants(world);
    } else if (call?.answer) await world.succeeds(call);
    await scenario.verify?.(world, state);
    assert.deepEqual(world.lies, [], 'everything that was reported was stored');
    await finishJobs(world);
    const open = world.calls.filter(({ answer, what }) => !answer && !what.includes('/job-'));
    assert.deepEqual(
      open.map(({ what }) => what),
      [],
      'every caller has a response',
    );
    const [contents, timers] = [contentsOf(world), world.clock.pendingOrigins()];
    await world[failure.end]();
    await world.advance(RECOVERY_MS);
    await checkInvariants(world);
    return { failed, outcome: { contents, timers, afterStart: contentsOf(world) } satisfies Outcome };
  } finally {
    failing?.restore();
    await world.close();
  }
}

/** Lets the workers finish all jobs, so that every caller receives a response. */
async function finishJobs(world: FailureWorld): Promise<void> {
  const polled = new Set<FakeProcess>();
  const isNew = ({ process }: FakeWorker): boolean => !polled.has(process);
  for (let round = 0; round < MAX_ROUNDS && (countUnfinished(world) > 0 || world.workers().some(isNew)); round++) {
    for (const worker of world.workers()) {
      for (const id of worker.jobs()) await world.succeeds(worker.done(id));
      worker.toStop();
      worker.take(MAX_ROUNDS);
      polled.add(worker.process);
    }
    await world.advance(100);
  }
  for (const call of world.calls) call.hangUp();
  await world.advance(OUTAGE_MS);
}

const MAX_ROUNDS = 10;

/** Returns the number of jobs that workers still have to finish. */
function countUnfinished({ store }: FailureWorld): number {
  const endpointIds = store.endpoints.list().flatMap(({ id, workers }) => (workers.max > 0 ? id : []));
  const counts = endpointIds.map((id) => store.jobs.count(id));
  return counts.reduce((sum, { IN_QUEUE, IN_PROGRESS }) => sum + IN_QUEUE + IN_PROGRESS, 0);
}

/** Submits a job with a request whose caller waits until the job has ended. */
export function runSync(world: FailureWorld, endpointId: string, rest: object = {}): Call {
  return world.call(operations.runJobSync, {
    ...{ parameters: { endpointId }, query: { wait: 300_000 }, body: { input: {}, ...rest } },
  });
}
