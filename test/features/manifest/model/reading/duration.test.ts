import assert from 'node:assert/strict';
import { durationText } from '../../../../../src/features/manifest/model/fields/fieldMarkdown.ts';

describe('durationText', () => {
  it('formats milliseconds', () => {
    assert.equal(durationText(300_000, 'ms'), '5 min');
    assert.equal(durationText(5_400_000, 'ms'), '1 h 30 min');
    assert.equal(durationText(604_800_000, 'ms'), '7 d');
    assert.equal(durationText(1_500, 'ms'), 'about 2 s');
  });

  it('formats seconds of at least one minute', () => {
    assert.equal(durationText(3_600, 's'), '1 h');
    assert.equal(durationText(90, 's'), '1 min 30 s');
    assert.equal(durationText(59, 's'), undefined);
  });

  it('formats no other numbers', () => {
    for (const value of [0, -1, NaN, Infinity, 999]) assert.equal(durationText(value, 'ms'), undefined, String(value));
    assert.equal(durationText(100, 'GB'), undefined);
  });
});
