import assert from 'node:assert/strict';
import { exceptionArguments } from '../../../src/features/local/develop/model/exceptionBreakpoints.ts';
import { compareEnds, errorSummary, failingPlace } from '../../../src/features/replay/model/comparison.ts';
import { planText } from '../../../src/features/replay/model/planText.ts';
import { isBlocked, planReplay, type ReplayFacts } from '../../../src/features/replay/model/replayPlan.ts';
import { testFileText } from '../../../src/features/replay/model/testFile.ts';
import type { RecordedJob } from '../../../src/contract/recordedJob.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

const recorded: RecordedJob = {
  version: 1,
  endpoint: 'upper',
  submittedAt: '2026-01-01T00:00:00.000Z',
  request: { input: {}, policy: { ttl: 60_000 } },
  result: { status: 'FAILED', error: report('KeyError', "'text'") },
  worker: { image: 'registry.example.com/upper:1', environment: ['A', 'B'], volumes: [] },
};

function report(type: string, message: string, traceback?: string): string {
  return JSON.stringify({ error_type: type, error_message: message, error_traceback: traceback });
}

function factsOf(change: Partial<ReplayFacts> = {}): ReplayFacts {
  const none = { missingValues: [], missingSecrets: [], release: undefined, volume: undefined };
  return {
    recorded,
    settings: { image: 'registry.example.com/upper:2' },
    source: 'endpoint',
    directoryExists: true,
    ...none,
    ...change,
  };
}

const textsOf = (facts: ReplayFacts) => planReplay(facts).lines.map(({ state, ...line }) => `${state} ${line.code}`);

describe('The plan of a replay', () => {
  it('runs the recorded image, with its digest if it is known', () => {
    const plan = planReplay(factsOf());
    assert.equal(plan.image, 'registry.example.com/upper:1');
    assert.equal(
      plan.lines.map(planText)[0],
      'The image registry.example.com/upper:1 has no digest. Its tag may have moved.',
    );
    const pinned = planReplay(factsOf({ recorded: { ...recorded, worker: { ...recorded.worker, digest: DIGEST } } }));
    assert.equal(pinned.image, `registry.example.com/upper:1@${DIGEST}`);
    assert.deepEqual([pinned.lines[0]?.state, pinned.lines[0]?.code], ['equal', 'digest']);
  });

  it('runs the code of a local worker, and is blocked if its directory is gone', () => {
    const settings = { image: 'process:/app/upper' };
    assert.deepEqual(textsOf(factsOf({ settings })), ['differs codeInsteadOfImage', 'equal environment']);
    const worker = { ...recorded.worker, image: 'process:upper' };
    assert.deepEqual(textsOf(factsOf({ settings, recorded: { ...recorded, worker } })), [
      'equal code',
      'equal environment',
    ]);
    const gone = planReplay(factsOf({ settings, directoryExists: false }));
    assert.deepEqual([isBlocked(gone), gone.lines[0]?.code], [true, 'directory']);
    assert.equal(
      isBlocked(planReplay(factsOf({ settings: {}, recorded: { ...recorded, worker: { ...worker, image: '' } } }))),
      true,
    );
  });

  it('tells which values are missing, and is blocked only by secrets of the input', () => {
    const missing = planReplay(factsOf({ missingValues: ['A'] }));
    assert.deepEqual(missing.lines.slice(1).map(planText), [
      '1 environment variable has a value.',
      '1 environment variable needs a value: A.',
    ]);
    assert.equal(isBlocked(missing), false);
    assert.equal(isBlocked(planReplay(factsOf({ missingSecrets: ['TOKEN'] }))), true);
  });

  it('has the clock and the faults, and tells what cannot be as it was', () => {
    const fault = { id: 'f', hits: 1, operation: 'runJob', when: 'before', status: 500, rate: 1 };
    const local = { clockOffsetMs: 60_000, faults: [fault, { operation: 'unknown' }, null, { ...fault, later: true }] };
    const plan = planReplay(factsOf({ recorded: { ...recorded, local } }));
    assert.deepEqual([plan.clockAheadMs, plan.faults.map(({ operation }) => operation)], [60_000, ['runJob']]);
    assert.deepEqual(textsOf(factsOf({ recorded: { ...recorded, local } })).slice(2), [
      'equal clock',
      'equal faults',
      'differs unknownFaults',
    ]);
    const behind = { ...recorded, local: { clockOffsetMs: -60_000, faults: [] } };
    assert.deepEqual(
      [planReplay(factsOf({ recorded: behind })).clockAheadMs, textsOf(factsOf({ recorded: behind })).at(-1)],
      [0, 'differs clockBehind'],
    );
  });

  it('names volumes, newer releases, GPUs, credentials, templates, and canceled jobs', () => {
    const settings = {
      ...{ image: 'a', gpu: { pools: ['ADA_24'] }, registry: 'r', templateId: 't' },
      mounts: {
        network: [
          { volumeId: 'v1', path: '/a' },
          { volumeId: 'v2', path: '/b' },
        ],
      },
    };
    const volume = { id: 'v1', path: '/a', directory: undefined, bytes: undefined };
    const canceled = {
      ...recorded,
      result: { status: 'CANCELLED' as const },
      worker: { ...recorded.worker, release: 1 },
    };
    assert.deepEqual(textsOf(factsOf({ recorded: canceled, settings, volume, release: 3 })).slice(1), [
      ...['differs release', 'equal environment', 'differs emptyVolume', 'differs furtherVolumes'],
      ...['differs gpus', 'differs registry', 'differs canceled'],
    ]);
    assert.ok(textsOf(factsOf({ settings, source: 'manifest' })).includes('differs template'));
    const copied = planReplay(factsOf({ settings, volume: { ...volume, directory: '/v', bytes: 12e9 } }));
    assert.ok(
      copied.lines.map(planText).includes('The volume v1 is copied (12 GB).'),
      copied.lines.map(planText).join(),
    );
  });
});

