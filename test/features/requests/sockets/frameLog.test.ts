import assert from 'node:assert/strict';
import { closeWords, FrameLog, MAX_FRAMES, messagesOf } from '../../../../src/features/requests/sockets/frameLog.ts';

const at = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();

describe('The log of a WebSocket', () => {
  it('contains each message with its time, direction, size, and text or bytes', () => {
    const log = new FrameLog();
    log.message(at, 'sent', 'one\ntwo\u0007');
    log.message(at, 'received', new Uint8Array([0, 255]));
    log.event(at, closeWords(1000, 'done'));
    assert.equal(
      log.text,
      [
        '03:04:05.006 → 8 B  one\n    two',
        '03:04:05.006 ← 2 B binary  00 ff',
        '03:04:05.006 # closed with 1000 (normal closure): done\n',
      ].join('\n'),
    );
  });

  it('shortens large messages, and keeps the newest ones', () => {
    const log = new FrameLog();
    for (let number = 0; number < MAX_FRAMES + 5; number++) log.message(at, 'received', `message ${number}`);
    log.message(at, 'received', 'x'.repeat(1_000_000));
    log.message(at, 'received', new Uint8Array(1_000));
    assert.match(log.text, /^# 7 older entries are not shown\.\n/);
    assert.ok(!log.text.includes('message 6\n') && log.text.includes('message 7\n'));
    assert.match(log.text, /x…\n.* 1000 B binary {2}(?:00 ){64}…\n$/);
  });
});

describe('The body of a WebSocket request', () => {
  it('has its messages between lines of ===', () => {
    assert.deepEqual(messagesOf('one\n\ntwo\n===\n{"a": 1}\n=== wait-for-server\nthree\n'), [
      'one\n\ntwo',
      '{"a": 1}',
      'three',
    ]);
    assert.deepEqual(messagesOf('a === b'), ['a === b']);
    assert.deepEqual(messagesOf(' \n===\n'), []);
  });
});

describe('The end of a WebSocket', () => {
  it('is described by its code', () => {
    assert.equal(closeWords(1006, ''), 'closed with 1006 (the connection was lost)');
    assert.equal(closeWords(4321, 'x'), 'closed with 4321: x');
  });
});
