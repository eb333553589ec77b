import assert from 'node:assert/strict';
import { manifestText, nameSpan, type Section } from '../../../../../src/features/manifest/model/starters/section.ts';
import { LANGUAGES } from './starters.ts';

const SECTIONS: readonly Section[] = [
  { comment: ['First.'], fields: { name: 'a', type: 'QUEUE' } },
  { comment: ['Set the image:'], fields: {}, proposed: { image: 'a:1' } },
  { comment: ['Last.'], fields: { env: { A: 'x, y,' } } },
  { comment: ['No fields.'], fields: {} },
];

describe('manifestText', () => {
  it('writes comments and proposed fields in YAML', () => {
    assert.equal(
      manifestText(SECTIONS, 'yaml'),
      '# First.\nname: a\ntype: QUEUE\n\n# Set the image:\n# image: a:1\n\n# Last.\nenv:\n  A: x, y,\n\n# No fields.\n',
    );
  });

  it('writes comments in JSON, and no comma after the last member', () => {
    assert.equal(
      manifestText(SECTIONS, 'json'),
      [
        ...['{', '  // First.', '  "name": "a",', '  "type": "QUEUE",', ''],
        ...['  // Set the image:', '  // "image": "a:1",', ''],
        ...['  // Last.', '  "env": {', '    "A": "x, y,"', '  }', '', '  // No fields.', '}', ''],
      ].join('\n'),
    );
  });

  for (const language of LANGUAGES)
    it(`locates the name of the endpoint in ${language}`, () => {
      const text = manifestText(SECTIONS, language);
      const { start, end } = nameSpan(text, language);
      assert.equal(text.slice(start, end).replaceAll('"', ''), 'a');
    });
});
