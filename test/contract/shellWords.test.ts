import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { splitShellWords, UnclosedQuoteError } from '../../src/contract/shellWords.ts';

describe('splitting shell words', () => {
  const lines = [
    'node handler.mjs',
    '  spaced\tout  ',
    `'single $kept \\ "as is"'`,
    `"double \\" and \\\\ and \\$HOME and \\n"`,
    `a"b"'c'd`,
    `'' "" x`,
    'back\\ slash\\"quote',
    `python -c 'print("hi there")' --name="x y"`,
    'continued \\\nline',
    'joined\\\nword',
  ];
  for (const line of lines) {
    it(`splits ${JSON.stringify(line)} as sh does`, () => {
      const script = `for word in ${line}\ndo printf '%s\\0' "$word"; done`;
      const bySh = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
      assert.deepEqual(splitShellWords(line), bySh);
    });
  }

  it('splits an empty line into no words', () => {
    assert.deepEqual(splitShellWords(' \n\t'), []);
  });

  for (const line of [`'open`, `"open`, `"open\\"`, 'end\\']) {
    it(`rejects ${line}, which has an unclosed quotation`, () => {
      assert.throws(() => splitShellWords(line), UnclosedQuoteError);
    });
  }
});
