import type { SourceLanguage, Token } from './tokens.ts';

/* Expressions of Python and JavaScript. Parts that declarations of inputs do not use are `unknown`. */

export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly object: Expression; readonly name: string }
  | { readonly kind: 'call'; readonly callee: Expression; readonly args: readonly Expression[]; readonly named: Named }
  | { readonly kind: 'index'; readonly object: Expression; readonly items: readonly Expression[] }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly entries: readonly Entry[] }
  | { readonly kind: 'lambda'; readonly parameter: string; readonly body: Expression }
  | { readonly kind: 'negative'; readonly operand: Expression }
  /** Operators between operands, such as the two of `0 < x < 1`. */
  | { readonly kind: 'operation'; readonly operators: readonly string[]; readonly operands: readonly Expression[] }
  /** `**values`, `*values`, or `...values` */
  | { readonly kind: 'spread'; readonly value: Expression }
  | { readonly kind: 'unknown' };

export type Named = ReadonlyMap<string, Expression>;
/** A member of a dictionary or an object. The key of a spread is undefined. */
export type Entry = readonly [key: Expression | undefined, value: Expression];

const UNKNOWN: Expression = { kind: 'unknown' };

/** Maximum nesting. Deeper parts are unknown. */
const MAX_DEPTH = 60;

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const LITERALS: Readonly<Record<SourceLanguage, Readonly<Record<string, boolean | null>>>> = {
  python: { True: true, False: false, None: null },
  javascript: { true: true, false: false, null: null },
};

/** Operators by how strongly they bind. */
const LEVELS: readonly (readonly string[])[] = [
  ['or', '||', '??'],
  ['and', '&&'],
  ['in', 'not in', 'is', 'is not', '<', '>', '<=', '>=', '==', '!=', '===', '!=='],
  ['|'],
  ['+', '-'],
  ['*', '/', '//', '%'],
  ['**'],
];

/** Reads expressions from tokens. Each method advances, and accepts any tokens. */
export class ExpressionReader {
  readonly #tokens: readonly Token[];
  readonly #language: SourceLanguage;
  readonly #start: number;
  /** Index of the next token. */
  at: number;

  constructor(tokens: readonly Token[], language: SourceLanguage, at: number) {
    this.#tokens = tokens;
    this.#language = language;
    this.#start = at;
    this.at = at;
  }

  /** Undefined at the end of the logical line. */
  get next(): Token | undefined {
    return this.#token(0);
  }

  /** Returns whether a token is this punctuation or word. */
  is(text: string, offset = 0): boolean {
    const token = this.#token(offset);
    return token !== undefined && token.kind !== 'string' && token.text === text;
  }

