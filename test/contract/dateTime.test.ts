// Clauses of the interface: Endpoints 1.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { millisecondsOf, parseInstant } from '../../src/contract/dateTime.ts';
import { DateTime } from '../../src/contract/schema.ts';

describe('RFC 3339 date-times', () => {
  const same: Record<string, [text: string, iso: string]> = {
    'a lowercase t and z': ['2026-03-18t14:25:30z', '2026-03-18T14:25:30.000Z'],
    'a leap second': ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    'a leap second in another zone': ['1990-12-31T15:59:60-08:00', '1991-01-01T00:00:00.000Z'],
    'a leap second with a fraction': ['2015-06-30T23:59:60.5Z', '2015-07-01T00:00:00.500Z'],
    'an offset': ['2026-03-18T00:15:00+05:45', '2026-03-17T18:30:00.000Z'],
    'an unknown offset': ['2026-03-18T00:15:00-00:00', '2026-03-18T00:15:00.000Z'],
    'the largest offset': ['2026-03-18T00:00:00+23:59', '2026-03-17T00:01:00.000Z'],
    'one digit of a second': ['2026-03-18T14:25:30.5Z', '2026-03-18T14:25:30.500Z'],
    'more than nine digits of a second': ['2026-03-18T14:25:30.123999999999999Z', '2026-03-18T14:25:30.123Z'],
    'a leap day': ['2028-02-29T12:00:00Z', '2028-02-29T12:00:00.000Z'],
    'the first year': ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    'the year 0': ['0000-12-31T00:00:00Z', '0000-12-31T00:00:00.000Z'],
    'the last moment': ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  };
  for (const [what, [text, iso]] of Object.entries(same)) {
    it(`are accepted with ${what}`, () => {
      assert.equal(DateTime.parse(text), text);
      assert.equal(new Date(millisecondsOf(text)).toISOString(), iso);
    });
  }

  const none = {
    'a space instead of the T': '2026-03-18 14:25:30Z',
    'no offset': '2026-03-18T14:25:30',
    'no seconds': '2026-03-18T14:25Z',
    'hour 24': '2026-03-18T24:00:00Z',
    'minute 60': '2026-03-18T23:60:00Z',
    'second 61': '2026-12-31T23:59:61Z',
    'a leap second within a day': '2026-12-31T12:00:60Z',
    'a leap second within a month': '2016-12-30T23:59:60Z',
    'an offset of 24 hours': '2026-03-18T14:25:30+24:00',
    'an offset without a colon': '2026-03-18T14:25:30+0200',
    'February 30': '2026-02-30T00:00:00Z',
    'a leap day in another year': '2027-02-29T00:00:00Z',
    'month 0': '2026-00-01T00:00:00Z',
    'an empty fraction': '2026-03-18T14:25:30.Z',
    'a year of five digits': '+12026-03-18T14:25:30Z',
    'leading whitespace': ' 2026-03-18T14:25:30Z',
    'a trailing newline': '2026-03-18T14:25:30Z\n',
  };
  for (const [what, text] of Object.entries(none)) {
    it(`are rejected with ${what}`, () => assert.equal(DateTime.safeParse(text).success, false));
  }

  it('parse to the dates they were formatted from', () => {
    const moment = fc.integer({ min: Date.UTC(1, 0, 1) - 1900 * 365.25 * 86_400_000, max: Date.UTC(9999, 0, 1) });
    fc.assert(fc.property(moment, (ms) => assert.equal(millisecondsOf(new Date(ms).toISOString()), ms)));
  });

  it('keep nanoseconds', () => {
    assert.deepEqual(parseInstant('1970-01-01T00:00:00.000000001Z'), { ms: 0, nanoseconds: 1 });
    assert.deepEqual(parseInstant('1969-12-31T23:59:59.999999999Z'), { ms: -1, nanoseconds: 999_999 });
  });
});
