import assert from 'node:assert/strict';
import { LineSplitter, MAX_LINE_LENGTH } from '../../../src/platform/logs/lineSplitter.ts';
import { normalizeTimestamp, TimestampSequence } from '../../../src/platform/logs/timestamp.ts';

describe('Splitting output into lines', () => {
  const linesOf = (...chunks: Uint8Array[]): string[] => {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line));
    for (const chunk of chunks) splitter.write(chunk);
    splitter.end();
    return lines;
  };

  it('joins lines and characters that are split over chunks', () => {
    const bytes = Buffer.from('größe\nçok güzel\r\n\nlast');
    const single = [...bytes].map((byte) => Uint8Array.of(byte));
    assert.deepEqual(linesOf(...single), ['größe', 'çok güzel', '', 'last']);
    assert.deepEqual(linesOf(bytes), ['größe', 'çok güzel', '', 'last']);
  });

  it('cuts endless lines', () => {
    const lines = linesOf(Buffer.alloc(MAX_LINE_LENGTH * 2 + 1, 'x'), Buffer.from('y\nz'));
    assert.deepEqual(
      lines.map((line) => line.length),
      [MAX_LINE_LENGTH, MAX_LINE_LENGTH, 2, 1],
    );
  });
});

describe('Timestamps of log lines', () => {
  const now = Date.parse('2026-03-01T00:00:00.999Z');

  it('increase while time stands still, or goes back', () => {
    const sequence = new TimestampSequence('');
    assert.equal(sequence.next(now), '2026-03-01T00:00:00.999000000Z');
    assert.equal(sequence.next(now), '2026-03-01T00:00:00.999000001Z');
    assert.equal(sequence.next(now - 5_000), '2026-03-01T00:00:00.999000002Z');
    assert.equal(new TimestampSequence('2026-03-01T00:00:00.999999999Z').next(now), '2026-03-01T00:00:01.000000000Z');
  });

  it('are read in every form a cursor may have', () => {
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
