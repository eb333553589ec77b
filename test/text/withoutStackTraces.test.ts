import assert from 'node:assert/strict';
import { withoutStackTraces } from '../../src/text/withoutStackTraces.ts';

describe('A function without stack traces', () => {
  const framesOf = ({ stack = '' }: Error): number => stack.split('\n').length - 1;

  it('creates errors without them, and returns its result', () => {
    assert.equal(framesOf(withoutStackTraces(() => new Error('broken'))), 0);
    assert.ok(framesOf(new Error('broken')) > 0, 'later errors have them');
  });

  it('leaves later errors as they are if it throws', () => {
    assert.throws(
      () =>
        withoutStackTraces(() => {
          throw new RangeError('too deep');
        }),
      RangeError,
    );
    assert.ok(framesOf(new Error('broken')) > 0);
  });
});
