import assert from 'node:assert/strict';
import { logText } from '../../src/text/shownText.ts';

describe('logText', () => {
  it('indents lines that would look like separate entries', () => {
    const forged = 'refused\n2026-01-01 00:00:00.000 [info] all is well\r\nb\rc\u2028d\u0085e';
    for (const line of logText(forged).split('\n').slice(1)) assert.match(line, /^ {4}\S/);
    assert.equal(logText(forged).split('\n').length, 6);
  });

  it('removes terminal sequences and bidirectional controls', () => {
    assert.equal(logText('\x1b[31mred\x1b[0m \x1b]0;title\x07\u202egpj'), 'red gpj');
  });

  it('marks cuts with an ellipsis', () => {
    assert.equal(logText('x'.repeat(3_000)), `${'x'.repeat(2_000)}…`);
    assert.match(logText('x\n'.repeat(1_000)), /\n {4}…$/);
  });
});
