import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import { readAnsi } from '../../../../src/features/logs/model/ansi.ts';
import { describeFollowState, type FollowState } from '../../../../src/features/logs/model/followState.ts';
import { LineText } from '../../../../src/features/logs/model/lineText.ts';
import { readLogLine } from '../../../../src/features/logs/model/readLogLine.ts';
import { shortRequestId } from '../../../../src/text/ids.ts';
import type { LogEvent } from '../../../../src/contract/workerLogs.ts';

const plainText = (line: string) => readAnsi(line).text;
const readable = (line: string) => readLogLine({ line, source: 'container', ts: '' }).text;

/** Formats events and states as the panel does. */
class LogText {
  readonly #text: LineText;
  constructor(timeZone?: string) {
    this.#text = new LineText({ timestamps: 'local', timeZone });
  }
  event(event: LogEvent): string {
    return this.#text.line(readLogLine(event), Date.parse(event.ts)).text;
  }
  state(state: FollowState, now: number): string {
    return this.#text.note(describeFollowState(state), now).text;
  }
}

const event = (line: string, ts = '2026-03-01T10:42:05.123456789Z', source = 'container') => ({ line, ts, source });
const sdk = (entry: object) => JSON.stringify(entry);

describe('log line', () => {
  const plain: [what: string, line: string, expected: string][] = [
    ['plain text', 'loading model', 'loading model'],
    ['leading spaces', '    at handler (main.py:3)', '    at handler (main.py:3)'],
    ['tabs', 'a\tb', 'a\tb'],
    ['colors', '\u001b[1;31merror\u001b[0m: no', 'error: no'],
    ['cursor movements', '\u001b[2K\u001b[1Gdone', 'done'],
    ['hyperlinks', '\u001b]8;;https://example.com\u0007docs\u001b]8;;\u0007', 'docs'],
    ['a progress bar', ' 10%|#\r 50%|#####\r100%|##########', '100%|##########'],
    ['a progress bar that ends with a carriage return', ' 10%\r 20%\r', ' 20%'],
    ['a Windows line break', 'hello\r', 'hello'],
    ['bells and nulls', 'a\u0007b\u0000c\u007f', 'abc'],
    ['characters outside the Basic Multilingual Plane', '🚀 grün', '🚀 grün'],
    ['an empty line', '', ''],
  ];
  for (const [what, line, expected] of plain) {
    it(`becomes plain text: ${what}`, () => assert.equal(plainText(line), expected));
  }

  it('shows the message of worker SDK JSON with a short job id', () => {
    assert.equal(
      readable(sdk({ requestId: 'sync-0b9f3c1e-aaaa-bbbb-u1', message: 'Started.', level: 'INFO' })),
      'INFO  [0b9f3c1e] Started.',
    );
    assert.equal(
      readable(sdk({ requestId: null, message: 'Jobs in queue: 1', level: 'DEBUG' })),
      'DEBUG Jobs in queue: 1',
    );
    assert.equal(readable(sdk({ message: 'bare', level: 'WARN' })), 'WARN  bare');
  });

  it('shows a worker SDK message with several lines and colors', () => {
    assert.equal(
      readable(sdk({ requestId: null, message: 'Traceback\n  \u001b[31mboom\u001b[0m\n', level: 'ERROR' })),
      'ERROR Traceback\n  boom',
    );
  });

  it('shows other JSON unchanged', () => {
    for (const line of [
      sdk({ level: 'INFO', message: 'm', user: 7 }),
      sdk({ level: 3, message: 'm' }),
      sdk({ event: 'start' }),
      '{not json',
      '[1]',
    ]) {
      assert.equal(readable(line), line);
    }
  });

  it('shortens job ids of every documented form', () => {
    assert.equal(shortRequestId('0b9f3c1e-aaaa-bbbb-cccc-000000000000-u1'), '0b9f3c1e');
    assert.equal(shortRequestId('sync-0b9f3c1e-aaaa-u2'), '0b9f3c1e');
    assert.equal(shortRequestId('x1'), 'x1');
  });
});

describe('LogText', () => {
  it('starts each line with a short time, and shows each new date', () => {
    const text = new LogText('UTC');
    assert.equal(text.event(event('one')), '2026-03-01\n10:42:05.123 one\n');
    assert.equal(text.event(event('two', '2026-03-01T23:59:59Z')), '23:59:59.000 two\n');
    assert.equal(text.event(event('three', '2026-03-02T00:00:00.5Z')), '2026-03-02\n00:00:00.500 three\n');
  });

  it('uses the given time zone', () => {
    assert.equal(new LogText('Asia/Tokyo').event(event('x')), '2026-03-01\n19:42:05.123 x\n');
  });

  it('marks lines from sources other than the container', () => {
    const text = new LogText('UTC');
    assert.match(text.event(event('create container', undefined, 'system')), / \[system\] create container\n$/);
    assert.match(text.event(event('x', undefined, 'something newer')), / \[something newer\] x\n$/);
  });

  it('indents the continuation lines of a message', () => {
    const text = new LogText('UTC');
    const line = sdk({ requestId: null, message: 'a\nb', level: 'INFO' });
    assert.equal(text.event(event(line)), '2026-03-01\n10:42:05.123 INFO  a\n             b\n');
  });

  it('keeps a line with an invalid timestamp', () => {
    assert.equal(new LogText('UTC').event(event('kept', 'yesterday')), '             kept\n');
  });

  it('describes a change of the stream in one line', () => {
    const text = new LogText('UTC');
    const now = Date.parse('2026-03-01T10:00:00Z');
    text.state({ kind: 'connected' }, now);
    assert.equal(text.state({ kind: 'lost' }, now), '10:00:00.000 [following] connection lost, reconnecting…\n');
    const error = new ApiError('notFound', 'worker not found', { operation: 'getWorkerLogs', status: 404 });
    assert.equal(
      text.state({ kind: 'refused', error }, now),
      '10:00:00.000 [following] ended: worker not found. The worker no longer exists. Its log is above.\n',
    );
    const validation = new ApiError('validation', 'tail', { operation: 'getWorkerLogs' });
    assert.match(text.state({ kind: 'refused', error: validation }, now), /Show the logs again to retry\.\n$/);
  });
});
