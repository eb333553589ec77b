import assert from 'node:assert/strict';
import { fileWithCommonEnd, isLibraryPath } from '../../../src/account/sourceLinks/localFile.ts';
import { tracebackPlaces } from '../../../src/account/sourceLinks/tracebackPlaces.ts';
import { assertLinear } from '../../support/growth.ts';

const PYTHON = `Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/runpod/serverless/modules/rp_job.py", line 164, in run_job
    handler_return = handler(job)
  File "/app/src/handler.py", line 12, in handler
    raise ValueError("no prompt")
ValueError: no prompt
`;
const PYTHON_ON_WINDOWS = 'Traceback:\r\n  File "C:\\work\\hello\\handler.py", line 3, in handler\r\n    1 / 0\r\n';
const NODE = `TypeError: as asked
    at handler (file:///home/my%20worker/handler.mjs:12:5)
    at async /home/hello/serverless.js:60:20
    at Object.<anonymous> (/home/hello/a (copy)/x.js:1:2)
    at file:///C:/home/hello/handler.mjs:7:9
    at run (C:\\work\\hello\\run.cjs:8:1)
    at node:internal/process/task_queues:95:5
    at new Promise (<anonymous>)
`;

describe('Places of a traceback', () => {
  const placesOf = (text: string) =>
    tracebackPlaces(text).map(({ path, line, column }) => [path, line, ...(column === undefined ? [] : [column])]);

  it('are the files and lines of Python', () => {
    assert.deepEqual(placesOf(PYTHON), [
      ['/usr/lib/python3.11/site-packages/runpod/serverless/modules/rp_job.py', 164],
      ['/app/src/handler.py', 12],
    ]);
    assert.deepEqual(placesOf(PYTHON_ON_WINDOWS), [['C:\\work\\hello\\handler.py', 3]]);
  });

  it('are the files, lines, and columns of Node.js', () => {
    assert.deepEqual(placesOf(NODE), [
      ['/home/my worker/handler.mjs', 12, 5],
      ['/home/hello/serverless.js', 60, 20],
      ['/x.js', 1, 2],
      ['C:/home/hello/handler.mjs', 7, 9],
      ['C:\\work\\hello\\run.cjs', 8, 1],
    ]);
    assert.deepEqual(placesOf('file:///home/hello/bad.mjs:3\nconst = 1;\n'), [['/home/hello/bad.mjs', 3]]);
  });

  it('are the source files that a line of a log names', () => {
    assert.deepEqual(placesOf("10:42:05.123 thread 'main' panicked at src/main.rs:2:5:"), [['src/main.rs', 2, 5]]);
    assert.deepEqual(placesOf('10:42:05.123 9f3c │     at async /app/x.js:3:1'), [['/app/x.js', 3, 1]]);
    assert.deepEqual(placesOf('10:42:05.123 file:///app/a%20b.mjs:3'), [['/app/a b.mjs', 3]]);
    assert.deepEqual(placesOf('\t/app/main.go:12 +0x1d'), [['/app/main.go', 12]]);
    assert.deepEqual(placesOf('/app/main.py:12: UserWarning: old (util.py:3)'), [
      ['/app/main.py', 12],
      ['util.py', 3],
    ]);
    assert.deepEqual(placesOf('ERROR:C:\\work\\main.py:12: no'), [['C:\\work\\main.py', 12]]);
    assert.deepEqual(placesOf('10:42:05.123 9f3c │   File "/app/a b.py", line 3, in x'), [['/app/a b.py', 3]]);
  });

  it('do not include web addresses, times, and numbers', () => {
    assert.deepEqual(placesOf('GET https://cdn.example.com/a.js:3 http://x/b.ts:1:2'), []);
    assert.deepEqual(placesOf('took main.py:3s, .py:3, 1.5:3, a.js:3px, 127.0.0.1:8000'), []);
  });

  it('have the offsets of the text that names them', () => {
    const at = (text: string) => tracebackPlaces(text).map(({ start, end }) => text.slice(start, end));
    assert.equal(at(PYTHON)[1], 'File "/app/src/handler.py", line 12');
    assert.equal(at(PYTHON_ON_WINDOWS)[0], 'File "C:\\work\\hello\\handler.py", line 3');
    assert.equal(at(NODE)[0], 'file:///home/my%20worker/handler.mjs:12:5');
  });

  it('are not found in other text', () => {
    assert.deepEqual(placesOf('see /home/x.js at 12:30\nat home\nat /\nFile "", line 3\nat file:///%zz:1:2'), []);
  });

  it('are found in linear time', () => {
    for (const unit of ['at ', 'at (', 'File "', '    at /a:1:1 ', 'at x (/', '/a', 'a.js:1', 'file://', 'a.js:1 '])
      assertLinear([2_000, 8_000, 32_000], (size) => unit.repeat(size), tracebackPlaces);
    assertLinear([200, 800, 3_200], (size) => `    at ${'(/'.repeat(900)}\n`.repeat(size), tracebackPlaces);
    assertLinear(
      [200, 800, 3_200],
      (size) => `${'a/'.repeat(150)}a.js:1 ${'b/'.repeat(800)}\n`.repeat(size),
      tracebackPlaces,
    );
  });
});

describe('File of a worker on this machine', () => {
  const files = ['/home/hello/src/handler.py', '/home/hello/tests/handler.py', '/home/hello/util.py'];

  it('is the one with the longest common end', () => {
    assert.equal(fileWithCommonEnd('/app/src/handler.py', files), files[0]);
    assert.equal(fileWithCommonEnd('util.py', files), files[2]);
    assert.equal(fileWithCommonEnd('C:\\app\\src\\handler.py', files), files[0]);
    assert.equal(fileWithCommonEnd('/app/handler.py', ['C:\\work\\handler.py']), 'C:\\work\\handler.py');
  });

  it('is undefined if no file or several files match', () => {
    assert.equal(fileWithCommonEnd('/app/handler.py', files), undefined);
    assert.equal(fileWithCommonEnd('/app/other.py', files), undefined);
    assert.equal(fileWithCommonEnd('', files), undefined);
  });

  it('is not looked for if the path belongs to a library', () => {
    assert.ok(isLibraryPath('/usr/lib/python3.11/asyncio/runners.py'));
    assert.ok(isLibraryPath('C:\\app\\.venv\\Lib\\site-packages\\x.py'));
    assert.ok(!isLibraryPath('/app/library/x.py'));
  });
});
