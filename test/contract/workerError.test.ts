import assert from 'node:assert/strict';
import { parseWorkerError } from '../../src/contract/workerError.ts';

describe('a worker’s error', () => {
  it('is taken apart when an SDK wrote an exception as JSON in a text', () => {
    const exception = {
      error_type: "<class 'torch.cuda.OutOfMemoryError'>",
      error_message: 'out of memory',
      error_traceback: 'Traceback (most recent call last):\n  …',
      hostname: 'h',
    };
    const told = {
      type: 'torch.cuda.OutOfMemoryError',
      message: 'out of memory',
      traceback: exception.error_traceback,
    };
    assert.deepEqual(parseWorkerError(JSON.stringify(exception)), told);
    assert.deepEqual(parseWorkerError(exception), told);
  });

  it('is taken apart when a generator raised it', () => {
    assert.deepEqual(parseWorkerError('handler: no prompt \ntraceback: Traceback (most …\n  line'), {
      message: 'no prompt',
      traceback: 'Traceback (most …\n  line',
    });
  });

  it('is its own message in any other form', () => {
    for (const text of ['out of memory', '{"code": 7}', '7', '[1]', 'null'])
      assert.deepEqual(parseWorkerError(text), { message: text });
    assert.deepEqual(parseWorkerError({ code: 7 }), { message: '{"code":7}' });
  });

  it('may give no reason', () => {
    for (const nothing of [undefined, null, '']) assert.equal(parseWorkerError(nothing), undefined);
  });
});
