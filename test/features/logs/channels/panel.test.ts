import assert from 'node:assert/strict';
import { LogChannel } from '../../../../src/features/logs/channels/logChannel.ts';
import { MAX_WRITTEN, type PanelItem } from '../../../../src/features/logs/channels/panelQueue.ts';
import type { LineSpan } from '../../../../src/features/logs/model/lineText.ts';
import type { LogViewOptions } from '../../../../src/features/logs/model/logOptions.ts';
import type { Clock } from '../../../../src/client/clock.ts';

const START = Date.parse('2026-03-01T10:00:00Z');
const workerOf = (workerId: string) => ({ connectionId: 'c', endpointId: 'e', endpointName: 'hello', workerId });

function line(text: string, at = 0, workerId = 'worker-a', source = 'container'): PanelItem {
  const event = { source, line: text, ts: new Date(START + at).toISOString() };
  return { kind: 'line', worker: workerOf(workerId), at: START + at, entry: { event, at: START + at } };
}

const state = (kind: 'lost' | 'paused' | 'connected', at: number, workerId = 'worker-a'): PanelItem => ({
  ...{ kind: 'state', worker: workerOf(workerId), at: START + at, state: { kind } },
});

const ALL: LogViewOptions = {
  ...{ source: 'both', timestamps: 'off', minimumLevel: 'trace' },
};

/** A channel, its text, and a clock that runs the waiting actions on request. */
function arrange(options: Partial<LogViewOptions> = {}, isMerged = false) {
  let text = '';
  let due: (() => void)[] = [];
  const clock: Clock = {
    now: () => START,
    sleep: () => new Promise((resolve) => due.push(resolve)),
    after: (_, action) => {
      due.push(action);
      return () => void (due = due.filter((one) => one !== action));
    },
  };
  const current = { ...ALL, ...options };
  const spans: LineSpan[] = [];
  const channel = new LogChannel({
    subject: {
      connectionId: 'c',
      endpointId: 'e',
      endpointName: 'hello',
      ...(!isMerged && { workerIds: ['worker-a'] }),
    },
    output: {
      append: (more) => (text += more),
      replace: (all) => (text = all),
      clear: () => (text = ''),
    },
    clock,
    options: () => current,
    onText: (one) => spans.push(...one.spans),
  });
  const tick = () => {
    for (const action of due.splice(0)) action();
  };
  const lines = () => text.split('\n').slice(0, -1);
  return { channel, tick, lines, text: () => text, spans, options: current };
}

describe('a log in the panel', () => {
  it('writes the waiting lines at once', () => {
    const { channel, tick, lines } = arrange();
    channel.add([line('a')]);
    channel.add([line('b')]);
    assert.deepEqual(lines(), []);
    tick();
    assert.deepEqual(lines(), ['a', 'b']);
    tick();
    assert.deepEqual(lines(), ['a', 'b']);
  });

  it('skips the oldest lines of a flood, and says how many', () => {
    const { channel, tick, lines } = arrange();
    for (let at = 0; at < 100_000; at += 1_000) {
      channel.add(Array.from({ length: 1_000 }, (_, index) => line(`line ${at + index}`)));
    }
    channel.add([state('lost', 0)]);
    tick();
    assert.equal(lines().length, MAX_WRITTEN + 1);
    assert.equal(lines()[0], '[following] 98,001 lines were skipped here; Open Full Log shows all lines');
    assert.equal(lines()[1], 'line 98001');
    assert.equal(lines().at(-2), 'line 99999');
    assert.match(lines().at(-1) ?? '', /connection lost/);
  });

  it('sorts the lines of several workers by time, with a colored tag for each', () => {
    const { channel, tick, lines, spans } = arrange({}, true);
    channel.add([line('a1', 1), line('a3', 3)]);
    channel.add([line('b2', 2, 'worker-b'), line('b3', 3, 'worker-b')]);
    tick();
    assert.deepEqual(lines(), ['er-a │ a1', 'er-b │ b2', 'er-a │ a3', 'er-b │ b3']);
    assert.deepEqual(new Set(spans.map(({ color }) => color)).size, 2);
  });

  it('keeps the lines of one worker in their order, even if a timestamp goes back', () => {
    const { channel, tick, lines } = arrange();
    channel.add([line('first', 5), line('second', 5), line('third', 5)]);
    tick();
    assert.deepEqual(lines(), ['first', 'second', 'third']);
  });

  it('shows a change of several workers in one line', () => {
    const { channel, tick, lines } = arrange({}, true);
    channel.add(['a', 'b', 'c'].map((id) => state('paused', 1, `worker-${id}`)));
    tick();
    assert.deepEqual(lines(), ['[following] 3 workers: paused while the log is not visible']);
  });

  it('hides lines of the other source and below the minimum level', () => {
    const { channel, tick, lines } = arrange({ source: 'container', minimumLevel: 'warn' });
    channel.add([
      line('ERROR no'),
      line('plain'),
      line('[debug] x'),
      line('WARN slow'),
      line('start', 0, 'worker-a', 'system'),
    ]);
    tick();
    assert.deepEqual(lines(), ['ERROR no', 'WARN slow']);
  });

  it('collapses repeated lines', () => {
    const repeated = [...Array.from({ length: 10 }, () => line('same')), line('other')];
    const on = arrange();
    on.channel.add(repeated);
    on.tick();
    assert.deepEqual(on.lines(), ['same', 'same', 'same', '… repeated 7 more times', 'other']);
  });

  it('is rewritten in other options with its states, without losing a line that arrives in the meantime', async () => {
    const { channel, tick, lines, options } = arrange();
    channel.add([line('ERROR a', 1), line('b', 2), state('lost', 3)]);
    tick();
    Object.assign(options, { minimumLevel: 'error' });
    const read = Promise.withResolvers<PanelItem[]>();
    const rewriting = channel.rewrite(() => read.promise);
    channel.add([line('ERROR c', 4), line('d', 5)]);
    tick();
    read.resolve([line('ERROR a', 1), line('b', 2)]);
    await rewriting;
    tick();
    assert.deepEqual(lines(), ['ERROR a', '[following] connection lost, reconnecting…', 'ERROR c']);
  });

  it('removes the oldest text when the panel is too large', () => {
    const { channel, tick, lines, text } = arrange();
    const long = 'x'.repeat(5_000);
    for (let number = 0; number < 2_000; number++) {
      channel.add([line(`${number} ${long}`)]);
      tick();
    }
    assert.ok(text().length < 9 * 1024 * 1024);
    assert.match(lines()[0] ?? '', /^\[following\] older lines were removed here/);
    assert.ok(lines().at(-1)?.startsWith('1999 '));
  });

  it('is empty after it was cleared, and continues with the next line', () => {
    const { channel, tick, lines } = arrange();
    channel.add([line('a')]);
    tick();
    channel.add([line('b')]);
    channel.clear();
    tick();
    assert.deepEqual(lines(), []);
    channel.add([line('c')]);
    tick();
    assert.deepEqual(lines(), ['c']);
  });

  it('shows control characters, bidirectional text, and invalid UTF-8 as plain text', () => {
    const { channel, tick, text } = arrange();
    channel.add([line('a\u001b[31mred\u001b[0m\u202eevil\u200b\u0000\ufffd\ud800')]);
    tick();

    assert.doesNotMatch(text(), /[\u0000-\u0008\u001b\u202e\u200b]/);
    assert.match(text(), /ared/);
  });
});
