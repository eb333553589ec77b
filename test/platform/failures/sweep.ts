import assert from 'node:assert/strict';
import { operations } from '../../../src/contract/operations.ts';
import { failWrite } from '../failingWrites.ts';
import { contentsOf } from './contents.ts';
import { FailureWorld, type Call, type FakeWorker } from './failureWorld.ts';
import type { FakeProcess } from './fakeRuntime.ts';
import { checkHeld, checkInvariants } from './invariants.ts';

/** Something that the platform is asked to do, or that happens to it, while its disk is full. */
export interface Scenario<State = undefined> {
  readonly name: string;
  /** What is there before. */
  readonly arrange: (world: FailureWorld) => Promise<State> | State;
  /**
   * What is done. A call that is refused has to leave everything as it was, and to succeed when it is made again.
   *
   * @returns the calls whose refusal counts; none for what nobody can be refused
   */
  readonly act: (world: FailureWorld, state: State) => Call | void | Promise<Call | void>;
  /** What is done once the disk has room again, before the platform has its time. */
  readonly recover?: (world: FailureWorld, state: State) => Promise<void>;
  /** What has been told: compared with what is stored, after the disk has room again, and after a retry. */
  readonly verify?: (world: FailureWorld, state: State) => Promise<void> | void;
}

/** No scenario has as many writes. */
const MOST_WRITES = 150;
/** Time in which the disk is full, in ms; and in which everything that was put off is done. */
const OUTAGE_MS = 2_500;
const RECOVERY_MS = 10_000;

/**
 * How the disk fails, and how the platform ends afterwards. One write fails at every place in turn. A disk that is full for a while begins
 * to be so at every fourth: what differs is how often something is tried again.
 */
const DISASTERS = {
  'one write fails, and the platform is started again later': { lasting: false, end: 'restart', step: 1 },
  'all writes fail for a while, and the platform is killed later': { lasting: true, end: 'kill', step: 4 },
} as const;

type Disaster = (typeof DISASTERS)[keyof typeof DISASTERS];

/** What a run of a scenario comes to. Every run has to come to the same. */
interface Outcome {
  readonly contents: unknown;
  readonly timers: readonly string[];
  readonly afterStart: unknown;
}

/** A test for each way in which the disk fails, in which each write of the scenario fails in turn. */
export function sweep<State>(scenario: Scenario<State>): void {
  for (const [how, disaster] of Object.entries(DISASTERS)) {
    it(`${scenario.name}, when ${how}`, async () => {
      const { outcome: undisturbed } = await run(scenario, Infinity, disaster);
      for (let n = 1; ; n += disaster.step) {
        assert.ok(n < MOST_WRITES);
        const { failed, outcome } = await run(scenario, n, disaster).catch((error: unknown) => {
          throw explained(error, `write ${n} failed`);
        });
        if (!failed) {
          assert.ok(n > 1, 'the scenario writes');
          return;
        }
        assert.deepEqual(outcome, undisturbed, `after write ${n} failed`);
      }
    });
  }
}

function explained(error: unknown, when: string): unknown {
  return new Error(`when ${when}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

async function run<State>(scenario: Scenario<State>, n: number, disaster: Disaster) {
  const world = await FailureWorld.open();
  let failing: ReturnType<typeof failWrite> | undefined;
  try {
    const state = await scenario.arrange(world);
    await world.pass(100);
    const before = contentsOf(world);
    failing = failWrite(n, disaster);
    const call = await scenario.act(world, state);
    await world.pass(OUTAGE_MS);
    checkHeld(world);
    const failed = failing.failed();
    failing.restore();
    await scenario.recover?.(world, state);
    await world.pass(RECOVERY_MS);
    await checkInvariants(world);
    if (call?.answer && call.answer.status >= 500) {
      assert.deepEqual(contentsOf(world), before, 'what was refused is not stored');
      const again = await scenario.act(world, state);
      await world.pass(OUTAGE_MS + RECOVERY_MS);
      // A caller that waits for the end of a job is answered later.
      if (again?.answer) await world.succeeds(again);
      await checkInvariants(world);
    } else if (call?.answer) await world.succeeds(call);
    await scenario.verify?.(world, state);
    assert.deepEqual(world.lies, [], 'what was told was stored');
    await finishJobs(world);
    const open = world.calls.filter(({ answer, what }) => !answer && !what.includes('/job-'));
    assert.deepEqual(
      open.map(({ what }) => what),
      [],
      'every caller is answered',
    );
    const [contents, timers] = [contentsOf(world), world.clock.armed()];
    await world[disaster.end]();
    await world.pass(RECOVERY_MS);
    await checkInvariants(world);
    return { failed, outcome: { contents, timers, afterStart: contentsOf(world) } satisfies Outcome };
  } finally {
    failing?.restore();
    await world.close();
  }
}

/** Has the workers finish all jobs, so that nobody waits for anything any more. */
async function finishJobs(world: FailureWorld): Promise<void> {
  const asked = new Set<FakeProcess>();
  const isNew = ({ process }: FakeWorker): boolean => !asked.has(process);
  for (let round = 0; round < MOST_ROUNDS && (unfinished(world) > 0 || world.workers().some(isNew)); round++) {
    for (const worker of world.workers()) {
      for (const id of worker.jobs()) await world.succeeds(worker.done(id));
      worker.toStop();
      worker.take(MOST_ROUNDS);
      asked.add(worker.process);
    }
    await world.pass(100);
  }
  for (const call of world.calls) call.hangUp();
  await world.pass(OUTAGE_MS);
}

const MOST_ROUNDS = 10;

/** How many jobs there are that a worker is to finish. */
function unfinished({ store }: FailureWorld): number {
  const endpointIds = store.endpoints.list().flatMap(({ id, workers }) => (workers.max > 0 ? id : []));
  const counts = endpointIds.map((id) => store.jobs.count(id));
  return counts.reduce((sum, { IN_QUEUE, IN_PROGRESS }) => sum + IN_QUEUE + IN_PROGRESS, 0);
}

/** A synchronous request whose caller waits until the job has ended. */
export function runSync(world: FailureWorld, endpointId: string, rest: object = {}): Call {
  return world.call(operations.runJobSync, {
    ...{ parameters: { endpointId }, query: { wait: 300_000 }, body: { input: {}, ...rest } },
  });
}
