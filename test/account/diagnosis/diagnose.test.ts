import assert from 'node:assert/strict';
import { START_PROBLEMS, type StartProblem } from '../../../src/contract/startProblem.ts';
import { writeSystemLine } from '../../../src/contract/systemLines.ts';
import type { WorkerStart } from '../../../src/contract/worker.ts';
import type { LogEvent } from '../../../src/contract/workerLogs.ts';
import { diagnose, lacksHardware } from '../../../src/account/diagnosis/diagnose.ts';
import { isInTrouble } from '../../../src/account/diagnosis/situation.ts';
import type { Diagnosis, Observations } from '../../../src/account/diagnosis/diagnosis.ts';
import { explanationOf } from '../../../src/account/diagnosis/explanation.ts';
import { findReason } from '../../../src/account/diagnosis/logFindings.ts';
import type { HardwareOffer } from '../../../src/account/hardware/hardwareOffers.ts';
import type { EndpointSnapshot } from '../../../src/account/endpoints/endpointSnapshot.ts';
import { endpoint, health, NOW, snapshot, worker, workers } from '../../features/endpoints/sample.ts';

const ts = '2026-03-01T12:00:00Z';
const system = (line: string): LogEvent => ({ source: 'system', line, ts });
const own = (line: string): LogEvent => ({ source: 'container', line, ts });

const waiting = health({ inQueue: 3 });
const paused = { ...endpoint, workers: { min: 0, max: 0 } };
/** Longer than any cold start. */
const LONG_AGO = NOW - 60_000;

function look(
  given: EndpointSnapshot,
  events: readonly LogEvent[] = [],
  platform: Observations['platform'] = 'hosted',
) {
  const logs = events.length > 0 ? [{ workerId: 'w1', events }] : [];
  return diagnose({ snapshot: given, logs, platform, now: NOW });
}

/** A crash as the local platform logs it. */
const localCrash = [
  system('start node worker.mjs (process:/home/me/hello)'),
  system('process 42 started'),
  own('loading the model'),
  own('Error: no such file: model.bin'),
  system("the worker's process exited with code 3 after 0.1 s; its last lines:"),
  system('    Error: no such file: model.bin'),
  system('worker is unhealthy (failure 1 in a row); next start in 1 s'),
];
/** A crash loop as a hosted platform logs it. A hosted platform does not report exits. */
const hostedLoop = [1, 2, 3].flatMap((round) => [
  system('create container example/worker:1'),
  system('start container for example/worker:1: begin'),
  own(`Traceback, the ${round}. time`),
]);

