import assert from 'node:assert/strict';
import { START_PROBLEMS } from '../../../../src/contract/startProblem.ts';
import { writeSystemLine, type SystemLine } from '../../../../src/contract/systemLines.ts';
import { TroubleWatch, troubleText } from '../../../../src/features/logs/model/trouble.ts';
import { mayBeTrouble, troubleIn } from '../../../../src/features/logs/model/troublePatterns.ts';
import { assertLinear } from '../../../support/growth.ts';

const START: SystemLine = { kind: 'starting', command: 'python main.py', image: 'process:worker' };
const READY: SystemLine = { kind: 'ready' };
const STOP: SystemLine = { kind: 'stopping', reason: 'scaled down' };
const failed = (how: string): SystemLine => ({ kind: 'failed', how, seconds: 3 });
const ended = (how: string): SystemLine => ({ kind: 'ended', how });

/** Returns a function that passes a line, a minute after the last one, and returns the sentence of the trouble. */
function watching() {
  const watch = new TroubleWatch();
  let at = 0;
  const take = (source: string, line: string, ms: number) => watch.take({ source, line, ts: '' }, (at += ms))?.sentence;
  return {
    system: (line: SystemLine | string, ms = 60_000) =>
      take('system', typeof line === 'string' ? line : writeSystemLine(line), ms),
    container: (line: string) => take('container', line, 1_000),
  };
}

