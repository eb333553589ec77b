import assert from 'node:assert/strict';
import fc from 'fast-check';
import { writeSystemLine } from '../../../src/contract/systemLines.ts';
import type { StartProgress } from '../../../src/platform/domain/startProgress.ts';
import { workerStatus } from '../../../src/platform/domain/worker.ts';
import { HEALTHY_AFTER_MS } from '../../../src/platform/domain/workerEnds.ts';
import type { Step, WorkerEffect, WorkerEvent } from '../../../src/platform/domain/workerEvents.ts';
import { adoptedLifecycle, createLifecycle, transition } from '../../../src/platform/domain/workerLifecycle.ts';
import { SLOW_START_MS } from '../../../src/platform/domain/workerStarts.ts';
import {
  holdsSlot,
  isDraining,
  isEnding,
  isStopping,
  processOf,
  viewOf,
  type FrozenProcess,
  type Health,
  type LiveProcess,
  type WorkerLifecycle,
  type WorkerState,
} from '../../../src/platform/domain/workerState.ts';

const now = Date.parse('2026-03-01T00:00:00Z');
const IDENTITY = { id: 'w', image: 'process:/', gpuCount: 0, gpus: [], load: 0 };

const live = (health: Health): LiveProcess => ({ startedAt: now - 5_000, health });
const frozen = (health: Health, ending = false): FrozenProcess => ({ ...live(health), ending });
const starting = (changes: { ready?: boolean; restart?: boolean } = {}): WorkerState => ({
  ...{ kind: 'starting', ready: false, restart: false, progress: undefined, ...changes },
});

/** All states, with every combination of data that affects an event. */
const STATES = {
  waiting: { kind: 'waiting', process: undefined, wait: undefined },
  'waiting with a process': { kind: 'waiting', process: frozen('ready'), wait: undefined },
  'waiting with a process that is ending': { kind: 'waiting', process: frozen('ready', true), wait: undefined },
  starting: starting(),
  'starting, ready': starting({ ready: true }),
  'starting, to restart': starting({ restart: true }),
  'up, not ready': { kind: 'up', process: live('notReady') },
  'up, ready': { kind: 'up', process: live('ready') },
  'up, sick': { kind: 'up', process: live('sick') },
  restarting: { kind: 'restarting', process: live('notReady') },
  frozen: { kind: 'frozen', process: frozen('ready') },
  'frozen with a process that is ending': { kind: 'frozen', process: frozen('ready', true) },
  'frozen without a process': { kind: 'frozen', process: undefined },
  paused: { kind: 'paused', until: now + 1_000 },
  canceling: { kind: 'canceling', ready: false },
  'finishing with a process': { kind: 'finishing', process: live('notReady'), holdsSlot: true },
  'finishing with a frozen process': { kind: 'finishing', process: live('ready'), holdsSlot: false },
  'finishing without a process': { kind: 'finishing', process: undefined, holdsSlot: true },
  'finishing without a process or a slot': { kind: 'finishing', process: undefined, holdsSlot: false },
  stopping: { kind: 'stopping', process: live('notReady'), holdsSlot: true },
  'stopping without a slot': { kind: 'stopping', process: live('ready'), holdsSlot: false },
  stopped: { kind: 'stopped' },
} as const satisfies Record<string, WorkerState>;

/** Whether a process runs or is being started. */
const hasRun = (state: WorkerState): boolean =>
  processOf(state) !== undefined || state.kind === 'starting' || state.kind === 'canceling';

type StateName = keyof typeof STATES;
const STATE_NAMES = Object.keys(STATES) as StateName[];

const EVENTS = {
  queued: { kind: 'queued', wait: { kind: 'waitingForSlot', total: 3 } },
  admitted: { kind: 'admitted' },
  progressed: { kind: 'progressed', progress: { kind: 'pulling', percent: 43 } },
  started: { kind: 'started', startedAt: now - 10, label: 'process 7' },
  startFailed: { kind: 'startFailed', reason: 'no such program' },
  startAborted: { kind: 'startAborted' },
  notAdopted: { kind: 'notAdopted' },
  unreachable: { kind: 'unreachable', reason: 'no response' },
  reachable: { kind: 'reachable' },
  ready: { kind: 'ready' },
  notReady: { kind: 'notReady', reason: 'it answered 500', sick: true },
  overdue: { kind: 'overdue', isServer: true },
  ended: { kind: 'ended', how: 'exited with code 1', lastLines: ['first', 'last'] },
  idle: { kind: 'idle' },
  delivered: { kind: 'delivered' },
  adopted: { kind: 'adopted', version: 2 },
  retired: { kind: 'retired', reason: 'outdated', busy: true },
  freeze: { kind: 'freeze' },
  thaw: { kind: 'thaw' },
  restart: { kind: 'restart', reason: 'requested' },
  held: { kind: 'held' },
  released: { kind: 'released' },
  pauseOver: { kind: 'pauseOver' },
  engineBack: { kind: 'engineBack' },
  stop: { kind: 'stop', reason: 'scaled down' },
  workFinished: { kind: 'workFinished' },
} as const satisfies { readonly [Kind in WorkerEvent['kind']]: WorkerEvent & { readonly kind: Kind } };