describe('Diagnosis of an endpoint', () => {
  it('finds no trouble without work', () => {
    const { cause, severity } = look(snapshot(workers(), { health: health({}) }));
    assert.deepEqual([cause, severity], ['fine', 'fine']);
  });

  it('finds no trouble while workers are running', () => {
    assert.equal(look(snapshot(workers('RUNNING', 'RUNNING'), { health: waiting })).severity, 'fine');
  });

  it('is unknown if the workers could not be read', () => {
    const { cause, explanation } = look({ ...snapshot(), workers: undefined, problem: 'access denied' });
    assert.equal(cause, 'unknown');
    assert.match(explanation, /access denied/);
  });

  it('reports a crash with its exit code and the last lines', () => {
    const { cause, severity, headline, evidence, next } = look(snapshot(workers('UNHEALTHY')), localCrash, 'local');
    assert.deepEqual([cause, severity], ['crashLoop', 'trouble']);
    assert.equal(headline, 'The worker crashes (exit code 3)');
    assert.deepEqual(evidence, ['loading the model', 'Error: no such file: model.bin']);
    assert.deepEqual(
      next.map(({ command }) => command),
      ['cloudCompute.logs.open', 'cloudCompute.endpoints.edit', 'cloudCompute.endpoints.scale'],
    );
  });

  it('reports a crash loop, not a lack of capacity, for a worker that seems to be starting', () => {
    const { cause, explanation, evidence } = look(snapshot(workers('INITIALIZING'), { health: waiting }), hostedLoop);
    assert.equal(cause, 'crashLoop');
    assert.match(explanation, /exited 2 times/);
    assert.match(explanation, /not a lack of capacity/);
    assert.equal(evidence.at(-1), 'Traceback, the 2. time');
  });

  it('suspects a lack of memory if the process was killed', () => {
    const { headline, explanation } = look(snapshot(workers('UNHEALTHY')), [system('container exited with code 137')]);
    assert.match(headline, /exit code 137/);
    assert.match(explanation, /out of memory/);
  });

  it('ignores crashes from which the worker has recovered', () => {
    const events = [...localCrash, system('worker is ready')];
    assert.equal(look(snapshot(workers('INITIALIZING'), { health: waiting }), events).cause, 'starting');
  });

  for (const line of [
    'error pulling image: pull access denied for example/private, repository does not exist or may require docker login',
    'manifest for example/worker:9 not found: manifest unknown',
    'failed to pull image "example/worker:1"',
  ]) {
    it(`reports an image that cannot be pulled: ${line.slice(0, 40)}…`, () => {
      const { cause, evidence, next } = look(snapshot(workers('INITIALIZING'), { health: waiting }), [system(line)]);
      assert.equal(cause, 'imageUnavailable');
      assert.deepEqual(evidence, [line]);
      assert.equal(next[0]?.command, 'cloudCompute.endpoints.edit');
    });
  }

  it('reports a command that cannot be started', () => {
    const events = [system('the worker cannot be started: spawn nodde ENOENT')];
    const { headline, evidence } = look(snapshot(workers('UNHEALTHY')), events, 'local');
    assert.equal(headline, 'The command cannot be started');
    assert.deepEqual(evidence, ['spawn nodde ENOENT']);
  });

  it('reports a worker that is up but not ready', () => {
    const events = [system('process 7 started'), system('worker is not ready: GET /ping answered 500')];
    assert.deepEqual(look(snapshot(workers('UNHEALTHY')), events).evidence, ['GET /ping answered 500']);
  });

  it('reports an unhealthy worker without a log, and the workers that can still take jobs', () => {
    const { cause, severity, explanation } = look(snapshot(workers('UNHEALTHY', 'RUNNING')));
    assert.deepEqual([cause, severity], ['unhealthy', 'trouble']);
    assert.match(explanation, /1 other worker can take jobs/);
  });

  it('reports a maximum of 0 workers, which is trouble only while jobs wait', () => {
    assert.deepEqual(
      [
        look(snapshot(workers(), { endpoint: paused })),
        look(snapshot(workers(), { endpoint: paused, health: waiting })),
      ].map(({ cause, severity }) => [cause, severity]),
      [
        ['paused', 'fine'],
        ['paused', 'trouble'],
      ],
    );
  });

  it('reports the hardware that is lacking for throttled workers', () => {
    const throttled = snapshot(workers('THROTTLED'), { health: waiting });
    assert.equal(look(throttled).cause, 'throttled');
    assert.match(look(throttled).explanation, /no free hardware/);
    assert.match(look(throttled, [], 'local').explanation, /This machine runs its maximum number of workers/);
  });

  it('reports a start of a worker as no trouble', () => {
    const { cause, severity } = look(snapshot(workers('INITIALIZING'), { health: waiting }));
    assert.deepEqual([cause, severity], ['starting', 'waiting']);
  });

  it('reports a lack of capacity only after the scaler has had time to start a worker', () => {
    const early = look(snapshot(workers(), { health: waiting, stuckSince: NOW - 5_000 }));
    assert.deepEqual([early.cause, early.severity], ['starting', 'waiting']);
    const late = look(snapshot(workers(), { health: waiting, stuckSince: LONG_AGO }));
    assert.deepEqual([late.cause, late.severity], ['noCapacity', 'trouble']);
    assert.match(late.explanation, /none for 1 min/);
  });

  for (const queueDelay of [4, 30]) {
    it(`waits 15 s longer than a queue delay of ${queueDelay} s before it reports a lack of capacity`, () => {
      const scaling = { type: 'QUEUE_DELAY', queueDelay } as const;
      const waitedFor = (ms: number) =>
        look(snapshot(workers(), { endpoint: { ...endpoint, scaling }, health: waiting, stuckSince: NOW - ms }));
      const limit = (queueDelay + 15) * 1_000;
      assert.equal(waitedFor(limit).cause, 'starting');
      assert.match(waitedFor(limit).explanation, new RegExp(`once a job has waited ${queueDelay} s\\.`));
      assert.equal(waitedFor(limit + 1).cause, 'noCapacity');
    });
  }

  it('waits 15 s for the first worker of an endpoint without a queue delay', () => {
    const scaling = { type: 'REQUEST_COUNT', requestCount: 1 } as const;
    const waitedFor = (ms: number) =>
      look(snapshot(workers(), { endpoint: { ...endpoint, scaling }, health: waiting, stuckSince: NOW - ms }));
    assert.equal(waitedFor(15_000).cause, 'starting');
    assert.match(waitedFor(15_000).explanation, /about to start/);
    assert.equal(waitedFor(15_001).cause, 'noCapacity');
  });

  it('reports idle workers that do not take jobs', () => {
    assert.equal(look(snapshot(workers('IDLE'), { health: waiting, stuckSince: NOW - 2_000 })).severity, 'fine');
    assert.equal(look(snapshot(workers('IDLE'), { health: waiting, stuckSince: LONG_AGO })).cause, 'notTaking');
  });

  it('reports that all workers are busy once the maximum is reached', () => {
    const { cause, severity, headline } = look(snapshot(workers('RUNNING', 'RUNNING', 'RUNNING'), { health: waiting }));
    assert.deepEqual([cause, severity], ['allBusy', 'waiting']);
    assert.equal(headline, '3 jobs waiting: all 3 workers are busy');
  });

  it('counts only endpoints that need the user for the badge', () => {
    assert.equal(isInTrouble(snapshot(workers('UNHEALTHY')), NOW), true);
    assert.equal(isInTrouble(snapshot(workers('INITIALIZING'), { health: waiting }), NOW), false);
    assert.equal(isInTrouble(snapshot(workers(), { endpoint: paused }), NOW), false);
  });

  it('agrees with the badge for each combination of workers and jobs', () => {
    const statuses = ['RUNNING', 'IDLE', 'INITIALIZING', 'THROTTLED', 'UNHEALTHY'] as const;
    for (let mask = 0; mask < 2 ** statuses.length; mask++) {
      const present = workers(...statuses.filter((_, bit) => mask & (1 << bit)));
      for (const jobs of [health({}), waiting])
        for (const max of [0, 3])
          for (const stuckSince of [undefined, LONG_AGO]) {
            const given = { endpoint: { ...endpoint, workers: { min: 0, max } }, health: jobs, stuckSince };
            const seen = snapshot(present, given);
            assert.equal(look(seen).severity === 'trouble', isInTrouble(seen, NOW), JSON.stringify(seen));
          }
    }
  });
});