describe('The comparison of the ends of jobs', () => {
  const failed = (error: unknown) => ({ status: 'FAILED', error });

  it('compares the type and the message of an error, and no traceback', () => {
    const before = failed(report('KeyError', "'text'", 'here'));
    assert.equal(compareEnds(before, failed(report("<class 'KeyError'>", "'text'", 'there'))).verdict, 'same');
    assert.deepEqual(compareEnds(before, failed(report('KeyError', "'name'"))).verdict, 'sameType');
    assert.equal(compareEnds(before, failed(report('TypeError', "'text'"))).verdict, 'different');
    assert.equal(compareEnds(failed('plain'), failed('other')).verdict, 'different');
    assert.equal(compareEnds(failed(report('Error', 'a')), failed(report('Error', 'b'))).verdict, 'different');
    assert.equal(compareEnds(failed(undefined), failed(undefined)).verdict, 'same');
  });

  it('finds every difference of an output, also in parts that are only in one', () => {
    const completed = (output: unknown) => ({ status: 'COMPLETED', output });
    assert.equal(compareEnds(completed({ a: [1, { b: null }] }), completed({ a: [1, { b: null }] })).verdict, 'same');
    assert.equal(compareEnds(completed(null), completed(undefined)).verdict, 'same');
    const { differences } = compareEnds(completed({ a: 1, b: 2 }), completed({ a: 3, c: 4 }));
    assert.deepEqual(
      differences.map(({ path, recorded: old, replayed }) => [path.join('.'), old, replayed]),
      [
        ['output.a', 1, 3],
        ['output.b', 2, undefined],
        ['output.c', undefined, 4],
      ],
    );
    assert.equal(compareEnds(completed(1), failed('x')).differences[0]?.code, 'status');
  });

  it('names the place of an error in the code of the worker', () => {
    const python = `Traceback (most recent call last):
  File "/sdk/job.py", line 9, in run
  File "/app/handler.py", line 12, in handler
KeyError: 'text'`;
    assert.deepEqual(failingPlace(report('KeyError', "'text'", python)), { path: '/app/handler.py', line: 12 });
    // debugpy runs the handler by its relative path.
    const debugged = `Traceback (most recent call last):
  File "/app/sdk.py", line 9, in run
  File "handler.py", line 12, in handler
  File "/app/.venv/lib/python3.12/site-packages/lib/index.py", line 4, in parse
  File "<string>", line 1, in <module>
KeyError: 'text'`;
    assert.deepEqual(failingPlace(report('KeyError', "'text'", debugged), '/app'), { path: 'handler.py', line: 12 });
    const node = `Error: x
    at parse (/app/node_modules/lib/index.js:3:4)
    at handler (file:///app/handler.mjs:7:9)
    at serve (/app/sdk.mjs:20:1)`;
    assert.deepEqual(failingPlace(report('Error', 'x', node), '/app'), { path: '/app/handler.mjs', line: 7 });
    assert.equal(errorSummary({ error: report('KeyError', "'text'", python) }), "KeyError: 'text' at handler.py:12");
    assert.equal(errorSummary({ error: 'plain' }), 'plain');
    assert.equal(errorSummary({ error: undefined }), undefined);
  });
});

describe('The test of a recorded job', () => {
  const fileOf = (job: RecordedJob, expects: 'success' | 'recorded') =>
    JSON.parse(testFileText(job, { a: 1 }, expects)) as Record<string, unknown>;

  it('expects success, the expectations of the recording, or the recorded end', () => {
    assert.deepEqual(fileOf(recorded, 'success'), {
      ...{ endpoint: 'upper', input: { a: 1 }, policy: { ttl: 60_000 }, expect: { status: 'COMPLETED' } },
    });
    assert.deepEqual(fileOf(recorded, 'recorded')['expect'], { status: 'FAILED', error: "'text'" });
    const expect = { output: { text: 'A' } };
    assert.deepEqual(fileOf({ ...recorded, expect }, 'success')['expect'], expect);
    const completed = { ...recorded, result: { status: 'COMPLETED' as const, output: { text: 'A' } } };
    assert.deepEqual(fileOf(completed, 'success')['expect'], { status: 'COMPLETED', output: { text: 'A' } });
    const expired = { ...recorded, result: { status: 'TIMED_OUT' as const } };
    assert.deepEqual(fileOf(expired, 'recorded')['expect'], { status: 'TIMED_OUT' });
  });
});

describe('The breakpoints of a replay', () => {
  it('stop at the recorded error, also if it is caught, and at uncaught errors', () => {
    assert.deepEqual(exceptionArguments('node', { message: 'a "b"' }), {
      filters: [],
      filterOptions: [{ filterId: 'uncaught' }, { filterId: 'all', condition: 'error?.message === "a \\"b\\""' }],
    });
    assert.deepEqual(exceptionArguments('python', undefined), { filters: ['uncaught', 'userUnhandled'] });
    assert.deepEqual(exceptionArguments('python', { type: 'KeyError', message: "'a'" }), {
      filters: [],
      exceptionOptions: [
        { path: [{ names: ['Python Exceptions'] }], breakMode: 'unhandled' },
        { path: [{ names: ['Python Exceptions'] }, { names: ['KeyError'] }], breakMode: 'always' },
      ],
    });
  });

  it('name only built-in types, because debugpy evaluates names and imports their modules', () => {
    for (const type of ['app.BadInput', '__import__("os")', 'X or y', undefined])
      assert.deepEqual(exceptionArguments('python', { ...(type !== undefined && { type }), message: '' }), {
        filters: ['raised', 'uncaught'],
      });
  });
});
