import assert from 'node:assert/strict';
import { RepeatCollapser, repeatedText } from '../../../../src/features/logs/model/repeats.ts';

describe('RepeatCollapser', () => {
  /** Returns the lines that are shown, with the reports of collapsed lines between them. */
  function shownOf(lines: readonly (readonly [text: string, worker?: string])[]): string[] {
    const collapser = new RepeatCollapser();
    const shown: string[] = [];
    const report = (repeated: number) => repeated > 0 && shown.push(repeatedText(repeated));
    for (const [text, worker] of lines) {
      const { repeated, isShown } = collapser.take(text, worker);
      report(repeated);
      if (isShown) shown.push(text);
    }
    report(collapser.flush());
    return shown;
  }
  const times = (text: string, count: number) => Array.from({ length: count }, () => [text] as const);

  it('shows a line and two repetitions, and counts the rest', () => {
    assert.deepEqual(shownOf([...times('a', 44), ['b']]), ['a', 'a', 'a', '… repeated 41 more times', 'b']);
  });

  it('shows few repetitions as they are', () => {
    assert.deepEqual(shownOf([...times('a', 3), ['b']]), ['a', 'a', 'a', 'b']);
    assert.deepEqual(shownOf(times('a', 4)), ['a', 'a', 'a', '… repeated 1 more time']);
  });

  it('begins again after another line', () => {
    assert.deepEqual(shownOf([...times('a', 4), ['b'], ...times('a', 2)]), [
      ...['a', 'a', 'a', '… repeated 1 more time', 'b'],
      ...['a', 'a'],
    ]);
  });

  it('does not join the lines of different workers', () => {
    const lines = Array.from({ length: 8 }, (_, index) => ['a', String(index % 2)] as const);
    assert.equal(shownOf(lines).length, 8);
  });

  it('collapses empty lines', () => {
    assert.deepEqual(shownOf(times('', 5)), ['', '', '', '… repeated 2 more times']);
  });

  it('keeps collapsing after a flush', () => {
    const collapser = new RepeatCollapser();
    for (let line = 0; line < 5; line++) collapser.take('a');
    assert.equal(collapser.flush(), 2);
    assert.deepEqual(collapser.take('a'), { repeated: 0, isShown: false });
    assert.equal(collapser.flush(), 1);
    assert.equal(collapser.flush(), 0);
  });

  it('reports a line that never ends from time to time', () => {
    assert.deepEqual(shownOf(times('a', 25_003)), [
      ...['a', 'a', 'a', '… repeated 10,000 more times', '… repeated 10,000 more times'],
      '… repeated 5,000 more times',
    ]);
  });
});