type EventName = keyof typeof EVENTS;

/** Expected outcome: the state's kind, then the effects in order. A log line is `"..."`. */
type Outcome = readonly [WorkerState['kind'], ...string[]];

const STARTED = ['"process 7 started"', 'watchStart 60000'];
const CRASHED = [
  'closeRun: exited with code 1',
  `"the worker's process exited with code 1 after 5.0 s; its last lines:"`,
  '"    first"',
  '"    last"',
  '"worker is unhealthy (failure 1 in a row); next start in 1 s"',
  ...['pause 1000', 'releaseSlot', 'changed'],
];
const ENDED = ['closeRun: exited with code 1, intended', '"process exited with code 1"'];
const STOP = ['"stop worker: scaled down"', 'finishWork'];
const READY = ['"worker is ready"', 'changed'];
const NOT_READY = ['"worker is not ready: it answered 500"', 'changed'];
const OVERDUE = '"not ready 60 s after its start: its health check has not returned 200"';
const RESTART = '"restart worker: requested"';
const NOT_ADOPTED = '"restart worker: its process did not outlive the previous platform"';
const DEBUGGING = '"debugging started: time limits and scaling do not end the worker"';

/** Expected outcomes of each event. Omitted states ignore the event. */
const OUTCOMES: Readonly<Record<EventName, Partial<Record<StateName, Outcome>>>> = {
  queued: Object.fromEntries(
    STATE_NAMES.filter((name) => STATES[name].kind === 'waiting').map((name) => [
      name,
      ['waiting', '"this machine runs its maximum number of workers (3); waiting for a free slot"'],
    ]),
  ),
  admitted: {
    waiting: ['starting', 'start'],
    'waiting with a process': ['up', 'thaw', '"resumed from standby"', 'changed'],
    'waiting with a process that is ending': ['restarting', 'thaw', '"resumed from standby"', 'changed'],
  },
  progressed: {
    starting: ['starting', '"pulling the image: 40 %"'],
    'starting, ready': ['starting', '"pulling the image: 40 %"'],
    'starting, to restart': ['starting', '"pulling the image: 40 %"'],
  },
  started: {
    starting: ['up', ...STARTED, 'changed'],
    'starting, ready': ['up', ...STARTED, 'changed'],
    'starting, to restart': ['restarting', ...STARTED, 'endProcess', 'changed'],
    canceling: ['finishing', ...STARTED, 'finishWork', 'changed'],
  },
  startFailed: {
    ...Object.fromEntries(
      (['starting', 'starting, ready', 'starting, to restart'] as const).map((name) => [
        name,
        [
          'paused',
          '"the worker cannot be started: no such program"',
          '"worker is unhealthy (failure 1 in a row); next start in 1 s"',
          ...['pause 1000', 'releaseSlot', 'changed'],
        ],
      ]),
    ),
    canceling: ['finishing', '"the worker cannot be started: no such program"', 'finishWork', 'changed'],
  },
  startAborted: { canceling: ['finishing', 'finishWork'] },
  notAdopted: {
    starting: ['starting', NOT_ADOPTED, 'start', 'changed'],
    'starting, ready': ['starting', NOT_ADOPTED, 'start', 'changed'],
    'starting, to restart': ['starting', NOT_ADOPTED, 'start', 'changed'],
    canceling: ['finishing', 'finishWork'],
  },
  unreachable: Object.fromEntries(
    STATE_NAMES.filter((name) => hasRun(STATES[name])).map((name) => [
      name,
      [STATES[name].kind, '"worker is unhealthy: the engine that runs it cannot be reached: no response"', 'changed'],
    ]),
  ),
  reachable: {},
  ready: {
    starting: ['starting', ...READY],
    'starting, to restart': ['starting', ...READY],
    'up, not ready': ['up', ...READY],
    'up, sick': ['up', ...READY],
    restarting: ['restarting', ...READY],
    canceling: ['canceling', ...READY],
    'finishing with a process': ['finishing', ...READY],
    stopping: ['stopping', ...READY],
  },
  notReady: {
    'waiting with a process': ['waiting', ...NOT_READY],
    'waiting with a process that is ending': ['waiting', ...NOT_READY],
    'up, not ready': ['up', ...NOT_READY],
    'up, ready': ['up', ...NOT_READY],
    'up, sick': ['up', ...NOT_READY],
    restarting: ['restarting', ...NOT_READY],
    'finishing with a process': ['finishing', ...NOT_READY],
    'finishing with a frozen process': ['finishing', ...NOT_READY],
    stopping: ['stopping', ...NOT_READY],
    'stopping without a slot': ['stopping', ...NOT_READY],
  },
  overdue: {
    'up, not ready': ['up', OVERDUE],
    'up, sick': ['up', OVERDUE],
    restarting: ['restarting', OVERDUE],
    'finishing with a process': ['finishing', OVERDUE],
    stopping: ['stopping', OVERDUE],
  },
  ended: {
    'waiting with a process': ['waiting', ...ENDED, 'changed'],
    'waiting with a process that is ending': ['waiting', ...ENDED, 'changed'],
    'up, not ready': ['paused', ...CRASHED],
    'up, ready': ['paused', ...CRASHED],
    'up, sick': ['paused', ...CRASHED],
    restarting: ['starting', ...ENDED, 'start', 'changed'],
    frozen: ['frozen', ...ENDED, 'changed'],
    'frozen with a process that is ending': ['frozen', ...ENDED, 'changed'],
    'finishing with a process': ['finishing', ...ENDED, 'changed'],
    'finishing with a frozen process': ['finishing', ...ENDED, 'changed'],
    stopping: ['stopped', ...ENDED, 'releaseSlot', 'changed', 'stopped'],
    'stopping without a slot': ['stopped', ...ENDED, 'changed', 'stopped'],
  },
  idle: Object.fromEntries(STATE_NAMES.map((name) => [name, [STATES[name].kind]])),
  delivered: {},
  adopted: Object.fromEntries(STATE_NAMES.map((name) => [name, [STATES[name].kind]])),
  retired: Object.fromEntries(
    STATE_NAMES.map((name) => [name, [STATES[name].kind, '"outdated: the worker ends when it has finished its work"']]),
  ),
  freeze: Object.fromEntries(
    (['up, not ready', 'up, ready', 'up, sick'] as const).map((name) => [
      name,
      ['frozen', 'freeze', 'releaseSlot', '"scaled down: the process is frozen, for a fast start (FlashBoot)"'],
    ]),
  ),
  thaw: {
    frozen: ['waiting', 'requestSlot'],
    'frozen with a process that is ending': ['waiting', 'requestSlot'],
    'frozen without a process': ['waiting', 'requestSlot'],
  },
  restart: {
    'waiting with a process': ['waiting', RESTART, 'endProcess'],
    starting: ['starting', RESTART],
    'starting, ready': ['starting', RESTART],
    'up, not ready': ['restarting', RESTART, 'endProcess'],
    'up, ready': ['restarting', RESTART, 'endProcess'],
    'up, sick': ['restarting', RESTART, 'endProcess'],
    frozen: ['frozen', RESTART, 'endProcess'],
  },
  held: Object.fromEntries(
    STATE_NAMES.filter((name) => name !== 'stopped').map((name) => [name, [STATES[name].kind, DEBUGGING, 'changed']]),
  ),
  released: {},
  pauseOver: { paused: ['waiting', 'requestSlot'] },
  engineBack: { paused: ['waiting', 'cancelPause', 'requestSlot'] },
  stop: {
    waiting: ['finishing', 'releaseSlot', ...STOP],
    'waiting with a process': ['finishing', 'releaseSlot', ...STOP],
    'waiting with a process that is ending': ['finishing', 'releaseSlot', ...STOP],
    starting: ['canceling', '"stop worker: scaled down"', 'abortStart'],
    'starting, ready': ['canceling', '"stop worker: scaled down"', 'abortStart'],
    'starting, to restart': ['canceling', '"stop worker: scaled down"', 'abortStart'],
    'up, not ready': ['finishing', ...STOP],
    'up, ready': ['finishing', ...STOP],
    'up, sick': ['finishing', ...STOP],
    restarting: ['finishing', ...STOP],
    frozen: ['finishing', ...STOP],
    'frozen with a process that is ending': ['finishing', ...STOP],
    'frozen without a process': ['finishing', ...STOP],
    paused: ['finishing', 'cancelPause', ...STOP],
  },
  workFinished: {
    'finishing with a process': ['stopping', 'endProcess'],
    'finishing with a frozen process': ['stopping', 'endProcess'],
    'finishing without a process': ['stopped', 'releaseSlot', 'stopped'],
    'finishing without a process or a slot': ['stopped', 'stopped'],
  },
};

