import { words, type Words } from './words.ts';

/** Describes an unclosed quote, or a backslash at the end. */
export function unclosedQuote(quote: string): Words {
  return quote === '\\'
    ? words`the backslash at the end escapes no character`
    : words`the quote ${quote} is not closed`;
}

/** Thrown for a command line with an unclosed quotation. */
export class UnclosedQuoteError extends Error {
  /** The unclosed quote, or a backslash at the end. */
  readonly quote: string;

  constructor(quote: string) {
    super(unclosedQuote(quote).toString());
    this.quote = quote;
  }
}

/**
 * Splits a command line into words as a POSIX shell does (XCU 2.2 Quoting). Blanks separate words. Single quotes preserve every
 * character. Double quotes preserve all but `\$`, `\``, `\"`, `\\`, and line continuation. Expansion and operators are not supported.
 *
 * @throws UnclosedQuoteError
 */
export function splitShellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (/[ \t\n]/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'") {
      const end = line.indexOf("'", at + 1);
      if (end < 0) throw new UnclosedQuoteError(char);
      word = (word ?? '') + line.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      const quoted = readDoubleQuoted(line, at + 1);
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else if (char === '\\') {
      const next = line.charAt(++at);
      if (next === '') throw new UnclosedQuoteError(char);
      // A backslash before a newline continues the line. Both are removed, and no word begins.
      if (next !== '\n') word = (word ?? '') + next;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

function readDoubleQuoted(line: string, start: number): { text: string; end: number } {
  let text = '';
  for (let at = start; at < line.length; at++) {
    const char = line.charAt(at);
    if (char === '"') return { text, end: at };
    if (char === '\\' && /[$`"\\\n]/.test(line.charAt(at + 1))) {
      const next = line.charAt(++at);
      if (next !== '\n') text += next;
    } else {
      text += char;
    }
  }
  throw new UnclosedQuoteError('"');
}
