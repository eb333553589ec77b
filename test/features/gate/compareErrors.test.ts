import assert from 'node:assert/strict';
import { compareErrors, errorLine, ownRoots } from '../../../src/features/gate/model/compareErrors.ts';
import type { Tolerance } from '../../../src/features/gate/model/compareOutputs.ts';

const report = (type: string, message: string, traceback = '') =>
  JSON.stringify({ error_type: type, error_message: message, error_traceback: traceback });

const found = (before: unknown, after: unknown, tolerance?: Tolerance) =>
  compareErrors({ error: before, own: [] }, { error: after, own: [] }, tolerance).map(({ kind }) => kind);

describe('The errors of a job that fails on both versions', () => {
  it('are equal with the same type and message, wherever they were thrown', () => {
    const [before, after] = ['line 3', 'line 40'].map((place) => report("<class 'KeyError'>", "'text'", place));
    assert.deepEqual(found(before, after), []);
    assert.deepEqual(found(undefined, undefined), []);
    assert.deepEqual(found('plain', 'plain\n'), []);
  });

  it('differ by their type, and by a message that is further away than the tolerance for texts', () => {
    assert.deepEqual(found(report('KeyError', 'a'), report('TypeError', 'a')), ['errorType']);
    assert.deepEqual(found(report('KeyError', 'a'), report('TypeError', 'b')), ['errorType', 'errorMessage']);
    const texts = [report('E', 'failed after 12 s'), report('E', 'failed after 13 s')] as const;
    assert.deepEqual(found(...texts), ['errorMessage']);
    assert.deepEqual(found(...texts, { text: 0.1 }), []);
    assert.deepEqual(found(...texts, { text: 0.01 }), ['errorMessage']);
    // A type is never a matter of tolerance.
    assert.deepEqual(found(report('A', 'x'), report('B', 'x'), { text: 1 }), ['errorType']);
    assert.deepEqual(found(undefined, 'a'), ['errorMessage']);
    assert.deepEqual(found('a', report('E', 'a')), ['errorType']);
  });

  it('are compared without what differs in each run, and shown with it', () => {
    const [difference] = compareErrors(
      { error: 'job-1: no /tmp/x1/hello/model.bin', own: ['job-1', '/tmp/x1'] },
      { error: 'job-2: no /work/hello/weights.bin', own: ['job-2', '/work'] },
    );
    assert.ok(difference);
    assert.deepEqual(
      [difference.before, difference.after],
      ['job-1: no /tmp/x1/hello/model.bin', 'job-2: no /work/hello/weights.bin'],
    );
    assert.deepEqual(
      compareErrors(
        { error: 'job-1: no /tmp/x1/hello/model.bin', own: ['job-1', '/tmp/x1', ''] },
        { error: 'job-2: no /work/hello/model.bin', own: ['job-2', '/work', ''] },
      ),
      [],
    );
  });

  it('are one line without their traceback', () => {
    assert.equal(errorLine(report("<class 'app.BadInput'>", 'no text\n', 'Traceback')), 'app.BadInput: no text');
    assert.equal(errorLine('plain'), 'plain');
    assert.equal(errorLine(undefined), undefined);
  });
});

describe('The folders of two versions', () => {
  it('are their directories without the common end', () => {
    assert.deepEqual(ownRoots('/tmp/x1/a/hello', '/work/a/hello'), ['/tmp/x1', '/work']);
    assert.deepEqual(ownRoots('/tmp/x1/old', '/work/new'), ['/tmp/x1/old', '/work/new']);
    assert.deepEqual(ownRoots('/work/a', '/work/a'), ['', '']);
    assert.deepEqual(ownRoots('C:\\x\\a', 'D:\\a'), ['C:\\x', 'D:']);
  });
});