function describeEffect(effect: WorkerEffect): string {
  switch (effect.kind) {
    case 'log':
      return `"${writeSystemLine(effect.line)}"`;
    case 'closeRun':
      return `closeRun: ${effect.how}${effect.intended ? ', intended' : ''}`;
    case 'watchStart':
    case 'pause':
      return `${effect.kind} ${effect.ms}`;
    default:
      return effect.kind;
  }
}

const lifecycleIn = (state: WorkerState, changes: Partial<WorkerLifecycle> = {}): WorkerLifecycle => ({
  ...{ state, version: 1, retired: undefined, failures: 0, unreachable: undefined, since: now - 60_000, debuggers: 0 },
  ...changes,
});

const after = (life: WorkerLifecycle, event: WorkerEvent, at = now): Step => {
  const step = transition(life, event, at);
  assert.ok(step, `${event.kind} applies`);
  return step;
};

const statusOf = (life: WorkerLifecycle): string => workerStatus(viewOf(life, IDENTITY));

describe('Worker state machine', () => {
  for (const [name, event] of Object.entries(EVENTS) as [EventName, WorkerEvent][]) {
    it(`${name} leads to the expected states, and is ignored in all others`, () => {
      for (const from of STATE_NAMES) {
        const step = transition(lifecycleIn(STATES[from]), event, now);
        const outcome = step && [step.life.state.kind, ...step.effects.map(describeEffect)];
        assert.deepEqual(outcome, OUTCOMES[name][from], `from ${from}`);
      }
    });
  }

  it('starts again without its failures once an engine that could not be reached answers', () => {
    const refused = { kind: 'startFailed', reason: 'refused', problem: 'engineUnreachable' } as const;
    const failed = after(lifecycleIn(STATES.starting, { failures: 5 }), refused);
    assert.deepEqual(
      failed.effects.filter(({ kind }) => kind === 'pause'),
      [{ kind: 'pause', ms: 32_000, forEngine: true }],
    );
    const { life } = after(failed.life, EVENTS.engineBack);
    assert.deepEqual([life.state.kind, life.failures], ['waiting', 0]);
    const other = after(lifecycleIn(STATES.starting, { failures: 5 }), EVENTS.startFailed);
    assert.deepEqual(
      other.effects.filter(({ kind }) => kind === 'pause'),
      [{ kind: 'pause', ms: 32_000, forEngine: false }],
    );
  });

  it('starts in the queue for a slot', () => {
    const { life, effects } = createLifecycle({ id: 'w', endpointName: 'e', version: 4 }, now);
    assert.deepEqual(effects.map(describeEffect), ['"create worker w for endpoint e"', 'requestSlot']);
    assert.deepEqual([life.state, life.version, life.since], [STATES.waiting, 4, now]);
  });

  it('is not frozen while a debugger holds it', () => {
    const { life } = after(lifecycleIn(STATES['up, ready']), EVENTS.held);
    assert.equal(viewOf(life, IDENTITY).debugged, true);
    assert.equal(transition(life, EVENTS.freeze, now), undefined);
  });

  it('retires once the last of its debuggers has released it', () => {
    const both = after(after(lifecycleIn(STATES['up, ready']), EVENTS.held).life, EVENTS.held);
    assert.deepEqual(both.effects.map(describeEffect), ['changed']);
    const { life: one } = after(both.life, EVENTS.released);
    assert.deepEqual([one.retired, viewOf(one, IDENTITY).debugged], [undefined, true]);
    const { life, effects } = after(one, EVENTS.released);
    assert.deepEqual([life.retired, viewOf(life, IDENTITY).debugged], ['the debugging ended', false]);
    assert.deepEqual(effects.map(describeEffect), ['changed']);
  });

  it('keeps its debuggers when its process is restarted, and when it fails', () => {
    const { life } = after(lifecycleIn(STATES['up, ready']), EVENTS.held);
    const restarted = after(after(life, EVENTS.restart).life, EVENTS.ended).life;
    const failed = after(life, EVENTS.ended).life;
    assert.deepEqual([restarted.state.kind, restarted.debuggers], ['starting', 1]);
    assert.deepEqual([failed.state.kind, failed.debuggers], ['paused', 1]);
  });

  it('has the status that the public interface documents', () => {
    const expected: Partial<Record<StateName, string>> = {
      waiting: 'THROTTLED',
      'waiting with a process': 'THROTTLED',
      starting: 'INITIALIZING',
      'starting, ready': 'IDLE',
      'up, not ready': 'INITIALIZING',
      'up, ready': 'IDLE',
      'up, sick': 'UNHEALTHY',
      restarting: 'INITIALIZING',
    };
    for (const [name, status] of Object.entries(expected)) {
      assert.equal(statusOf(lifecycleIn(STATES[name as StateName])), status, name);
    }
    assert.equal(statusOf(lifecycleIn(STATES.paused, { failures: 1 })), 'UNHEALTHY');
    assert.equal(statusOf(lifecycleIn(STATES.starting, { failures: 1 })), 'UNHEALTHY', 'unhealthy until it is ready');
    assert.equal(statusOf(lifecycleIn(STATES['up, ready'], { failures: 1 })), 'IDLE');
    const { life: sick } = after(lifecycleIn(STATES['up, ready']), EVENTS.notReady);
    assert.equal(statusOf(sick), 'UNHEALTHY');
  });

  it('is about to end its process in these states', () => {
    assert.deepEqual(
      STATE_NAMES.filter((name) => isEnding(STATES[name])),
      [
        ...['waiting with a process that is ending', 'starting, to restart', 'restarting'],
        ...['frozen with a process that is ending', 'canceling', 'finishing with a process'],
        ...['finishing with a frozen process', 'finishing without a process'],
        ...['finishing without a process or a slot', 'stopping', 'stopping without a slot', 'stopped'],
      ],
    );
  });

  it('doubles the pause after each failure in a row, up to a minute', () => {
    let life = lifecycleIn(STATES.starting);
    const pauses = [];
    for (let failure = 0; failure < 8; failure++) {
      life = after(life, EVENTS.startFailed, now + failure).life;
      assert.ok(life.state.kind === 'paused');
      pauses.push(life.state.until - now - failure);
      life = { ...life, state: STATES.starting };
    }
    assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    assert.equal(life.since, now, 'the failure is dated from the first one');
  });

  it('resets earlier failures after a result, or after a long uptime', () => {
    const failing = lifecycleIn(STATES['up, ready'], { failures: 3 });
    assert.equal(after(failing, EVENTS.delivered).life.failures, 0);
    const { startedAt } = live('ready');
    assert.equal(after(failing, EVENTS.ended, startedAt + HEALTHY_AFTER_MS).life.failures, 4);
    assert.equal(after(failing, EVENTS.ended, startedAt + HEALTHY_AFTER_MS + 1).life.failures, 1);
  });

  it('treats the end of a process as intended if the worker gets no more work', () => {
    const closed = (life: WorkerLifecycle) => after(life, EVENTS.ended).effects.map(describeEffect)[0];
    assert.equal(closed(lifecycleIn(STATES['up, ready'])), 'closeRun: exited with code 1');
    assert.equal(
      closed(lifecycleIn(STATES['up, ready'], { retired: 'outdated' })),
      'closeRun: exited with code 1, intended',
    );
  });

  it('logs that a process ended without any output', () => {
    const silent = after(lifecycleIn(STATES['up, ready']), { ...EVENTS.ended, lastLines: [] });
    assert.ok(
      silent.effects
        .map(describeEffect)
        .includes(`"the worker's process exited with code 1 after 5.0 s, without any output"`),
    );
  });

  it('logs the failed request of a ready worker, and the missing step of a slow one', () => {
    const remarked = after(lifecycleIn(STATES.starting), {
      kind: 'ready',
      remark: { kind: 'requestFailed', reason: 'x' },
    });
    assert.deepEqual(remarked.effects.map(describeEffect), ['"worker is ready"', '"request failed: x"', 'changed']);
    const [line] = after(lifecycleIn(STATES['up, not ready']), { kind: 'overdue', isServer: false }).effects.map(
      describeEffect,
    );
    assert.match(line ?? '', /^"not ready 60 s .* has not requested a job/);
    assert.equal(SLOW_START_MS, 60_000);
  });

  it('counts an idle period from its start, and a series of failures from the first one', () => {
    const sinceAfter = (state: WorkerState, event: WorkerEvent, changes?: Partial<WorkerLifecycle>) =>
      after(lifecycleIn(state, changes), event).life.since;
    for (const event of [EVENTS.ready, EVENTS.notReady, EVENTS.freeze]) {
      assert.equal(sinceAfter(STATES['up, not ready'], event), now, event.kind);
    }
    assert.equal(sinceAfter(STATES.waiting, EVENTS.admitted), now);
    assert.equal(sinceAfter(STATES.waiting, EVENTS.admitted, { failures: 1 }), now - 60_000);
    assert.equal(sinceAfter(STATES['up, ready'], EVENTS.ended), now);
    assert.equal(sinceAfter(STATES['up, ready'], EVENTS.ended, { failures: 1 }), now - 60_000);
    assert.equal(sinceAfter(STATES.restarting, EVENTS.ended), now - 60_000);
  });

  it('keeps the version and the first reason of a retired worker, and does not freeze it', () => {
    const { life } = after(lifecycleIn(STATES['up, ready']), { ...EVENTS.retired, busy: false });
    assert.deepEqual(after(lifecycleIn(STATES['up, ready']), { ...EVENTS.retired, busy: false }).effects, []);
    for (const event of [EVENTS.adopted, EVENTS.retired, EVENTS.freeze]) {
      assert.equal(transition(life, event, now), undefined, event.kind);
    }
    assert.ok(isDraining(life));
  });

  it('is UNHEALTHY while its engine cannot be reached, and then has its former health', () => {
    const lost = after(lifecycleIn(STATES['up, ready']), EVENTS.unreachable).life;
    assert.equal(statusOf(lost), 'UNHEALTHY');
    assert.deepEqual([isDraining(lost), lost.failures], [false, 0], 'it may work in the meantime');
    assert.equal(transition(lost, EVENTS.unreachable, now), undefined, 'the same reason is logged once');
    assert.deepEqual(after(lost, { kind: 'unreachable', reason: 'another' }).effects, []);
    const back = after(lost, EVENTS.reachable);
    assert.deepEqual(back.effects.map(describeEffect), [
      '"the engine that runs the worker can be reached again"',
      'changed',
    ]);
    assert.equal(statusOf(back.life), 'IDLE');
    const improved = after(after(lifecycleIn(STATES['up, not ready']), EVENTS.unreachable).life, EVENTS.ready).life;
    assert.equal(statusOf(improved), 'UNHEALTHY');
    assert.equal(statusOf(after(improved, EVENTS.reachable).life), 'IDLE', 'a worker that requested jobs is ready');
  });

  it('forgets its engine with the process', () => {
    for (const [state, event] of [
      [STATES['up, ready'], EVENTS.ended],
      [STATES.restarting, EVENTS.ended],
      [STATES.starting, EVENTS.startFailed],
      [STATES.canceling, EVENTS.startFailed],
      [STATES.canceling, EVENTS.startAborted],
    ] as const) {
      const lost = lifecycleIn(state, { unreachable: 'no response' });
      assert.equal(after(lost, event).life.unreachable, undefined, `${state.kind} ${event.kind}`);
    }
  });

  it('names a known problem of a start', () => {
    const step = after(lifecycleIn(STATES.starting), { ...EVENTS.startFailed, problem: 'noGpu' });
    assert.equal(step.effects.map(describeEffect)[0], '"the worker cannot be started (no GPU): no such program"');
  });

  it('is THROTTLED with the reason while it waits for this machine or for a place in the cluster', () => {
    const shown = (life: WorkerLifecycle) => [statusOf(life), viewOf(life, IDENTITY).start];
    const wait = { kind: 'waitingForGpus', needed: 2, total: 4 } as const;
    const queued = after(lifecycleIn(STATES.waiting), { kind: 'queued', wait });
    assert.deepEqual(queued.effects.map(describeEffect), ['"waiting for free GPUs (2 needed, 4 on this machine)"']);
    assert.deepEqual(shown(queued.life), ['THROTTLED', wait]);
    const progressed = (life: WorkerLifecycle, progress: StartProgress) =>
      after(life, { kind: 'progressed', progress });
    const pulling = progressed(lifecycleIn(STATES.starting), { kind: 'pulling', percent: 43 });
    assert.deepEqual(shown(pulling.life), ['INITIALIZING', { kind: 'pulling', percent: 43 }]);
    const noPlace = progressed(pulling.life, { kind: 'noPlace', reason: '0/3 nodes' });
    assert.deepEqual(noPlace.effects.map(describeEffect), [
      '"waiting for a machine with room for the worker: 0/3 nodes"',
      'changed',
    ]);
    assert.deepEqual(shown(noPlace.life), ['THROTTLED', { kind: 'noPlace', reason: '0/3 nodes' }]);
    assert.deepEqual(progressed(noPlace.life, { kind: 'noPlace', reason: '0/3 nodes' }).effects, []);
    const placed = progressed(noPlace.life, { kind: 'placed' });
    assert.deepEqual(placed.effects.map(describeEffect), ['changed']);
    assert.deepEqual(shown(placed.life), ['INITIALIZING', undefined]);
    assert.deepEqual(shown(after(pulling.life, EVENTS.started).life), ['INITIALIZING', undefined]);
  });

  it('is THROTTLED rather than UNHEALTHY while it waits for room after a failure', () => {
    const wait = { kind: 'waitingForSlot', total: 8 } as const;
    const waiting = lifecycleIn(STATES.waiting, { failures: 3 });
    assert.equal(statusOf(after(waiting, { kind: 'queued', wait }).life), 'THROTTLED');
    const starting = lifecycleIn(STATES.starting, { failures: 3 });
    assert.equal(statusOf(starting), 'UNHEALTHY');
    const noPlace = after(starting, { kind: 'progressed', progress: { kind: 'noPlace', reason: '0/3 nodes' } });
    assert.equal(statusOf(noPlace.life), 'THROTTLED');
  });

  it('says that an image is built for another machine than that of the engine', () => {
    const otherMachine = { image: 'arm64', engine: 'amd64' };
    const placed = after(lifecycleIn(STATES.starting), {
      kind: 'progressed',
      progress: { kind: 'placed', otherMachine },
    });
    assert.deepEqual(placed.effects.map(describeEffect), [
      '"the image is built for arm64, and the machine of the engine has amd64; if the worker ends with an exec format error, build the image for amd64"',
    ]);
  });

  it('has the health and the start of a process that an earlier platform started', () => {
    const life = adoptedLifecycle({ version: 3, ready: true }, now);
    assert.deepEqual([statusOf(life), viewOf(life, IDENTITY).version], ['IDLE', 3]);
    const taken = after(life, { ...EVENTS.started, label: 'container 7', adopted: true });
    assert.equal(taken.effects.map(describeEffect)[0], '"the platform has restarted, and continues with container 7"');
    assert.deepEqual([statusOf(taken.life), viewOf(taken.life, IDENTITY).startedAt], ['IDLE', now - 10]);
    assert.equal(statusOf(adoptedLifecycle({ version: 3, ready: false }, now)), 'INITIALIZING');
    assert.equal(statusOf(after(life, EVENTS.notAdopted).life), 'INITIALIZING');
  });

  it('logs progress only if the line changes', () => {
    const at = (percent: number | undefined) =>
      ({ kind: 'progressed', progress: { kind: 'pulling', percent } }) as const;
    let life = lifecycleIn(STATES.starting);
    const lines = [undefined, 0, 9, 10.5, 43, 49, 100].flatMap((percent) => {
      const step = after(life, at(percent));
      life = step.life;
      return step.effects.map(describeEffect);
    });
    assert.deepEqual(lines, [
      '"pulling the image"',
      ...[0, 10, 40, 100].map((percent) => `"pulling the image: ${percent} %"`),
    ]);
  });

  const { stop, retired, ...others } = EVENTS;
  const rareEvents: WorkerEvent[] = [stop, retired, { ...retired, busy: false }];
  const commonEvents: WorkerEvent[] = [
    ...Object.values(others),
    { ...EVENTS.notReady, sick: false },
    { kind: 'progressed', progress: { kind: 'noPlace', reason: 'no room' } },
    { kind: 'progressed', progress: { kind: 'placed' } },
    { kind: 'queued', wait: { kind: 'waitingForGpus', needed: 1, total: 2 } },
  ];
  /** Stop and retire events are rare, because few events are possible after them. */
  const anyEvent: fc.Arbitrary<WorkerEvent> = fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...rareEvents) },
    { weight: 100, arbitrary: fc.constantFrom(...commonEvents) },
  );

  /** Runs effects like a worker, and checks each one against the worker's state. */
  class Machine {
    life: WorkerLifecycle;
    time = now;
    line: 'out' | 'waiting' | 'in' = 'out';
    process: 'none' | 'starting' | 'running' | 'frozen' = 'none';
    isOver = false;

    /** @param first a new worker; default: a worker of an earlier platform */
    constructor(life: WorkerLifecycle, first?: Step) {
      this.life = life;
      if (first) this.#runEffect(first.effects);
      else [this.line, this.process] = ['in', 'starting'];
    }

    /** External events are possible at any time. Events that report an outcome require a pending operation. */
    isPossible({ kind }: WorkerEvent): boolean {
      switch (kind) {
        case 'admitted':
        case 'queued':
          return this.line === 'waiting';
        case 'progressed':
        case 'started':
        case 'startFailed':
        case 'notAdopted':
          return this.process === 'starting';
        case 'startAborted':
          return this.process === 'starting' && this.life.state.kind === 'canceling';
        case 'ended':
        case 'overdue':
          return this.process === 'running' || this.process === 'frozen';
        case 'pauseOver':
          return this.life.state.kind === 'paused';
        case 'workFinished':
          return this.life.state.kind === 'finishing';
        default:
          return true;
      }
    }

    send(event: WorkerEvent): void {
      if (!this.isPossible(event)) return;
      if (event.kind === 'admitted') this.line = 'in';
      if (event.kind === 'started') this.process = 'running';
      if (['startFailed', 'startAborted', 'notAdopted', 'ended'].includes(event.kind)) this.process = 'none';
      const step = transition(this.life, event, ++this.time);
      if (!step) return;
      assert.ok(!this.isOver || step.effects.length === 0 || event.kind === 'retired', 'a stopped worker is inactive');
      assert.ok(!isStopping(this.life.state) || isStopping(step.life.state), 'a stopping worker stays stopping');
      this.life = step.life;
      this.#runEffect(step.effects);
      this.#check();
    }

    #runEffect(effects: readonly WorkerEffect[]): void {
      for (const { kind } of effects) {
        assert.ok(kind !== 'start' || !isStopping(this.life.state), 'a stopping worker does not start');
        if (kind === 'requestSlot') {
          assert.equal(this.line, 'out', 'the worker requests a slot once');
          this.line = 'waiting';
        } else if (kind === 'releaseSlot') {
          assert.notEqual(this.line, 'out', 'the worker releases only a slot or a request that it has');
          this.line = 'out';
        } else if (kind === 'start') {
          assert.deepEqual([this.line, this.process], ['in', 'none'], 'a start requires a slot and no other process');
          this.process = 'starting';
        } else if (kind === 'freeze') {
          assert.equal(this.process, 'running');
          this.process = 'frozen';
        } else if (kind === 'thaw') {
          assert.deepEqual([this.line, this.process], ['in', 'frozen']);
          this.process = 'running';
        } else if (kind === 'endProcess') {
          assert.ok(this.process === 'running' || this.process === 'frozen');
        } else if (kind === 'stopped') this.isOver = true;
      }
    }

    #check(): void {
      const { state } = this.life;
      assert.equal(holdsSlot(state), this.line === 'in', `the slot in the state ${state.kind}`);
      assert.equal(processOf(state) !== undefined, this.process === 'running' || this.process === 'frozen');
      assert.equal(state.kind === 'starting' || state.kind === 'canceling', this.process === 'starting');
      if (state.kind === 'frozen') assert.equal(this.line, 'out', 'a frozen worker has no slot');
      if (state.kind === 'stopped') assert.deepEqual([this.isOver, this.process, this.line], [true, 'none', 'out']);
      if (isEnding(state)) assert.ok(isDraining(this.life));
      if (this.life.unreachable !== undefined) {
        assert.notEqual(this.process, 'none', 'an engine matters only to a process');
        assert.equal(statusOf(this.life), 'UNHEALTHY');
      }
    }
  }

  const anyFirst = fc.constantFrom('created', 'adopted, ready', 'adopted');
  const machineOf = (first: string): Machine => {
    const ready = first === 'adopted, ready';
    if (first !== 'created') return new Machine(adoptedLifecycle({ version: 1, ready }, now));
    const created = createLifecycle({ id: 'w', endpointName: 'e', version: 1 }, now);
    return new Machine(created.life, created);
  };

  it('keeps its invariants for any events', () => {
    fc.assert(
      fc.property(anyFirst, fc.array(anyEvent, { maxLength: 300, size: 'max' }), (first, events) => {
        const machine = machineOf(first);
        for (const event of events) machine.send(event);
      }),
      { numRuns: 1_000 },
    );
  });

  it('stops from any state once its start, its work, and its process have ended', () => {
    fc.assert(
      fc.property(anyFirst, fc.array(anyEvent, { maxLength: 40 }), (first, events) => {
        const machine = machineOf(first);
        for (const event of events) machine.send(event);
        for (const kind of ['stop', 'startAborted', 'workFinished', 'ended'] as const) machine.send(EVENTS[kind]);
        assert.equal(machine.life.state.kind, 'stopped');
      }),
    );
  });
});
