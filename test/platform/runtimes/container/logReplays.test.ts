import assert from 'node:assert/strict';
import type { LogMessage } from '../../../../src/platform/runtimes/container/containerLog.ts';
import { LogReplays } from '../../../../src/platform/runtimes/container/logReplays.ts';

const message = (nanoseconds: number, stream: LogMessage['stream'] = 'stdout'): LogMessage => ({
  stream,
  stamp: `2026-11-23T03:57:${String(45 + Math.floor(nanoseconds / 1e9))}.${String(nanoseconds % 1e9).padStart(9, '0')}Z`,
  bytes: new Uint8Array(),
});

/** Returns the messages that are not repeated. */
function newOnes(messages: readonly LogMessage[]): LogMessage[] {
  const replays = new LogReplays();
  return messages.filter((one) => !replays.has(one));
}

describe('Repetitions in a log', () => {
  it('are dropped, wherever they begin and end', () => {
    const messages = Array.from({ length: 3_000 }, (_, index) =>
      message(index * 1_000_003, index % 7 ? 'stdout' : 'stderr'),
    );
    for (const [from, to] of [
      [0, 3_000],
      [500, 2_000],
      [2_990, 2_999],
    ] as const) {
      const next = messages.length - 500;
      const read = [...messages.slice(0, next), ...messages.slice(from, Math.min(to, next)), ...messages.slice(next)];
      assert.deepEqual(newOnes(read), messages);
    }
  });

  it('include all parts of a long line, which have one time', () => {
    const messages = [1, 2, 2, 2, 3].map((time) => message(time));
    assert.deepEqual(newOnes([...messages, ...messages, message(4)]), [...messages, message(4)]);
  });

  it('are not lines after the clock was set back', () => {
    const messages = [100, 200, 300, 150, 160, 250, 400].map((time) => message(time));
    assert.deepEqual(newOnes(messages), messages);
  });

  it('are not lines of another stream, or lines whose times have whole seconds', () => {
    const messages = [message(2), message(1, 'stderr'), message(3), message(2, 'stderr')];
    assert.deepEqual(newOnes(messages), messages);
    const whole = ['46', '45', '45'].map((second) => ({ ...message(0), stamp: `2026-11-23T05:57:${second}+02:00` }));
    assert.deepEqual(newOnes(whole), whole);
  });

  it('are recognized in a file with the largest number of messages', () => {
    const messages = Array.from({ length: 600_000 }, (_, index) => message(index * 10_000));
    const replays = new LogReplays();
    for (const one of messages) assert.equal(replays.has(one), false);
    for (const one of messages.slice(-500_000)) assert.ok(replays.has(one));
    assert.equal(replays.has(message(6_000_000_000)), false);
  });
});
