import assert from 'node:assert/strict';
import { parseFieldError } from '../../src/contract/fieldError.ts';
import { formatViolation } from '../../src/contract/violation.ts';

describe('entries of a problem’s errors', () => {
  it('are read as they are written', () => {
    for (const path of [[], ['image'], ['gpu', 'pools', 0], ['cpu', 1, 'vcpuCount']]) {
      const violation = { path, message: 'is wrong: very', status: 400 } as const;
      assert.deepEqual(parseFieldError(formatViolation(violation)), { path, message: 'is wrong: very' });
    }
  });

  it('are left alone when they have another form', () => {
    for (const line of ['the image cannot be pulled', '$.a', '$: ', ''])
      assert.equal(parseFieldError(line), undefined, line);
  });
});
