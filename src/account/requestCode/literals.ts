import type { HeaderValue } from './codeRequest.ts';

/** Characters that need an escape: control characters, and separators that end a line in some editors. */
const ESCAPED = /[\\'\p{Cc}\u2028\u2029\ufeff\ud800-\udfff]/gu;
const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns a string literal that Python and JavaScript read as the same text. */
export function literal(text: string): string {
  const escaped = text.replaceAll(
    ESCAPED,
    (sign) => SHORT[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `'${escaped}'`;
}

/** Returns the literals of the lines of a text. Each one except the last ends with a line end. */
export function lineLiterals(text: string): readonly string[] {
  return text.split(/(?<=\n)/).map(literal);
}

/** Returns an expression for the value of a header. @param variableOf returns the expression of an environment variable */
export function headerExpression(value: HeaderValue, variableOf: (name: string) => string): string {
  if (typeof value === 'string') return literal(value);
  return `${literal(value.prefix)} + ${variableOf(literal(value.variable))}`;
}
