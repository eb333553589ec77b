import assert from 'node:assert/strict';
import { LineSplitter, MAX_LINE_LENGTH } from '../../../src/platform/logs/lineSplitter.ts';
import {
  addNanoseconds,
  nanosecondsBetween,
  normalizeTimestamp,
  TimestampSequence,
} from '../../../src/platform/logs/timestamp.ts';

describe('LineSplitter', () => {
  const linesOf = (...chunks: Uint8Array[]): string[] => {
    const lines: string[] = [];
    const splitter = new LineSplitter((some) => lines.push(...some));
    for (const chunk of chunks) splitter.write(chunk);
    splitter.end();
    return lines;
  };

  it('joins lines and characters that span chunks', () => {
    const bytes = Buffer.from('größe\nçok güzel\r\n\nlast');
    const single = [...bytes].map((byte) => Uint8Array.of(byte));
    assert.deepEqual(linesOf(...single), ['größe', 'çok güzel', '', 'last']);
    assert.deepEqual(linesOf(bytes), ['größe', 'çok güzel', '', 'last']);
  });

  it('splits lines that exceed the maximum length', () => {
    const lines = linesOf(Buffer.alloc(MAX_LINE_LENGTH * 2 + 1, 'x'), Buffer.from('y\nz'));
    assert.deepEqual(
      lines.map((line) => line.length),
      [MAX_LINE_LENGTH, MAX_LINE_LENGTH, 2, 1],
    );
  });

  it('splits between characters', () => {
    const text = `${'x'.repeat(MAX_LINE_LENGTH - 1)}😀 after`;
    const lines = linesOf(Buffer.from(`${text}\n`));
    assert.deepEqual(lines, ['x'.repeat(MAX_LINE_LENGTH - 1), '😀 after']);
  });

  it('keeps colors, NUL, and lone carriage returns, and replaces invalid bytes', () => {
    assert.deepEqual(linesOf(Buffer.from('\u001b[31mred\u001b[0m\n10 %\r20 %\na\0b\n')), [
      '\u001b[31mred\u001b[0m',
      '10 %\r20 %',
      'a\0b',
    ]);
    assert.deepEqual(linesOf(Uint8Array.of(0x61, 0xff, 0xfe, 0x62, 0x0a, 0xc3)), ['a\ufffd\ufffdb', '\ufffd']);
  });

  it('reports the lines of a chunk together', () => {
    const calls: (readonly string[])[] = [];
    const splitter = new LineSplitter((some) => calls.push(some));
    splitter.write(Buffer.from('a\nb\nc'));
    splitter.write(Buffer.from('d'));
    splitter.write(Buffer.from('\n'));
    assert.deepEqual(calls, [['a', 'b'], ['cd']]);
  });
});

describe('Timestamps of log lines', () => {
  const now = Date.parse('2026-03-01T00:00:00.999Z');

  it('increase when the clock stands still or goes back', () => {
    const sequence = new TimestampSequence('');
    assert.equal(sequence.take(now, 1).first, '2026-03-01T00:00:00.999000000Z');
    assert.deepEqual(sequence.take(now, 3), {
      first: '2026-03-01T00:00:00.999000001Z',
      last: '2026-03-01T00:00:00.999000003Z',
      continues: true,
    });
    assert.equal(sequence.take(now - 5_000, 1).first, '2026-03-01T00:00:00.999000004Z');
    assert.equal(sequence.take(now + 1, 1).continues, false);
    const afterRestart = new TimestampSequence('2026-03-01T00:00:00.999999999Z');
    assert.equal(afterRestart.take(now, 1).first, '2026-03-01T00:00:01.000000000Z');
  });

  it('can be added and subtracted across milliseconds and days', () => {
    const first = '2026-02-28T23:59:59.999999998Z';
    const third = '2026-03-01T00:00:00.000000000Z';
    assert.equal(addNanoseconds(first, 2), third);
    assert.equal(addNanoseconds(third, -2), first);
    assert.equal(nanosecondsBetween(first, third), 2);
    assert.equal(nanosecondsBetween(third, first), -2);
  });

  it('normalizes every form of a cursor', () => {
    const forms = {
      '2026-03-01T00:00:00Z': '2026-03-01T00:00:00.000000000Z',
      '2026-03-01T02:00:00.5+02:00': '2026-03-01T00:00:00.500000000Z',
      '2026-03-01T00:00:00.101277472Z': '2026-03-01T00:00:00.101277472Z',
      '2026-03-01T00:00:00Z/000000000042': '2026-03-01T00:00:00.000000000Z',
    };
    for (const [form, expected] of Object.entries(forms)) assert.equal(normalizeTimestamp(form), expected);
    for (const form of ['', 'yesterday', '2026-13-01T00:00:00Z']) assert.equal(normalizeTimestamp(form), undefined);
  });
});