describe('Reason in a worker log', () => {
  it('is undefined if the log contains none', () => {
    assert.equal(findReason([]), undefined);
    assert.equal(findReason([own('exited with code 1'), system('process 42 started')]), undefined);
  });

  it('counts the exits of the process', () => {
    const finding = findReason([...localCrash, ...localCrash]);
    assert.equal(finding?.kind === 'crash' && finding.times, 2);
  });

  it('uses the output that the host repeats if the worker wrote none', () => {
    const finding = findReason([
      system("the worker's process exited with code 1 after 0.1 s; its last lines:"),
      system('    \u001B[31mModuleNotFoundError\u001B[0m'),
    ]);
    assert.deepEqual(finding?.kind === 'crash' && finding.lastLines, ['    ModuleNotFoundError']);
  });

  it('is not taken from similar words in a name or in another reason', () => {
    const created = (endpoint: string) => system(writeSystemLine({ kind: 'created', workerId: 'w1', endpoint }));
    assert.equal(findReason([created('failed to pull')]), undefined);
    assert.equal(findReason([system('stop worker: job j1 exited with code 1')]), undefined);
    const crashed = [...localCrash, created('worker is ready')];
    assert.equal(findReason(crashed)?.kind, 'crash');
  });

  it('contains the exit code, the signal, and a lack of memory', () => {
    const exitOf = (line: string) => {
      const finding = findReason([system(line)]);
      return finding?.kind === 'crash' && finding.exit;
    };
    assert.deepEqual(exitOf('process exited with code 3'), { code: 3 });
    assert.deepEqual(exitOf('process was ended by SIGKILL'), { signal: 'SIGKILL' });
    assert.deepEqual(exitOf('container was OOM-killed, exit status: 137'), { code: 137, outOfMemory: true });
    assert.deepEqual(exitOf('the container ran out of memory'), { outOfMemory: true });
  });

  it('suspects a lack of memory only for certain exits', () => {
    const explained = (line: string) => look(snapshot(workers('UNHEALTHY')), [system(line)]).explanation;
    const memory = /often ran out of memory/;
    for (const line of ['process was ended by SIGKILL', 'oom-killed', 'exit code 137'])
      assert.match(explained(line), memory, line);
    for (const line of ['process was ended by SIGTERM', 'exit code 1'])
      assert.doesNotMatch(explained(line), memory, line);
  });

  it('counts the starts of a worker whose directory name contains spaces', () => {
    const start = system(
      writeSystemLine({ kind: 'starting', command: 'node a.mjs', image: 'process:/home/me/my dir' }),
    );
    const finding = findReason([start, start, start]);
    assert.deepEqual(finding?.kind === 'crash' && [finding.times, finding.exit], [2, undefined]);
  });
});

