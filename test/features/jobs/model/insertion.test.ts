import assert from 'node:assert/strict';
import { parse } from 'jsonc-parser';
import { insertedStrings } from '../../../../src/features/jobs/model/insertion.ts';

const value = { text: 'data:x', member: 'image' };

/** Inserts at the bar, or replaces the text between two bars. */
function inserted(marked: string, count = 1): string | undefined {
  const start = marked.indexOf('|');
  const rest = marked.slice(start + 1);
  const end = rest.includes('|') ? start + rest.indexOf('|') : start;
  const text = marked.replaceAll('|', '');
  const into = insertedStrings(
    text,
    { start, end },
    Array.from({ length: count }, () => value),
  );
  return into === undefined ? undefined : text.slice(0, start) + into + text.slice(end);
}

describe('An inserted data URL', () => {
  it('has no quotes in a string', () => {
    assert.equal(inserted('{"a": "|"}'), '{"a": "data:x"}');
    assert.equal(inserted('{"a": "|old|"}'), '{"a": "data:x"}');
    assert.equal(inserted('["|"]'), '["data:x"]');
    assert.equal(inserted('{"a": "|'), '{"a": "data:x');
  });

  it('has quotes in the place of a value', () => {
    assert.equal(inserted('{"a": |}'), '{"a": "data:x"}');
    assert.equal(inserted('{"a":\n  // c\n  |\n}'), '{"a":\n  // c\n  "data:x"\n}');
    assert.equal(inserted('{"a": |"old"|}'), '{"a": "data:x"}');
  });

  it('is a member in the place of a member, with the commas that it needs', () => {
    for (const marked of ['{|}', '{"a": 1|}', '{|"a": 1}', '{"a": 1,|}', '{"a": 1, | "b": 2}', '{"x": {"a": 1} | }'])
      assert.equal((parse(inserted(marked) ?? '') as { image?: string }).image, 'data:x', marked);
  });

  it('is an item in a list, with the commas that it needs', () => {
    for (const marked of ['[|]', '[1|]', '[|1]', '[1, | 2]', '[{} | , 2]'])
      assert.ok((parse(inserted(marked) ?? '') as unknown[]).includes('data:x'), marked);
  });

  it('is a list for several files', () => {
    assert.equal(inserted('{"a": |}', 2), '{"a": ["data:x", "data:x"]}');
    assert.equal(inserted('[|]', 2), '["data:x", "data:x"]');
    assert.equal(inserted('{|}', 2), '{"image": ["data:x", "data:x"]}');
  });

  it('is not possible in comments and property names, in other values, and outside of the root value', () => {
    for (const marked of ['{"|a": 1}', '{"|', '{ // c|', '{ /* | */ }', '{"a": tr|ue}', '{"a": 1|2}', '|', '{} |'])
      assert.equal(inserted(marked), undefined, marked);
  });
});
