import assert from 'node:assert/strict';
import { slowPattern } from '../../../../src/features/jobs/model/schema/slowPattern.ts';

const withPattern = (pattern: string) => ({ properties: { list: { items: [{ type: 'string', pattern }] } } });

describe('slowPattern', () => {
  for (const pattern of ['^(a+)+$', '^(\\w+\\s?)*$', '(x|x)*y+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '^(\\d*)*$'])
    it(`finds ${pattern}, whose time is exponential`, () => {
      assert.equal(slowPattern(withPattern(pattern)), pattern);
    });

  for (const pattern of [
    '^[a-z0-9-]{1,64}$',
    '^https?://[^/]+/.*$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^(cat|dog)+$',
    '(',
    '^.+@.+$',
  ])
    it(`accepts ${pattern}`, () => {
      assert.equal(slowPattern(withPattern(pattern)), undefined);
    });

  it('reads the keys of patternProperties, and no values that are not schemas', () => {
    assert.equal(slowPattern({ patternProperties: { '^(a+)+$': true } }), '^(a+)+$');
    assert.equal(slowPattern({ properties: { pattern: { type: 'string' } } }), undefined);
    assert.equal(slowPattern(true), undefined);
  });
});
