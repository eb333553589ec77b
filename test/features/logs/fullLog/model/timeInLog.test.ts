import assert from 'node:assert/strict';
import { timeIn } from '../../../../../src/features/logs/model/moments.ts';

describe('A time in a log', () => {
  const at = (text: string) => Date.parse(text);
  const span = { from: at('2026-11-20T08:00:00Z'), to: at('2026-11-20T16:00:00Z') };
  const now = at('2026-11-22T12:00:00Z');
  const read = (text: string, end = span.to) => {
    const time = timeIn(text, { ...span, to: end }, now, 'UTC');
    return time === undefined ? undefined : new Date(time).toISOString();
  };

  it('without a date is on the last day of a log that ended days ago', () => {
    assert.equal(read('14:05'), '2026-11-20T14:05:00.000Z');
    assert.equal(read('17:00'), '2026-11-19T17:00:00.000Z');
  });

  it('without a date is the last such time in a log that goes on', () => {
    assert.equal(read('11:00', now), '2026-11-22T11:00:00.000Z');
    assert.equal(read('13:00', now), '2026-11-21T13:00:00.000Z');
  });

  it('counts from now if it is relative', () => {
    assert.equal(read('10 min ago'), '2026-11-22T11:50:00.000Z');
    assert.equal(read('2d ago'), '2026-11-20T12:00:00.000Z');
  });

  it('keeps its date', () => {
    assert.equal(read('2026-11-21 10:00'), '2026-11-21T10:00:00.000Z');
    assert.equal(read('2026-11-20T10:00:00+01:00'), '2026-11-20T09:00:00.000Z');
  });

  it('is undefined for other text', () => {
    assert.equal(read('soon'), undefined);
    assert.equal(read(''), undefined);
  });
});
