import assert from 'node:assert/strict';
import { newestThatFit, type LogLine } from '../../../../src/features/agents/actions/readLogLines.ts';

describe('Log lines in the result of a tool', () => {
  const ts = '2026-03-01T12:00:00.000Z';
  const line = (text: string, changes: Partial<LogLine> = {}): LogLine => ({
    ...{ workerId: 'w1', ts, source: 'container', line: text, ...changes },
  });

  it('have their time, a mark if the host wrote them, and their worker if there are several', () => {
    assert.deepEqual(newestThatFit([line('a'), line('b', { source: 'system' })]), {
      lines: [`${ts} a`, `${ts} [system] b`],
      leftOut: 0,
    });
    assert.deepEqual(newestThatFit([line('a'), line('b', { workerId: 'w2', source: 'system' })]).lines, [
      `${ts} w1 a`,
      `${ts} w2 [system] b`,
    ]);
    assert.deepEqual(newestThatFit([]), { lines: [], leftOut: 0 });
  });

  it('are cut after 2000 characters, with the number of characters that are left out', () => {
    const [whole = '', cut = ''] = newestThatFit([line('x'.repeat(2_000)), line('y'.repeat(2_005))]).lines;
    assert.equal(whole, `${ts} ${'x'.repeat(2_000)}`);
    assert.equal(cut, `${ts} ${'y'.repeat(2_000)} … 5 characters left out`);
  });

  it('are the newest ones that fit into 20,000 characters of JSON, in order', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => line(`line ${String(index).padStart(4, '0')}`));
    const { lines, leftOut } = newestThatFit(all);
    assert.equal(lines.length + leftOut, 1_000);
    assert.ok(lines.at(-1)?.endsWith('line 0999'), 'the newest line is the last');
    assert.ok(lines[0]?.endsWith(`line ${String(leftOut).padStart(4, '0')}`), 'no line between is left out');
    const size = JSON.stringify(lines).length;
    const perLine = (lines[0] ?? '').length + 3;
    assert.ok(size <= 20_001 && size > 20_001 - perLine, `${size}`);
  });

  it('fit if they take exactly 20,000 characters with their quotes and commas', () => {
    // 25 characters are the time and a space. Quotes and a comma are three.
    const fitting = Array.from({ length: 80 }, () => line('x'.repeat(250 - 25 - 3)));
    assert.equal(newestThatFit(fitting).leftOut, 0);
    assert.equal(newestThatFit([line('x'.repeat(250 - 25 - 2)), ...fitting.slice(1)]).leftOut, 1);
  });
});
