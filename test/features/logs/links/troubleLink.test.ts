import assert from 'node:assert/strict';
import { troubleLinkStart } from '../../../../src/features/logs/links/troubleLink.ts';
import { assertLinear } from '../../../support/growth.ts';

describe('troubleLinkStart', () => {
  it('finds the words at the end of a trouble line', () => {
    assert.equal(troubleLinkStart('[trouble] No. Explain This Endpoint'), 14);
    assert.equal(troubleLinkStart('10:42:05.123Z 9f3c │ [trouble] No. Explain This Endpoint'), 35);
  });

  it('ignores the words in other lines', () => {
    for (const line of [
      'Explain This Endpoint',
      '10:42:05.123 [system] Explain This Endpoint',
      '10:42:05.123 said: [trouble] Explain This Endpoint',
      '[trouble] Explain This Endpoint now',
      '',
    ])
      assert.equal(troubleLinkStart(line), undefined, line);
  });

  it('takes linear time', () => {
    for (const unit of [' ', '1', '[trouble] ', 'a │ '])
      assertLinear([4_000, 16_000, 64_000], (size) => `${unit.repeat(size)}Explain This Endpoint`, troubleLinkStart);
  });
});
