import assert from 'node:assert/strict';
import { parseWorkerError } from '../../src/contract/workerError.ts';

describe('parsing the error of a worker', () => {
  it('reads an exception that an SDK wrote as a JSON string', () => {
    const exception = {
      error_type: "<class 'torch.cuda.OutOfMemoryError'>",
      error_message: 'out of memory',
      error_traceback: 'Traceback (most recent call last):\n  …',
      hostname: 'h',
    };
    const expected = {
      type: 'torch.cuda.OutOfMemoryError',
      message: 'out of memory',
      traceback: exception.error_traceback,
    };
    assert.deepEqual(parseWorkerError(JSON.stringify(exception)), expected);
    assert.deepEqual(parseWorkerError(exception), expected);
  });

  it('reads an exception of a generator', () => {
    assert.deepEqual(parseWorkerError('handler: no prompt \ntraceback: Traceback (most …\n  line'), {
      message: 'no prompt',
      traceback: 'Traceback (most …\n  line',
    });
  });

  it('returns any other text as the message', () => {
    for (const text of ['out of memory', '{"code": 7}', '7', '[1]', 'null'])
      assert.deepEqual(parseWorkerError(text), { message: text });
    assert.deepEqual(parseWorkerError({ code: 7 }), { message: '{"code":7}' });
  });

  it('returns undefined for an empty error', () => {
    for (const nothing of [undefined, null, '']) assert.equal(parseWorkerError(nothing), undefined);
  });
});
