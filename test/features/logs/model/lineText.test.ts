import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import { describeFollowState } from '../../../../src/features/logs/model/followState.ts';
import { LineText, type LineTextOptions, type TextLine } from '../../../../src/features/logs/model/lineText.ts';
import { readLogLine } from '../../../../src/features/logs/model/readLogLine.ts';

const NOON = Date.parse('2026-03-01T12:00:05.123Z');
const TAG = { text: '9f3c', color: 'tag2' } as const;
const read = (line: string, source = 'container') => readLogLine({ line, source, ts: '' });
const formatter = (options: Partial<LineTextOptions> = {}) =>
  new LineText({ timestamps: 'local', timeZone: 'UTC', ...options });
/** Returns the colored parts of a line with their colors. */
const colored = ({ text, spans }: TextLine) => spans.map(({ start, end, color }) => [text.slice(start, end), color]);

describe('LineText', () => {
  it('starts each line with its time, and shows each new date', () => {
    const text = formatter();
    assert.equal(text.line(read('one'), NOON).text, '2026-03-01\n12:00:05.123 one\n');
    assert.equal(text.line(read('two'), NOON + 1000).text, '12:00:06.123 two\n');
    assert.equal(text.line(read('three'), NOON + 86_400_000).text, '2026-03-02\n12:00:05.123 three\n');
  });

  it('shows local times, UTC, or no times', () => {
    assert.equal(formatter({ timeZone: 'Asia/Kolkata' }).line(read('x'), NOON).text, '2026-03-01\n17:30:05.123 x\n');
    const utc = formatter({ timestamps: 'utc', timeZone: 'Asia/Kolkata' });
    assert.equal(utc.line(read('x'), NOON).text, '2026-03-01\n12:00:05.123Z x\n');
    assert.equal(formatter({ timestamps: 'off' }).line(read('x'), NOON).text, 'x\n');
  });

  it('shows the tag of the worker in its color', () => {
    const text = formatter({ prefix: TAG });
    const line = text.line(read('a \u001b[31mb'), NOON);
    assert.equal(line.text, '2026-03-01\n12:00:05.123 9f3c │ a b\n');
    assert.deepEqual(colored(line), [
      ['9f3c', 'tag2'],
      ['b', 'red'],
    ]);
    const other = text.line(read('x'), NOON, { text: 'beef', color: 'tag3' });
    assert.equal(other.text, '12:00:05.123 beef │ x\n');
    assert.deepEqual(colored(other), [['beef', 'tag3']]);
    assert.equal(formatter({ timestamps: 'off', prefix: TAG }).line(read('x'), NOON).text, '9f3c │ x\n');
  });

  it('marks the lines of the host', () => {
    const line = formatter({ timestamps: 'off', prefix: TAG }).line(read('worker is ready', 'system'), NOON);
    assert.equal(line.text, '9f3c │ [system] worker is ready\n');
  });

  it('indents continuation lines, and moves their colors', () => {
    const line = read(JSON.stringify({ message: '\u001b[31ma\nb\n\u001b[32mc\nd', level: 'INFO' }));
    const shown = formatter().line(line, NOON);
    assert.equal(
      shown.text,
      `2026-03-01\n12:00:05.123 INFO  a\n${' '.repeat(13)}b\n${' '.repeat(13)}c\n${' '.repeat(13)}d\n`,
    );
    assert.deepEqual(colored(shown), [
      ['a', 'red'],
      ['b', 'red'],
      ['c', 'green'],
      ['d', 'green'],
    ]);
    assert.equal(formatter({ timestamps: 'off' }).line(line, NOON).text, 'INFO  a\n    b\n    c\n    d\n');
  });

  it('shows a line whose time is invalid, without a new heading', () => {
    const text = formatter();
    assert.equal(text.line(read('x'), NaN).text, `${' '.repeat(13)}x\n`);
    text.line(read('x'), NOON);
    for (const at of [NaN, Infinity, 1e300]) assert.equal(text.line(read('x'), at).text, `${' '.repeat(13)}x\n`);
    assert.equal(text.line(read('x'), NOON).text, '12:00:05.123 x\n');
  });

  it('shows times that go back, times before 1970, and the limits of time', () => {
    const text = formatter();
    text.line(read('x'), NOON);
    assert.equal(text.line(read('x'), NOON - 1).text, '12:00:05.122 x\n');
    assert.equal(text.line(read('x'), NOON - 86_400_000).text, '2026-02-28\n12:00:05.123 x\n');
    assert.equal(text.line(read('x'), -1).text, '1969-12-31\n23:59:59.999 x\n');
    assert.match(text.line(read('x'), 8.64e15).text, /00:00:00\.000 x\n$/);
    assert.match(text.line(read('x'), -8.64e15).text, /00:00:00\.000 x\n$/);
  });

  it('marks the lines of the extension', () => {
    const text = formatter({ prefix: TAG });
    const line = text.note('connected', NOON);
    assert.equal(line.text, '2026-03-01\n12:00:05.123 9f3c │ [following] connected\n');
    assert.deepEqual(colored(line), [['9f3c', 'tag2']]);
    assert.match(text.note('no', NOON, 'trouble').text, / \[trouble\] no\n$/);
  });

  it('keeps foreign text in lines of the extension safe', () => {
    const line = formatter({ timestamps: 'off' }).note('ended: a\u202e\u001b[31m\n[system] b', NOON);
    assert.equal(line.text, '[following] ended: a\n    [system] b\n');
    assert.deepEqual(line.spans, []);
  });
});

describe('describeFollowState', () => {
  it('describes each change in one line', () => {
    const error = (kind: 'notFound' | 'validation') => new ApiError(kind, 'no', { operation: 'getWorkerLogs' });
    const words = [
      { kind: 'connected' },
      { kind: 'lost' },
      { kind: 'resumed' },
      { kind: 'suspended' },
      { kind: 'stopped' },
      { kind: 'paused' },
      { kind: 'away', awayMs: 190_000 },
      { kind: 'ended' },
      { kind: 'skipped', lines: 12_345 },
      { kind: 'skipped', lines: 1 },
      { kind: 'tooLarge' },
      { kind: 'refused', error: error('notFound') },
      { kind: 'refused', error: error('validation') },
    ] as const;
    assert.deepEqual(words.map(describeFollowState), [
      'connected',
      'connection lost, reconnecting…',
      'reconnected, continuing after the last line',
      'the platform stopped; the log resumes when the platform restarts',
      'stopped; show the logs again to continue after the last line',
      'paused while the log is not visible',
      'continued after 3 min; no lines are missing',
      'the worker ended; its log is complete',
      '12,345 lines were skipped here; Open Full Log shows all lines',
      '1 line was skipped here; Open Full Log shows all lines',
      'older lines were removed here, because the panel was too large; Open Full Log shows all lines',
      'ended: no. The worker no longer exists. Its log is above.',
      'ended: no. Show the logs again to retry.',
    ]);
  });
});
