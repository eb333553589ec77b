import assert from 'node:assert/strict';
import { LOG_LEVELS, levelOfNumber } from '../../../../src/features/logs/model/logLevel.ts';
import { readLogLine } from '../../../../src/features/logs/model/readLogLine.ts';
import { shortRequestId } from '../../../../src/text/ids.ts';
import { withoutControls } from '../../../../src/text/shownText.ts';

const ts = '2026-03-01T10:42:05.123456789Z';
const read = (line: string, source = 'container') => readLogLine({ line, source, ts });
const json = (entry: object) => JSON.stringify(entry);

describe('readLogLine', () => {
  it('unpacks the JSON of the worker SDK, with colors, level, and request', () => {
    const requestId = 'sync-0b9f3c1e-aaaa-bbbb-u1';
    assert.deepEqual(read(json({ requestId, message: 'a \u001b[31mred\u001b[0m', level: 'ERROR' })), {
      text: 'ERROR [0b9f3c1e] a red',
      spans: [{ start: 19, end: 22, color: 'red' }],
      level: 'error',
      requestId,
      isSystem: false,
    });
    assert.equal(read(json({ requestId: null, message: 'x', level: 'DEBUG' })).text, 'DEBUG x');
  });

  it('unpacks JSON inside color sequences', () => {
    assert.equal(read(`\u001b[2m${json({ message: 'x', level: 'INFO' })}\u001b[0m`).text, 'INFO  x');
  });

  it('keeps every part of SDK JSON safe', () => {
    const { text } = read(json({ requestId: '\u202e\n\u001b[31m12345', message: '\u200bx', level: 'INFO' }));
    assert.equal(withoutControls(text), text);
    assert.doesNotMatch(text, /\n/);
    const forged = json({ message: 'x', level: 'INFO\n10:00:00.000 forged' });
    assert.equal(read(forged).text, forged);
  });

  it('reads the level of other JSON, and shows it unchanged', () => {
    const cases: [entry: object, level: string | undefined][] = [
      [{ level: 'warning', message: 'm', user: 7 }, 'warn'],
      [{ severity: 'CRITICAL', message: 'm' }, 'error'],
      [{ lvl: 'dbug', msg: 'm' }, undefined],
      [{ lvl: 'debug', msg: 'm' }, 'debug'],
      [{ level: 20, msg: 'm' }, 'debug'],
      [{ level: 60, time: 1, msg: 'm' }, 'error'],
      [{ level: 3, message: 'm' }, undefined],
      [{ level: 'error', event: 'no message' }, undefined],
      [{ level: null, message: 'error' }, undefined],
      [{ level: 'constructor', msg: 'm' }, undefined],
    ];
    for (const [entry, level] of cases) {
      const line = read(json(entry));
      assert.equal(line.text, json(entry));
      assert.equal(line.level, level, json(entry));
    }
  });

  const levels: [line: string, level: string | undefined][] = [
    ['loading model', undefined],
    ['ERROR: no', 'error'],
    ['[warn] slow', 'warn'],
    ['[ info ] up', 'info'],
    ['<debug> x', 'debug'],
    ['WARNING: slow', 'warn'],
    ['warning: slow', 'warn'],
    ['INFO:     Started server process [1]', 'info'],
    ['2026-11-22 10:00:00,123 - uvicorn.error - CRITICAL - no', 'error'],
    ['2026/11/22 10:00:00 [error] 7#7: *1 open() failed', 'error'],
    ['ts=2026-11-22 level=warn msg="slow"', 'warn'],
    ['level="error" msg=x', 'error'],
    ['E1122 10:42:05.123456   1 main.go:3] no', 'error'],
    ['I1122 10:42:05.123456   1 main.go:3] ERROR is a word here', 'info'],
    ['Traceback (most recent call last):', 'error'],
    ["ModuleNotFoundError: No module named 'torch'", 'error'],
    ['torch.cuda.OutOfMemoryError: CUDA out of memory.', 'error'],
    ['Error [ERR_MODULE_NOT_FOUND]: Cannot find package', 'error'],
    ['Uncaught TypeError: x is not a function', 'error'],
    ["thread 'main' panicked at src/main.rs:2:5:", 'error'],
    ['npm warn deprecated x', 'warn'],
    ['npm ERR! code ENOENT', 'error'],
    ['    at handler (main.js:3:1)', undefined],
    ['no errors, information only', undefined],
    ['an error: in the middle of a sentence', undefined],
    [`${'x'.repeat(1000)} ERROR`, undefined],
    ['', undefined],
  ];
  for (const [line, level] of levels)
    it(`reads the level ${level ?? 'none'} of: ${line.slice(0, 60)}`, () => assert.equal(read(line).level, level));

  const system: [line: string, level: string][] = [
    ['process 12 started', 'info'],
    ['worker is ready', 'info'],
    ['something new', 'info'],
    ['ERROR: something new', 'error'],
    ["the worker's process exited with code 1 after 3 s; its last lines:", 'error'],
    ['    the last line', 'error'],
    ['the worker cannot be started: no such file', 'error'],
    ['pull access denied for image', 'error'],
    ['container exited with code 1', 'error'],
    ['container exited with code 0', 'info'],
    ['worker is not ready: GET /ping on port 80 returned 500', 'warn'],
  ];
  for (const [line, level] of system)
    it(`reads the level ${level} of the system line: ${line.trim()}`, () => {
      const { isSystem, ...rest } = read(line, 'system');
      assert.equal(isSystem, true);
      assert.equal(rest.level, level);
    });

  it('names a source that is not documented', () => {
    assert.deepEqual(read('\u001b[31mx', 'new\nkind'), {
      text: '[new kind] x',
      spans: [{ start: 11, end: 12, color: 'red' }],
      level: undefined,
      requestId: undefined,
      isSystem: false,
    });
  });

  it('cuts a line of 50 MB', () => {
    const { text } = read('\u001b[31mx\u001b[0m'.repeat(5_000_000));
    assert.ok(text.length < 64 * 1024);
    assert.match(text, /\[cut: \d+ of \d+ characters are not shown\]$/);
  });
});

describe('levels', () => {
  it('are those of pino and bunyan as numbers', () => {
    assert.deepEqual([10, 20, 30, 40, 50, 60].map(levelOfNumber), [...LOG_LEVELS, 'error']);
    assert.deepEqual([0, 3, -10, NaN, Infinity].map(levelOfNumber), Array(5).fill(undefined));
  });
});

describe('shortRequestId', () => {
  it('shortens the ids of every documented form', () => {
    assert.equal(shortRequestId('0b9f3c1e-aaaa-bbbb-cccc-000000000000-u1'), '0b9f3c1e');
    assert.equal(shortRequestId('sync-0b9f3c1e-aaaa-u2'), '0b9f3c1e');
    assert.equal(shortRequestId('x1'), 'x1');
  });
});