  #token(offset: number): Token | undefined {
    const token = this.#tokens[this.at + offset];
    const endsLine = this.#language === 'python' && token?.indent !== undefined && this.at + offset !== this.#start;
    return endsLine ? undefined : token;
  }

  /** Reads an expression. A lambda or an operand that is not understood makes the whole expression unknown. */
  read(depth = 0): Expression {
    if (depth >= MAX_DEPTH) {
      this.#skipItem();
      return UNKNOWN;
    }
    if (this.#language === 'python' && this.is('lambda')) return this.#lambda(depth);
    const expression = this.#operation(0, depth);
    if (this.#language === 'javascript') {
      // Types have no values.
      while (this.is('as') || this.is('satisfies')) {
        this.at++;
        this.#operation(3, depth + 1);
      }
    }
    if (!this.is(this.#language === 'python' ? 'if' : '?')) return expression;
    this.#skipItem();
    return UNKNOWN;
  }

  /** Reads the items up to a closing bracket, after its opening one. Keyword arguments are added to `named`. */
  items(closer: string, depth = 0, named?: Map<string, Expression>): Expression[] {
    const items: Expression[] = [];
    while (this.next && !this.is(closer)) {
      if (this.is(',')) {
        this.at++;
        continue;
      }
      const before = this.at;
      const name = named && this.next.kind === 'name' && this.is('=', 1) ? this.next.text : undefined;
      if (name !== undefined) this.at += 2;
      const value = this.#item(depth + 1);
      if (name === undefined) items.push(value);
      else named?.set(name, value);
      if (this.at === before) this.at++;
    }
    this.at++;
    return items;
  }

  /** Reads one item of a list. An item with unknown parts is unknown. */
  #item(depth: number): Expression {
    const value = this.#spreadOr(depth);
    if (!this.next || this.is(',') || this.#isCloser()) return value;
    this.#skipItem();
    return UNKNOWN;
  }

  #spreadOr(depth: number): Expression {
    const isSpread = this.#language === 'python' ? this.is('**') || this.is('*') : this.is('...');
    if (!isSpread) return this.read(depth);
    this.at++;
    return { kind: 'spread', value: this.read(depth) };
  }

  #lambda(depth: number): Expression {
    this.at++;
    const parameter = this.next?.kind === 'name' ? this.next.text : '';
    while (this.next && !this.is(':') && !this.#isCloser()) this.at++;
    if (!this.is(':')) return UNKNOWN;
    this.at++;
    return { kind: 'lambda', parameter, body: this.read(depth + 1) };
  }

  #operation(level: number, depth: number): Expression {
    const known = LEVELS[level];
    if (!known) return this.#unary(depth);
    const operands = [this.#operation(level + 1, depth)];
    const operators: string[] = [];
    for (let operator = this.#operator(known); operator !== undefined; operator = this.#operator(known)) {
      operators.push(operator);
      operands.push(this.#operation(level + 1, depth));
    }
    const [only] = operands;
    return operators.length === 0 && only ? only : { kind: 'operation', operators, operands };
  }

  /** Reads one of these operators. */
  #operator(known: readonly string[]): string | undefined {
    const token = this.next;
    if (!token || token.kind === 'string' || token.kind === 'number') return undefined;
    if (this.#language === 'javascript' && ['or', 'and', 'not', 'is', '//'].includes(token.text)) return undefined;
    const two = `${token.text} ${this.#token(1)?.text ?? ''}`;
    const found = two === 'not in' || two === 'is not' ? two : token.text;
    if (!known.includes(found)) return undefined;
    this.at += found === two ? 2 : 1;
    return found;
  }

  #unary(depth: number): Expression {
    if (depth >= MAX_DEPTH) {
      this.#skipItem();
      return UNKNOWN;
    }
    if (this.is('-')) {
      this.at++;
      return { kind: 'negative', operand: this.#unary(depth + 1) };
    }
    if (this.is('not') || this.is('!') || this.is('await')) {
      this.at++;
      this.#unary(depth + 1);
      return UNKNOWN;
    }
    if (this.#language === 'javascript' && this.is('new')) this.at++;
    return this.#postfix(this.#primary(depth), depth);
  }

  #postfix(start: Expression, depth: number): Expression {
    let expression = start;
    for (;;) {
      if ((this.is('.') || this.is('?.')) && this.#token(1)?.kind === 'name') {
        expression = { kind: 'member', object: expression, name: this.#token(1)?.text ?? '' };
        this.at += 2;
      } else if (this.is('(')) {
        this.at++;
        const named = new Map<string, Expression>();
        const args = this.items(')', depth + 1, this.#language === 'python' ? named : undefined);
        expression = { kind: 'call', callee: expression, args, named };
      } else if (this.is('[')) {
        this.at++;
        expression = { kind: 'index', object: expression, items: this.items(']', depth + 1) };
      } else if (this.is('!') && this.#language === 'javascript') this.at++;
      else return expression;
    }
  }

  #primary(depth: number): Expression {
    const token = this.next;
    if (!token || this.#isCloser()) return UNKNOWN;
    this.at++;
    if (token.kind === 'string') return this.#strings(token);
    if (token.kind === 'number') return { kind: 'literal', value: Number(token.text.replaceAll('_', '')) };
    if (token.kind === 'name') {
      const literal = LITERALS[this.#language];
      const isLiteral = Object.hasOwn(literal, token.text);
      return isLiteral ? { kind: 'literal', value: literal[token.text] ?? null } : { kind: 'name', name: token.text };
    }
    if (token.text === '...') return { kind: 'name', name: '...' };
    if (token.text === '{') return { kind: 'object', entries: this.#entries(depth + 1) };
    if (token.text === '[') return { kind: 'list', items: this.items(']', depth + 1) };
    if (token.text === '(') {
      const start = this.at;
      const items = this.items(')', depth + 1);
      const isTuple = items.length !== 1 || this.#hasCommaBefore(this.at - 1, start);
      const [only] = items;
      return isTuple && this.#language === 'python' ? { kind: 'list', items } : (only ?? UNKNOWN);
    }
    return UNKNOWN;
  }

  #hasCommaBefore(end: number, start: number): boolean {
    return end - 1 >= start && this.#tokens[end - 1]?.text === ',' && this.#tokens[end - 1]?.kind === 'punctuation';
  }

  /** Joins adjacent strings of Python. */
  #strings(first: Token): Expression {
    let value = first.value;
    while (this.#language === 'python' && this.next?.kind === 'string') {
      value = value === undefined || this.next.value === undefined ? undefined : value + this.next.value;
      this.at++;
    }
    return value === undefined ? UNKNOWN : { kind: 'literal', value };
  }

  /** Reads the members of a dictionary, an object, or a set, after its opening bracket. */
  #entries(depth: number): Entry[] {
    const entries: Entry[] = [];
    while (this.next && !this.is('}')) {
      if (this.is(',')) {
        this.at++;
        continue;
      }
      const before = this.at;
      if (this.is('**') || this.is('...')) {
        this.at++;
        entries.push([undefined, this.#item(depth)]);
      } else entries.push(this.#entry(depth));
      if (this.at === before) this.at++;
    }
    this.at++;
    return entries;
  }

  #entry(depth: number): Entry {
    const token = this.next;
    const isWord = this.#language === 'javascript' && token?.kind === 'name';
    if (isWord && (this.is(',', 1) || this.is('}', 1))) {
      this.at++;
      return [
        { kind: 'literal', value: token.text },
        { kind: 'name', name: token.text },
      ];
    }
    let key: Expression;
    if (isWord) {
      this.at++;
      key = { kind: 'literal', value: token.text };
    } else key = this.read(depth + 1);
    if (!this.is(':')) {
      // An item of a set.
      if (this.is(',') || this.is('}')) return [key, key];
      this.#skipItem();
      return [UNKNOWN, UNKNOWN];
    }
    this.at++;
    return [key, this.#item(depth)];
  }

  #isCloser(): boolean {
    return this.is(')') || this.is(']') || this.is('}');
  }

  /** Skips to the next comma or closing bracket of this level. */
  #skipItem(): void {
    let depth = 0;
    for (; this.next; this.at++) {
      const token = this.next;
      if (token.kind !== 'punctuation') continue;
      if (token.text in CLOSERS) depth++;
      else if (this.#isCloser()) {
        if (depth === 0) return;
        depth--;
      } else if (depth === 0 && (token.text === ',' || token.text === ';')) return;
    }
  }
}