describe('Explanation of an endpoint', () => {
  it('contains the observations and the next steps, with the line of each step', () => {
    const given = snapshot(workers('UNHEALTHY'), { health: waiting });
    const { text, steps } = explanationOf(given, look(given, localCrash, 'local'), new Date(NOW));
    const lines = text.split('\n');
    assert.equal(lines[0], '# hello needs attention');
    assert.match(text, /Jobs: 3 jobs waiting, \d+ running, \d+ completed, \d+ failed, \d+ returned to the queue$/m);
    assert.match(text, /```text\nloading the model\nError: no such file: model\.bin\n```/);
    for (const { line, step } of steps) assert.ok(lines[line]?.startsWith(`- **${step.title}**`));
    assert.equal(steps.length, 3);
  });

  it('says that the numbers of jobs are not reported yet', () => {
    const given = snapshot(workers('IDLE'), { health: undefined });
    assert.match(explanationOf(given, look(given, [], 'local'), new Date(NOW)).text, /^- Jobs: not reported yet/m);
  });

  it('keeps a log line from ending its code block', () => {
    const given = snapshot(workers('UNHEALTHY'));
    const { text } = explanationOf(given, look(given, [own('```'), system('exited with code 1')]), new Date(NOW));
    assert.equal(text.match(/```/g)?.length, 2);
  });
});

describe('Diagnosis of a worker on an engine', () => {
  const START = ['start node worker.mjs (example/worker:1)', 'pulling the image'].map(system);
  const refused = (problem: StartProblem) =>
    system(
      writeSystemLine({ kind: 'notStartedBecause', problem: START_PROBLEMS[problem], reason: 'as the engine says' }),
    );
  const commands = ({ next }: Diagnosis) => next.map(({ command }) => command);

  it('names each problem of a start, with the reason of the engine and a remedy', () => {
    const headlines = (Object.keys(START_PROBLEMS) as StartProblem[]).map((problem) => {
      const found = look(snapshot(workers('UNHEALTHY')), [...START, refused(problem)], 'local');
      assert.deepEqual([found.cause, found.severity, found.evidence], [problem, 'trouble', ['as the engine says']]);
      assert.equal(found.next.at(-1)?.command, 'cloudCompute.logs.open');
      assert.ok(found.next.length > 1, problem);
      return found.headline;
    });
    assert.equal(new Set(headlines).size, headlines.length);
  });

  it('offers the remedy that fits the problem', () => {
    const first = (problem: StartProblem, platform: Observations['platform'] = 'local') =>
      commands(look(snapshot(workers('UNHEALTHY')), [refused(problem)], platform))[0];
    assert.equal(first('credentialsMissing'), 'cloudCompute.registries.create');
    assert.equal(first('noSpace'), 'cloudCompute.localPlatform.removeUnusedImages');
    assert.equal(first('noGpu'), 'cloudCompute.endpoints.runWithoutGpus');
    assert.equal(first('engineUnreachable'), 'cloudCompute.localPlatform.chooseEngine');
    // The engine of a team's platform is not on this machine.
    assert.equal(first('engineUnreachable', 'hosted'), 'cloudCompute.logs.open');
  });

  it('reports that no worker can start, with the remedies, before any job waits', () => {
    const obstacle = { problem: 'engineMissing', reason: '' } as const;
    const found = (given: EndpointSnapshot) =>
      diagnose({ snapshot: given, logs: [], platform: 'local', now: NOW, obstacle });
    const { severity, headline, next } = found(snapshot(workers(), { health: health({}) }));
    assert.deepEqual([severity, headline], ['trouble', 'Will not start here: No container engine was found']);
    assert.deepEqual(
      next.map(({ command }) => command),
      ['cloudCompute.localPlatform.chooseEngine', 'cloudCompute.endpoints.edit'],
    );
    assert.equal(found(snapshot(workers('RUNNING'))).severity, 'fine');
  });

  it('reports an engine that stopped responding, until it responds again', () => {
    const lost = system(writeSystemLine({ kind: 'engineUnreachable', reason: 'connect ECONNREFUSED' }));
    const running = [...START, system('container c1 started'), system('worker is ready'), lost];
    const found = look(snapshot(workers('UNHEALTHY')), running, 'local');
    assert.deepEqual([found.cause, found.evidence], ['engineUnreachable', ['connect ECONNREFUSED']]);
    assert.match(found.explanation, /may still run/);
    const back = system(writeSystemLine({ kind: 'engineReachable' }));
    assert.equal(findReason([...running, back]), undefined);
  });

  it('shows the progress of a pull', () => {
    const pulling = { kind: 'pulling', percent: 43.7 };
    const list = { ...workers('INITIALIZING'), workers: [worker('w1', 'INITIALIZING', { start: pulling })] };
    const found = look(snapshot(list), [], 'local');
    assert.deepEqual([found.cause, found.headline], ['starting', '1 worker starting: pulling 43 %']);
  });

  it('names hardware with stock to a user whose workers wait for hardware, and offers to choose it', () => {
    const offer: HardwareOffer = {
      kind: 'gpu',
      ...{ id: 'AMPERE_24', count: 1, typeIds: [], names: ['L4'], memoryGb: { least: 24, most: 24 } },
      ...{ usdPerHour: 0.69, stock: 'HIGH', dataCenters: ['EU-RO-1'], elsewhere: [], reasons: [], isChosen: false },
      ...{ secondsPerJob: undefined, isMeasured: false, usdPerJob: undefined, usdPerMonth: undefined },
    };
    const alternatives = { offers: [offer], usdPerHour: 0.57 };
    const sentence = 'AMPERE_24 (L4) has stock in EU-RO-1 at $0.69/h (+$0.12/h).';
    const throttled = snapshot(workers('THROTTLED'), { health: waiting });
    const stuck = { ...snapshot(workers(), { health: waiting }), stuckSince: LONG_AGO };
    for (const given of [throttled, stuck]) {
      const of = (found: Observations['alternatives']) =>
        diagnose({ snapshot: given, logs: [], platform: 'hosted', alternatives: found, now: NOW });
      const { explanation, next } = of(alternatives);
      assert.ok(explanation.endsWith(` ${sentence}`), explanation);
      assert.equal(next[0]?.command, 'cloudCompute.manifest.chooseHardware');
      assert.ok(!of(undefined).explanation.includes('has stock'));
      assert.ok(!of({ ...alternatives, offers: [] }).explanation.includes('has stock'));
    }
  });

  it('needs the stock of hardware only for a hosted endpoint whose work or workers wait', () => {
    const throttled = snapshot(workers('THROTTLED'));
    assert.equal(lacksHardware(throttled, 'hosted'), true);
    assert.equal(lacksHardware(snapshot(workers(), { health: waiting }), 'hosted'), true);
    assert.equal(lacksHardware(throttled, 'local'), false);
    assert.equal(lacksHardware(snapshot(workers('THROTTLED', 'RUNNING')), 'hosted'), false);
    assert.equal(lacksHardware(snapshot(workers()), 'hosted'), false);
  });

  it('shows what a throttled worker waits for', () => {
    const waitingFor = (start: WorkerStart, platform: Observations['platform']) => {
      const list = { ...workers('THROTTLED'), workers: [worker('w1', 'THROTTLED', { start })] };
      return look(snapshot(list, { health: waiting }), [], platform);
    };
    const gpus = waitingFor({ kind: 'waitingForGpus', needed: 1, total: 2 }, 'local');
    assert.equal(gpus.headline, '1 worker throttled: waiting for free GPUs');
    assert.match(gpus.explanation, /waits for 1 GPU, because other workers use the 2 GPUs of this machine\. Throttled/);
    assert.equal(commands(gpus)[0], 'cloudCompute.endpoints.runWithoutGpus');
    const room = waitingFor({ kind: 'noPlace', reason: '0/3 nodes are available: 3 Insufficient cpu.' }, 'hosted');
    assert.match(room.explanation, /0\/3 nodes are available/);
  });
});
