/* Tokens of Python and JavaScript, as far as declarations of inputs need them. */

export type SourceLanguage = 'python' | 'javascript';

export interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'punctuation';
  /** The text of the token. For a string, the text between its quotes. */
  readonly text: string;
  /** Value of a string. Undefined for one with expressions, such as an f-string. */
  readonly value?: string | undefined;
  /** Number of characters before the first token of a logical line. Undefined for all other tokens. */
  readonly indent: number | undefined;
}

/** Maximum length of a source file that is read, in UTF-16 code units. */
const LONGEST_SOURCE = 262_144;
/** Maximum number of tokens. The rest of a file is not read. */
const MAX_TOKENS = 60_000;

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y;
const PUNCTUATION = /\*\*|\/\/|===|!==|==|!=|<=|>=|=>|->|:=|&&|\|\||\?\?|\?\.|\.\.\.|[^\s]/y;
const PYTHON_PREFIX = /^[rbfu]{1,2}$/i;
/** Statements that are at the top level even if a bracket before them is not closed. */
const STATEMENT = /(?:def|class|async|from|import|@)/y;

/** Returns the tokens of a source file. Takes linear time, and accepts any text. */
export function tokensOf(text: string, language: SourceLanguage): Token[] {
  const isPython = language === 'python';
  const tokens: Token[] = [];
  let depth = 0;
  let lineStart = 0;
  let isLineStart = true;
  let at = 0;
  const matchAt = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const push = (token: Omit<Token, 'indent'>, start: number) => {
    if (isPython && start === lineStart && depth > 0) {
      STATEMENT.lastIndex = start;
      if (STATEMENT.test(text)) depth = 0;
    }
    tokens.push({ ...token, indent: isLineStart && depth === 0 ? start - lineStart : undefined });
    isLineStart = false;
  };
  while (at < Math.min(text.length, LONGEST_SOURCE) && tokens.length < MAX_TOKENS) {
    const character = text.charAt(at);
    if (character === '\n') {
      isLineStart = true;
      lineStart = ++at;
    } else if (/\s/.test(character)) at++;
    else if (isPython && character === '\\' && /[\r\n]/.test(text.charAt(at + 1))) at = lineEnd(text, at) + 1;
    else if (isPython ? character === '#' : text.startsWith('//', at)) at = lineEnd(text, at);
    else if (!isPython && text.startsWith('/*', at)) at = endOf(text, '*/', at + 2);
    else if (!isPython && character === '/' && startsExpression(tokens.at(-1))) {
      const end = regexpEnd(text, at);
      push({ kind: 'punctuation', text: text.slice(at, end) }, at);
      at = end;
    } else if (`'"${isPython ? '' : '`'}`.includes(character)) {
      const before = tokens.at(-1);
      const hasPrefix = isPython && before?.kind === 'name' && PYTHON_PREFIX.test(before.text);
      const prefix = hasPrefix && text.endsWith(before.text, at) ? before.text.toLowerCase() : '';
      const string = stringAt(text, at, isPython, prefix);
      if (prefix !== '') tokens.pop();
      const start = at - prefix.length;
      if (prefix !== '' && before?.indent !== undefined) isLineStart = true;
      push({ kind: 'string', text: text.slice(string.start, string.end), value: string.value }, start);
      at = string.after;
    } else {
      const name = matchAt(NAME);
      const number = name === undefined ? matchAt(NUMBER) : undefined;
      const found = name ?? number ?? matchAt(PUNCTUATION) ?? character;
      const kind = name === undefined ? (number === undefined ? 'punctuation' : 'number') : 'name';
      if (')]}'.includes(found)) depth = Math.max(0, depth - 1);
      push({ kind, text: found }, at);
      if ('([{'.includes(found)) depth++;
      at += found.length;
    }
  }
  return tokens;
}

function lineEnd(text: string, at: number): number {
  return endOf(text, '\n', at, 0);
}

/** Returns the offset after a mark, or the end of the text. */
function endOf(text: string, mark: string, from: number, past = mark.length): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + past;
}

/** Returns whether a slash after a token starts a regular expression. */
function startsExpression(before: Token | undefined): boolean {
  if (!before) return true;
  if (before.kind === 'name') return before.text === 'return';
  return before.kind === 'punctuation' && !')]}'.includes(before.text);
}

function regexpEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') at++;
    else if (character === '/') return at + 1;
    else if (character === '\n') return start + 1;
  }
  return start + 1;
}

interface FoundString {
  readonly start: number;
  readonly end: number;
  /** Offset after the closing quotes. */
  readonly after: number;
  readonly value: string | undefined;
}

function stringAt(text: string, at: number, isPython: boolean, prefix: string): FoundString {
  const quote = text.charAt(at);
  const triple = quote.repeat(3);
  const mark = isPython && text.startsWith(triple, at) ? triple : quote;
  const spansLines = mark.length === 3 || quote === '`';
  const start = at + mark.length;
  let end = start;
  while (end < text.length && !text.startsWith(mark, end)) {
    if (!spansLines && text.charAt(end) === '\n') break;
    end += text.charAt(end) === '\\' ? 2 : 1;
  }
  end = Math.min(end, text.length);
  const content = text.slice(start, end);
  const hasExpressions = prefix.includes('f') ? content.includes('{') : quote === '`' && content.includes('${');
  const value = hasExpressions ? undefined : prefix.includes('r') ? content : unescaped(content);
  return { start, end, after: text.startsWith(mark, end) ? end + mark.length : end, value };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', '\n': '' };

function unescaped(content: string): string {
  if (!content.includes('\\')) return content;
  return content.replaceAll(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|([^]))/g,
    (_, byte?: string, unit?: string, other?: string) => {
      const code = byte ?? unit;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      return ESCAPES[other ?? ''] ?? other ?? '';
    },
  );
}