describe('the troubles of a program', () => {
  const cases: [line: string, expected: RegExp][] = [
    ["ModuleNotFoundError: No module named 'torch.nn'", /^The Python module “torch\.nn” is missing\. Install it/],
    ["ImportError: cannot import name 'x' from 'y'", /^“x” cannot be imported/],
    [
      'ImportError: libGL.so.1: cannot open shared object file: No such file',
      /^The system library “libGL\.so\.1” is missing/,
    ],
    ["Error: Cannot find module './handler'", /^The module “\.\/handler” is missing/],
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'ws' imported from /app/a.js", /^The module “ws” is missing/],
    [
      "python: can't open file '/app/main.py': [Errno 2] No such file or directory",
      /^The program “\/app\/main\.py” is missing/,
    ],
    ['torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB', /^The GPU ran out of memory/],
    ['RuntimeError: CUDA error: out of memory', /^The GPU ran out of memory/],
    ['CUDA driver version is insufficient for CUDA runtime version', /^The host's driver is too old/],
    ['nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4', /^The host's driver is too old/],
    ['RuntimeError: No CUDA GPUs are available', /^The program found no GPU/],
    [
      'RuntimeError: CUDA error: no kernel image is available for execution on the device',
      /^The program was built for other GPUs/,
    ],
    ['RuntimeError: CUDA error: device-side assert triggered', /^A GPU operation failed/],
    ['OSError: [Errno 28] No space left on device', /^The disk is full/],
    ['Error: ENOSPC: no space left on device, write', /^The disk is full/],
    ['Error: listen EADDRINUSE: address already in use :::8000', /^Port 8000 is already in use/],
    ['OSError: [Errno 98] Address already in use', /^The port of the program is already in use/],
    [
      'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
      /^The program ran out of memory/,
    ],
    ['MemoryError', /^The program ran out of memory/],
    [
      'numpy.core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array',
      /^The program ran out of memory/,
    ],
  ];
  for (const [line, expected] of cases)
    it(`are recognized: ${line}`, () => {
      assert.ok(mayBeTrouble(line));
      assert.match(watching().container(line) ?? 'nothing', expected);
      assert.match(
        watching().container(JSON.stringify({ message: `Traceback\n${line}`, level: 'ERROR' })) ?? 'nothing',
        expected,
      );
    });

  const harmless = [
    'loading CUDA kernels',
    "WARNING: No module named 'flash_attn', using the default",
    'INFO fallback after ImportError: cannot import name x',
    'listening on port 8000',
    'allocated 3 GiB',
  ];
  for (const line of harmless)
    it(`are not seen in: ${line}`, () => assert.equal(watching().container(line), undefined));

  it('are named once, and again after the worker was ready', () => {
    const { system, container } = watching();
    const line = 'CUDA out of memory';
    assert.ok(container(line));
    assert.equal(container(line), undefined);
    assert.ok(container('ENOSPC'));
    system(READY);
    assert.ok(container(line));
  });

  it('have one safe line, for any names in the log', () => {
    const name = `a\u202e\u001b[31m${'b'.repeat(150)}](command:x)`;
    const sentence = watching().container(`Error: Cannot find module '${name}'`) ?? '';
    assert.match(sentence, /^The module “ab{70,90}…” is missing/);
    assert.doesNotMatch(sentence, /[\n\u202e\u001b]|\]\(/);
  });

  it('are found in a line of 50 MB in its shown part only', () => {
    assert.equal(watching().container(`${'x'.repeat(50_000_000)} ENOSPC`), undefined);
    assert.ok(watching().container(`ENOSPC ${'x'.repeat(50_000_000)}`));
  });

  it('are found in linear time', () => {
    for (const unit of [
      'EADDRINUSE ',
      'Error: Cannot find module ',
      "can't open file '",
      'CUDA',
      '\nMemory',
      '\n',
      ' \n',
      '\r',
      'Unable to allocate 1',
    ])
      assertLinear([16_384, 65_536, 262_144], (size) => unit.repeat(size / unit.length), troubleIn);
  });

  it('end with the words that explain the endpoint', () => {
    assert.equal(troubleText({ sentence: 'The disk is full.' }), 'The disk is full. Explain This Endpoint');
  });
});

describe('the troubles of the life cycle', () => {
  it('include a crash loop after the second failure', () => {
    const { system } = watching();
    system(START);
    assert.equal(system(failed('exited with code 1')), undefined);
    system(START);
    assert.match(system(failed('exited with code 1')) ?? '', /^The worker crashes repeatedly \(exit code 1\)/);
    system(START);
    assert.equal(system(failed('exited with code 1')), undefined);
  });

  it('include a crash loop of a worker that becomes ready each time', () => {
    const { system } = watching();
    const round = () => [START, READY, failed('exited with code 1')].map((line) => system(line)).at(-1);
    assert.equal(round(), undefined);
    assert.match(round() ?? '', /repeatedly/);
    assert.match(round() ?? '', /repeatedly/);
  });

  it('include a crash loop of a platform that reports no exits', () => {
    const { system } = watching();
    assert.equal(system('start container'), undefined);
    assert.equal(system('start container'), undefined);
    assert.match(system('start container') ?? '', /no exit code was reported/);
  });

  it('do not include failures that are far apart', () => {
    const { system } = watching();
    system(failed('exited with code 1'));
    assert.equal(system(failed('exited with code 1'), 3_600_000), undefined);
  });

  it('do not include intended exits', () => {
    const { system } = watching();
    for (const how of ['exited with code 0', 'was ended by SIGTERM', 'exited with code 143'])
      for (let round = 0; round < 3; round++) assert.equal(system(ended(how)), undefined, how);
    for (let round = 0; round < 3; round++) {
      system(STOP);
      assert.equal(system(ended('was ended by SIGKILL')), undefined);
      system(START);
      system(READY);
    }
  });

  it('include workers that filled their disk', () => {
    assert.match(watching().system(failed('was ended by SIGKILL (out of disk space)')) ?? '', /filled its disk/);
  });

  it('include processes that ran out of memory, and those that were probably killed for it', () => {
    assert.match(watching().system(failed('was ended by SIGKILL (out of memory)')) ?? '', /ran out of memory/);
    assert.match(watching().system(failed('was ended by SIGKILL')) ?? '', /which often means/);
    assert.match(watching().system('container exited with code 137') ?? '', /which often means/);
  });

  it('name the loop after a second out-of-memory kill', () => {
    const { system } = watching();
    system(failed('was ended by SIGKILL (out of memory)'));
    assert.match(system(failed('was ended by SIGKILL (out of memory)')) ?? '', /repeatedly/);
  });

  const refused = 'GET /ping on port 8000 failed: connect ECONNREFUSED 127.0.0.1:8000';
  it('include a port on which nothing listens', () => {
    const { system } = watching();
    system(START);
    const line: SystemLine = { kind: 'stillStarting', finding: refused, advice: 'x' };
    assert.match(system(line) ?? '', /^Nothing listens on port 8000\. The server must listen on the port in the PORT/);
    assert.equal(system({ kind: 'notReady', reason: refused }), undefined);
    const restarted: SystemLine = { kind: 'restarting', reason: `it did not become ready in time: ${refused}` };
    assert.match(watching().system(restarted) ?? '', /^Nothing listens on port 8000/);
  });

  it('do not include a refused port after the server was ready, or another result of the health check', () => {
    const { system } = watching();
    system(READY);
    assert.equal(system({ kind: 'notReady', reason: refused }), undefined);
    assert.equal(watching().system({ kind: 'notReady', reason: 'GET /ping on port 8000 returned 500' }), undefined);
  });

  it('include a full disk that the host reports', () => {
    assert.match(watching().system('failed to pull image: no space left on device') ?? '', /^The disk is full/);
  });

  it('carry the time of their line', () => {
    const trouble = new TroubleWatch().take({ source: 'container', line: 'ENOSPC', ts: '' }, 7);
    assert.deepEqual([trouble?.kind, trouble?.at], ['diskFull', 7]);
  });
});

describe('the troubles of a start', () => {
  it('are named with a remedy, once', () => {
    const { system } = watching();
    const missing: SystemLine = {
      ...{ kind: 'notStartedBecause', problem: START_PROBLEMS.credentialsMissing },
      reason: 'no basic auth credentials',
    };
    assert.equal(
      system(missing),
      'The registry requires credentials. Store the user name and the password of the registry.',
    );
    assert.equal(system(missing), undefined);
    assert.equal(watching().system({ ...missing, problem: 'of a newer version' }), undefined);
  });
});
