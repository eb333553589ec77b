import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { oneCommand } from '../../src/contract/endpointRules.ts';
import { splitShellWords, UnclosedQuoteError } from '../../src/contract/shellWords.ts';

/** Any text without NUL, which a command line cannot contain. */
const text = fc
  .array(fc.constantFrom(...Array.from(`ab =-/;#*$?~&|<>(){}\`!'"\\ \té😀`), '\n'), { maxLength: 8 })
  .map((parts) => parts.join(''));

const quoteForShell = (word: string): string => `'${word.replaceAll(`'`, `'\\''`)}'`;

/** A word of a command line in any notation of the shell, without expansions. */
const writtenWord = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', 'bc', '--x=1', '/y'),
      text.map((inner) => `'${inner.replaceAll(`'`, '')}'`),
      text.map((inner) => `"${inner.replace(/[\\"$`]/g, '\\$&')}"`),
      fc.constantFrom('"a\\bc"', '"\\n"', '"con\\\ntinued"'),
      fc.constantFrom(...Array.from(` '"\\$;*#a`), '\n').map((char) => `\\${char}`),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(''));
const line = fc.array(fc.tuple(writtenWord, fc.constantFrom(' ', '\t', '  '))).map((words) => words.flat().join(''));

/** Splits each line with `sh`, in one process for all lines. */
function splitBySh(lines: readonly string[]): string[][] {
  const script = lines
    .map((each) => `for word in ${each}\ndo printf '%s\\0' "$word"; done\nprintf '\\1\\0'\n`)
    .join('');
  const words = execFileSync('sh', { input: script, encoding: 'utf8' }).split('\0').slice(0, -1);
  const split: string[][] = [[]];
  for (const word of words) {
    if (word === '\x01') split.push([]);
    else split.at(-1)?.push(word);
  }
  return split.slice(0, -1);
}

describe('splitting any command line', () => {
  it('returns the same words as sh', () => {
    const lines = fc.array(line, { minLength: 100, maxLength: 100 });
    fc.assert(
      fc.property(lines, (batch) => assert.deepEqual(batch.map(splitShellWords), splitBySh(batch))),
      { numRuns: 5, endOnFailure: true },
    );
  });

  it('returns the words that were quoted', () => {
    fc.assert(
      fc.property(fc.array(text), (words) => {
        assert.deepEqual(splitShellWords(words.map(quoteForShell).join(' ')), words);
      }),
    );
  });

  it('returns words or throws UnclosedQuoteError', () => {
    fc.assert(
      fc.property(text, (any) => {
        try {
          splitShellWords(any);
        } catch (error) {
          assert.ok(error instanceof UnclosedQuoteError);
        }
      }),
    );
  });

  it('matches the same command in exec form', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (cmd) => {
        assert.deepEqual(oneCommand({ args: cmd.map(quoteForShell).join(' '), cmd }), []);
        assert.deepEqual(oneCommand({ args: JSON.stringify({ cmd }), cmd }), []);
      }),
    );
  });
});
