import assert from 'node:assert/strict';
import fc from 'fast-check';
import { plainWaterfallLines, waterfallLines, type WaterfallRow } from '../../src/text/waterfall.ts';

const T = Date.parse('2026-11-28T12:00:00Z');

function row(label: string, start: number, end: number | undefined, more: Partial<WaterfallRow> = {}): WaterfallRow {
  return { label, depth: 0, start: T + start, end: end === undefined ? undefined : T + end, tone: 'working', ...more };
}

function draw(rows: readonly WaterfallRow[], to: number, width = 48): string {
  return waterfallLines(rows, { from: T, to: T + to, width })
    .map(({ text }) => text)
    .join('\n');
}

describe('A waterfall', () => {
  it('has a label, a duration, a bar, and a note on each line', () => {
    const rows = [
      row('In the queue', 0, 5_000, { tone: 'waiting' }),
      row('Cold start', 500, 5_000, { depth: 1, tone: 'starting' }),
      row('Attempt 1', 5_000, 10_000, { tone: 'failing', note: 'failed' }),
    ];
    assert.equal(
      `\n${draw(rows, 10_000, 52)}`,
      `
In the queue  5.0 s  ██████████▌
  Cold start  4.5 s   █████████▌
Attempt 1     5.0 s            ▐██████████  failed`,
    );
  });

  it('draws a mark for a span without a length, also at the end', () => {
    const rows = [row('Start', 0, 0), row('Middle', 5_000, 5_000), row('End', 10_000, 10_000)];
    for (const { text, barStart, barEnd } of waterfallLines(rows, { from: T, to: T + 10_000, width: 40 }))
      assert.match(text.slice(barStart, barEnd), /^[▏▕]$/u);
  });

  it('has no gap inside a bar, wherever it starts', () => {
    for (let start = 0; start < 400; start += 7) {
      const [line] = waterfallLines([row('Start', start, 4_000)], { from: T, to: T + 4_000, width: 40 });
      assert.match(line?.text.slice(line.barStart, line.barEnd) ?? '', /^[█▐▕]█+$/u);
    }
  });

  it('fades out where a span continues: at the end of one that has not ended, and before the start', () => {
    assert.equal(
      `\n${draw([row('Running', 2_000, undefined), row('Start', -5_000, 3_000)], 4_000, 40)}`,
      `
Running       2.0 s…           ████████░
Start         8.0 s   ░████████████▌`,
    );
  });

  it('aligns wide characters by their columns', () => {
    const lines = waterfallLines([row('冷启动', 0, 10), row('排队', 0, 10, { depth: 1 })], {
      from: T,
      to: T + 10,
      width: 40,
    });
    // A wide character has one code unit and two columns.
    assert.deepEqual(
      lines.map(({ barStart }) => barStart),
      [14 + 7 - 3, 14 + 7 - 2],
    );
  });

  it('cuts long labels and notes, and puts them on one line', () => {
    const hostile = `a\u001b[2J\n${'很长'.repeat(500)}`;
    const [line] = waterfallLines([row(hostile, 0, 10, { note: hostile })], { from: T, to: T + 10, width: 60 });
    assert.match(line?.text ?? '', /^a 很[很长]+… /u);
    assert.match(line?.text ?? '', /█ {2}a 很[很长]+…$/u);
  });

  it('has lines without bars for screen readers', () => {
    const rows = [row('Cold start', 0, 500, { depth: 1, note: 'began earlier' }), row('Running', 0, undefined)];
    assert.deepEqual(
      plainWaterfallLines(rows, T + 2_000).map(({ text }) => text),
      ['  Cold start: 500 ms · began earlier', 'Running: 2.0 s…'],
    );
  });

  it('never draws outside its width, and keeps the order, whatever the spans are', () => {
    const time = fc.integer({ min: -1_000, max: 100_000 });
    const anyRow = fc.record({
      label: fc.string({ unit: 'binary', maxLength: 40 }),
      depth: fc.integer({ min: 0, max: 4 }),
      start: time,
      end: fc.option(time, { nil: undefined }),
      tone: fc.constantFrom('waiting' as const, 'starting' as const, 'working' as const, 'failing' as const),
      note: fc.option(fc.string({ unit: 'binary', maxLength: 80 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(
        fc.array(anyRow, { maxLength: 12 }),
        time,
        time,
        fc.integer({ min: 0, max: 200 }),
        (rows, from, to, width) => {
          const lines = waterfallLines(rows, { from, to, width });
          assert.deepEqual(
            lines.map(({ tone }) => tone),
            rows.map(({ tone }) => tone),
          );
          const ends = lines.map(({ text, barStart, barEnd, labelStart, labelEnd }) => {
            assert.doesNotMatch(text, /[\n\r\u001b]/u);
            assert.ok(0 <= labelStart && labelStart <= labelEnd && labelEnd <= barStart && barStart < barEnd);
            assert.match(text.slice(barStart, barEnd), /^[▏▎▍▌▋▊▉█▐▕░]+$/u);
            return barEnd - barStart;
          });
          assert.ok(ends.every((length) => length <= Math.max(Math.min(width, 40), 8)));
        },
      ),
    );
  });
});
