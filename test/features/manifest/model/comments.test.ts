import assert from 'node:assert/strict';
import { withoutComments } from '../../../../src/features/manifest/model/comments.ts';

describe('withoutComments', () => {
  for (const [what, text, expected] of [
    ['lines with only a comment', '# head\nname: a\n  # inner\ntype: QUEUE\n# end', 'name: a\ntype: QUEUE\n'],
    ['comments behind values', 'name: a # the name\ncpu: [ 1, # one\n 2 ]\n', 'name: a\ncpu: [ 1,\n 2 ]\n'],
    ['comments with Windows line ends', '# head\r\nname: a # b\r\ntype: QUEUE\r\n', 'name: a\r\ntype: QUEUE\r\n'],
    ['comments between documents', 'a: 1\n# x\n---\n# y\nb: 2\n', 'a: 1\n---\nb: 2\n'],
    ['comments of block scalars only outside the text', 'a: | # b\n  # c\n  d\n', 'a: |\n  # c\n  d\n'],
    ['no part of a quoted or plain value', 'a: "x # y"\nb: x#y\n', 'a: "x # y"\nb: x#y\n'],
    ['comments of half-typed text', 'a: [ # b\n', 'a: [\n'],
  ] as const)
    it(`removes ${what} from YAML`, () => assert.equal(withoutComments(text, 'yaml'), expected));

  it('removes line and block comments from JSON, and no part of a string', () => {
    const text = '// head\n{\n  "a": "// b", // c\n  /* d */ "e": /* f */ 1\n}\n';
    assert.equal(withoutComments(text, 'json'), '{\n  "a": "// b",\n   "e":  1\n}\n');
  });
});
