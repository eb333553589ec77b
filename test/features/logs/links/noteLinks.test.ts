import assert from 'node:assert/strict';
import { noteLinkIn } from '../../../../src/features/logs/links/noteLinks.ts';
import { describeFollowState } from '../../../../src/features/logs/model/followState.ts';
import { LineText } from '../../../../src/features/logs/model/lineText.ts';
import { assertLinear } from '../../../support/growth.ts';

const troubleLinkStart = (line: string) => noteLinkIn(line)?.start;

describe('the link of a note', () => {
  it('opens the full log where lines are missing', () => {
    for (const state of [{ kind: 'skipped', lines: 5 } as const, { kind: 'tooLarge' } as const]) {
      const { text } = new LineText({ timestamps: 'utc' }).note(describeFollowState(state), 0);
      const line = text.trimEnd().split('\n').at(-1) ?? '';
      const link = noteLinkIn(line);
      assert.equal(link?.kind, 'fullLog');
      assert.equal(line.slice(link.start, link.end), 'Open Full Log');
    }
  });

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
