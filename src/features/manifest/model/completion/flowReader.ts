import type { Span } from '../../../../text/span.ts';

/* Splits JSON, and braces and brackets in YAML, into tokens. Takes linear time. */

export interface FlowToken extends Span {
  readonly kind: 'open' | 'close' | 'colon' | 'comma' | 'scalar' | 'comment';
  /** The character, or the content of a scalar without its quotation marks. */
  readonly text: string;
  readonly quote?: '"' | "'" | undefined;
  /** Whether text typed at the end of the token becomes a part of it. */
  readonly open: boolean;
}

export interface FlowReaderOptions {
  readonly style: 'json' | 'flow';
  /** Column of the field in YAML. A line that starts there or before it ends an unclosed bracket. */
  readonly parentColumn: number;
}

const kinds: Readonly<Record<string, FlowToken['kind']>> = {
  '{': 'open',
  '[': 'open',
  '}': 'close',
  ']': 'close',
  ':': 'colon',
  ',': 'comma',
};

export class FlowReader {
  /** Offset of the next character. */
  at: number;
  readonly #text: string;
  readonly #options: FlowReaderOptions;

  constructor(text: string, at: number, options: FlowReaderOptions) {
    this.#text = text;
    this.at = at;
    this.#options = options;
  }

  /** Returns the next token, or undefined at the end. */
  next(): FlowToken | undefined {
    if (!this.#skipBlanks()) return undefined;
    const start = this.at;
    const character = this.#text.charAt(start);
    const kind = kinds[character];
    if (kind) {
      this.at++;
      return { kind, text: character, start, end: this.at, open: false };
    }
    const isYaml = this.#options.style === 'flow';
    if (isYaml ? character === '#' : /^\/[/*]/.test(this.#text.slice(start, start + 2))) return this.#comment(start);
    if (character === '"' || (isYaml && character === "'")) return this.#quoted(start, character);
    return this.#plain(start);
  }

  /** Returns the next token that is not a comment. */
  nextOfValue(): FlowToken | undefined {
    let token = this.next();
    while (token?.kind === 'comment') token = this.next();
    return token;
  }

  /** Moves to the next token. Returns false if there is none. */
  #skipBlanks(): boolean {
    for (; this.at < this.#text.length; this.at++) {
      const character = this.#text.charAt(this.at);
      if (character === '\n') {
        if (this.#endsBeforeLine(this.at + 1)) return false;
      } else if (!/[\s\uFEFF]/.test(character)) return true;
    }
    return false;
  }

  /** In YAML, the lines of a bracket are indented, except for the closing bracket. Any other line follows an unclosed bracket. */
  #endsBeforeLine(start: number): boolean {
    const { style, parentColumn } = this.#options;
    if (style === 'json') return false;
    let end = start;
    while (this.#text.charAt(end) === ' ' && end - start <= parentColumn) end++;
    return end - start <= parentColumn && /[^\s\]}#]/.test(this.#text.charAt(end));
  }

  #comment(start: number): FlowToken {
    const isBlock = this.#text.startsWith('/*', start);
    const close = isBlock ? this.#text.indexOf('*/', start + 2) : this.#lineEnd(start);
    this.at = close < 0 ? this.#text.length : close + (isBlock ? 2 : 0);
    return { kind: 'comment', text: '', start, end: this.at, open: !isBlock || close < 0 };
  }

  #quoted(start: number, quote: '"' | "'"): FlowToken {
    // JSON strings end on their line. In YAML they can continue, but a half-typed string is more frequent.
    const lineEnd = this.#lineEnd(start);
    let end = start + 1;
    for (; end < lineEnd; end++) {
      const character = this.#text.charAt(end);
      if (character === '\\' && quote === '"') end++;
      else if (character === quote) {
        if (quote === '"' || this.#text.charAt(end + 1) !== quote) break;
        end++;
      }
    }
    const closed = end < lineEnd;
    this.at = closed ? end + 1 : lineEnd;
    const text = this.#text.slice(start + 1, closed ? end : lineEnd);
    return { kind: 'scalar', text, quote, start, end: this.at, open: !closed };
  }

  #plain(start: number): FlowToken {
    const isYaml = this.#options.style === 'flow';
    let end = start;
    for (; end < this.#text.length; end++) {
      const character = this.#text.charAt(end);
      const next = this.#text.charAt(end + 1);
      if (/[\n\r,{}[\]]/.test(character)) break;
      if (isYaml) {
        if (character === ':' && /^[\s,{}[\]]?$/.test(next)) break;
        if (character === '#' && /\s/.test(this.#text.charAt(end - 1))) break;
      } else if (/[\s:"]/.test(character) || (character === '/' && /[/*]/.test(next))) break;
    }
    this.at = Math.max(end, start + 1);
    const text = this.#text.slice(start, this.at).trimEnd();
    return { kind: 'scalar', text, start, end: start + text.length, open: true };
  }

  #lineEnd(start: number): number {
    const end = this.#text.indexOf('\n', start);
    if (end < 0) return this.#text.length;
    return this.#text.charAt(end - 1) === '\r' && end > start ? end - 1 : end;
  }
}
