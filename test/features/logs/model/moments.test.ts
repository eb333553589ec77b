import assert from 'node:assert/strict';
import { describeMoment, parseMoment, timeIn } from '../../../../src/features/logs/model/moments.ts';

const NOW = Date.parse('2026-11-22T14:10:00Z');
const parse = (text: string, zone = 'UTC', now = NOW) => {
  const at = parseMoment(text, now, zone);
  return at === undefined ? undefined : new Date(at).toISOString();
};

describe('parseMoment', () => {
  const cases: [text: string, expected: string][] = [
    ['now', '2026-11-22T14:10:00.000Z'],
    ['10 min ago', '2026-11-22T14:00:00.000Z'],
    ['2h ago', '2026-11-22T12:10:00.000Z'],
    ['90s', '2026-11-22T14:08:30.000Z'],
    ['1.5 hours ago', '2026-11-22T12:40:00.000Z'],
    ['1h 30m ago', '2026-11-22T12:40:00.000Z'],
    ['1 d, 2 h, 3 min', '2026-11-21T12:07:00.000Z'],
    ['14:05', '2026-11-22T14:05:00.000Z'],
    [' 14:05:30.5 ', '2026-11-22T14:05:30.500Z'],
    ['14:05:30,123456', '2026-11-22T14:05:30.123Z'],
    ['14:11', '2026-11-21T14:11:00.000Z'],
    ['2:05 pm', '2026-11-22T14:05:00.000Z'],
    ['12:30 AM', '2026-11-22T00:30:00.000Z'],
    ['2026-11-22', '2026-11-22T00:00:00.000Z'],
    ['2026-11-22 14:05', '2026-11-22T14:05:00.000Z'],
    ['2026-11-22T14:05:30.25', '2026-11-22T14:05:30.250Z'],
    ['2026-11-22T14:05:30.123456789Z', '2026-11-22T14:05:30.123Z'],
    ['2026-11-22T14:05:30+05:30', '2026-11-22T08:35:30.000Z'],
    ['2026-11-22 14:05:30 -0800', '2026-11-22T22:05:30.000Z'],
    ['2030-01-01', '2030-01-01T00:00:00.000Z'],
  ];
  for (const [text, expected] of cases) it(`reads ${text.trim()}`, () => assert.equal(parse(text), expected));

  const invalid = [
    ...['', 'yesterday', '10', 'ago', '10 parsecs ago', '25:00', '14:60', '14:05:60', '13:00 pm', '0:30 am'],
    ...[
      '2026-02-30',
      '2026-13-01',
      '2026-11-22 24:00',
      '1969-12-31',
      '999999d ago',
      '14:05Z',
      '2026-11-22Tx',
      '9'.repeat(1e6),
    ],
  ];
  for (const text of invalid)
    it(`rejects ${text.slice(0, 30) || 'empty text'}`, () => assert.equal(parse(text), undefined));

  it('uses the time zone, also around a change of the clocks', () => {
    assert.equal(parse('14:05', 'America/New_York'), '2026-11-21T19:05:00.000Z');
    assert.equal(parse('2026-11-01 00:30', 'America/New_York'), '2026-11-01T04:30:00.000Z');
    assert.equal(parse('2026-11-01 12:00', 'America/New_York'), '2026-11-01T17:00:00.000Z');
    assert.equal(parse('2026-03-08 03:30', 'America/New_York'), '2026-03-08T07:30:00.000Z');
    assert.equal(parse('23:50', 'Asia/Tokyo', Date.parse('2026-11-21T15:10:00Z')), '2026-11-21T14:50:00.000Z');
  });

  it('reads its own descriptions of days', () => {
    assert.equal(parse('2026-11-21 14:05:30.5'), '2026-11-21T14:05:30.500Z');
  });
});

describe('describeMoment', () => {
  it('names the day, the time, and the distance', () => {
    assert.equal(describeMoment(NOW - 600_000, NOW, 'UTC'), 'today at 14:00:00 (10 min ago)');
    assert.equal(describeMoment(NOW - 86_400_500, NOW, 'UTC'), '2026-11-21 at 14:09:59.500 (1 d 0 h ago)');
    assert.equal(describeMoment(NOW + 60_000, NOW, 'Asia/Tokyo'), 'today at 23:11:00');
    assert.equal(describeMoment(NaN, NOW, 'UTC'), 'an invalid time');
  });
});

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

  it('without a date is the last such time in a log that still grows', () => {
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
