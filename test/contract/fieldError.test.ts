import assert from 'node:assert/strict';
import { parseFieldError } from '../../src/contract/fieldError.ts';
import { fieldError, formatViolation } from '../../src/contract/violation.ts';

describe('parsing an entry of errors', () => {
  it('returns the path and the message', () => {
    for (const path of [[], ['image'], ['gpu', 'pools', 0], ['cpu', 1, 'vcpuCount']]) {
      const violation = fieldError(path, 'serviceMessage', { message: 'is wrong: very' });
      assert.deepEqual(parseFieldError(formatViolation(violation)), violation);
    }
  });

  it('returns undefined for any other form', () => {
    for (const line of ['the image cannot be pulled', '$.a', '$: ', ''])
      assert.equal(parseFieldError(line), undefined, line);
  });
});
