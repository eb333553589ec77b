import assert from 'node:assert/strict';
import fc from 'fast-check';
import { START_PROBLEMS } from '../../src/contract/startProblem.ts';
import { exitOf, exitWords, readSystemLine, writeSystemLine, type SystemLine } from '../../src/contract/systemLines.ts';

const ends: Parameters<typeof exitWords>[0][] = [
  { code: 3, signal: null },
  { code: null, signal: 'SIGKILL' },
  { code: 137, signal: null, reason: 'outOfMemory' },
  { code: null, signal: 'SIGKILL', reason: 'outOfDisk' },
];
const how = fc.constantFrom(...ends.map(exitWords));
/** Any text without separators between the fields of a line. */
const text = fc.string({ unit: 'grapheme' }).filter((value) => !/[\n;:,(){}]| for | is | after /.test(value));
const number = fc.nat().map(String);
const line = <Kind extends SystemLine['kind']>(
  kind: Kind,
  fields: Record<string, fc.Arbitrary<string>> = {},
): [Kind, fc.Arbitrary<SystemLine>] => [
  kind,
  fc.record({ kind: fc.constant(kind), ...fields }, { noNullPrototype: true }) as fc.Arbitrary<never>,
];

const lines: Readonly<Record<SystemLine['kind'], fc.Arbitrary<SystemLine>>> = Object.fromEntries([
  line('created', { workerId: text, endpoint: fc.string() }),
  line('starting', { command: text, image: text.map((directory) => `process:${directory}`) }),
  line('pulling'),
  line('pullingPercent', { percent: number }),
  line('started', { label: number.map((pid) => `process ${pid}`) }),
  line('stillStarting', { finding: text, advice: fc.string() }),
  line('slowStart', { seconds: number, missing: fc.string() }),
  line('ready'),
  line('notReady', { reason: fc.string() }),
  line('notStarted', { reason: fc.string() }),
  line('notStartedBecause', { problem: fc.constantFrom(...Object.values(START_PROBLEMS)), reason: text }),
  line('waitingForPlace', { reason: text }),
  line('waitingForGpus', { total: number, count: number }),
  line('engineUnreachable', { reason: text }),
  line('engineReachable', {}),
  line('waitingForSlot', { limit: number }),
  line('frozen'),
  line('resumed'),
  line('restarting', { reason: fc.string() }),
  line('stopping', { reason: fc.string() }),
  line('retired', { reason: text }),
  line('ended', { how }),
  line('failed', { how, seconds: number }),
  line('failedSilently', { how, seconds: number }),
  line('output', { line: fc.string() }),
  line('unhealthy', { failures: number, seconds: number }),
  line('sharedState', { version: text }),
  line('requestFailed', { reason: fc.string() }),
  line('reportLeftOut', { jobId: text, reason: fc.string() }),
  line('webhookFailed', { jobId: text, reason: fc.string() }),
  line('linesLost', { count: number, reason: fc.string() }),
  line('outputLost', { from: text, until: text }),
  line('linesDropped', { count: number, until: text, limit: fc.string() }),
]) as never;

describe('a system line', () => {
  it('is one line, whatever its fields contain', () => {
    const command = 'sh -c a\nworker is ready\r\n\u001b[2K\u0085\u2028b';
    const written = writeSystemLine({ kind: 'starting', command, image: 'a\nb' });
    assert.equal(written, String.raw`start sh -c a\nworker is ready\r\n\u001b[2K\u0085\u2028b (a\nb)`);
    assert.equal(writeSystemLine({ kind: 'output', line: '\u001b[31mred\tx\ny' }), '    \u001b[31mred\tx\\ny');
  });

  for (const [kind, arbitrary] of Object.entries(lines)) {
    it(`of the kind ${kind} is parsed to the fields it was written from`, () => {
      fc.assert(
        fc.property(arbitrary, (written) => assert.deepEqual(readSystemLine(writeSystemLine(written)), written)),
      );
    });
  }

  it('has the wording that stored logs contain', () => {
    assert.equal(
      writeSystemLine({ kind: 'starting', command: 'node a.mjs', image: 'process:/a' }),
      'start node a.mjs (process:/a)',
    );
    assert.equal(
      writeSystemLine({ kind: 'failed', how: exitWords({ code: 3, signal: null }), seconds: '0.1' }),
      "the worker's process exited with code 3 after 0.1 s; its last lines:",
    );
    assert.equal(
      writeSystemLine({ kind: 'unhealthy', failures: 2, seconds: 4 }),
      'worker is unhealthy (failure 2 in a row); next start in 4 s',
    );
  });

  it('contains each field unchanged, even if it looks like a placeholder', () => {
    const written = writeSystemLine({ kind: 'created', workerId: '{endpoint}', endpoint: '$&{workerId}' });
    assert.equal(written, 'create worker {endpoint} for endpoint $&{workerId}');
  });

  it('contains the exit of a process', () => {
    const endOf = (exit: (typeof ends)[number]) =>
      exitOf(readSystemLine(writeSystemLine({ kind: 'failedSilently', how: exitWords(exit), seconds: 1 })));
    assert.deepEqual(ends.map(endOf), [
      ...[{ code: 3 }, { signal: 'SIGKILL' }],
      ...[
        { code: 137, outOfMemory: true },
        { signal: 'SIGKILL', outOfDisk: true },
      ],
    ]);
    assert.equal(exitOf(readSystemLine('worker is ready')), undefined);
    assert.equal(exitOf(undefined), undefined);
  });
});

describe('a system line of another platform', () => {
  const kinds: Record<string, ReturnType<typeof readSystemLine>> = {
    'Worker is ready.': { kind: 'ready' },
    'start container for example/worker:1: begin': { kind: 'containerStarting' },
    'START worker (example/worker:1)': { kind: 'containerStarting' },
    'container exited with code 137': { kind: 'ended', how: 'container exited with code 137' },
    'process killed, exit code 9': { kind: 'ended', how: 'killed, exit code 9' },
    'job: cannot be started: no space': { kind: 'notStarted', reason: 'no space' },
    'my worker is not ready: GET /ping': { kind: 'notReady', reason: 'GET /ping' },
    'pull access denied': { kind: 'imageUnavailable', reason: 'pull access denied' },
    'process image pull failed': undefined,
    'start pulling layers (attempt 2)': undefined,
    '  at line 3': { kind: 'output', line: 'at line 3' },
    'create container example/worker:1': undefined,
    '': undefined,
  };
  for (const [text, expected] of Object.entries(kinds))
    it(`is parsed with patterns: ${text}`, () => assert.deepEqual(readSystemLine(text), expected));
});
