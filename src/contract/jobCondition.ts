import { words, type Words } from './words.ts';

/*
 * Conditions on jobs, such as `job.input.user == 42 && !job.input.test`. They only read the job. A comparison never converts a value: values
 * of different types are different, and neither is less than the other.
 */

/** The parts of a job that a condition can read. */
export interface ConditionJob {
  readonly id: string;
  readonly input: unknown;
}

/** Returns whether a job meets the condition. */
export type JobCondition = (job: ConditionJob) => boolean;

/** Maximum length of a condition, in characters. */
export const MAX_CONDITION_LENGTH = 1_000;
/** Maximum depth of parentheses and negations. */
const MAX_DEPTH = 50;

/** Thrown for a text that is not a condition. */
export class ConditionError extends Error {
  readonly words: Words;

  constructor(reason: Words) {
    super(reason.toString());
    this.name = 'ConditionError';
    this.words = reason;
  }
}

/** Reads a condition. @throws ConditionError */
export function jobCondition(text: string): JobCondition {
  if (text.length > MAX_CONDITION_LENGTH) {
    throw new ConditionError(words`a condition can have at most ${MAX_CONDITION_LENGTH} characters`);
  }
  const evaluate = new Parser(tokensOf(text)).condition();
  return (job) => isTrue(evaluate(job));
}

/** Returns why a text is not a condition; undefined if it is one. */
export function conditionProblem(text: string): Words | undefined {
  try {
    jobCondition(text);
    return undefined;
  } catch (error) {
    if (error instanceof ConditionError) return error.words;
    throw error;
  }
}

type Expression = (job: ConditionJob) => unknown;

interface Token {
  readonly kind: 'operator' | 'name' | 'number' | 'string' | 'end';
  readonly text: string;
}

/** The last alternative is a character that begins no token. Negative numbers are tokens, because there is no subtraction. */
const TOKEN =
  /\s+|(?<operator>\|\||&&|[=!<>]=|[<>!()[\].])|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<name>[\p{L}_$][\p{L}\p{N}_$]*)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<unknown>.)/gsu;

function tokensOf(text: string): Token[] {
  const tokens = [...text.matchAll(TOKEN)].flatMap(({ groups = {} }): Token[] => {
    const [found] = Object.entries(groups).filter(([, part]) => (part as string | undefined) !== undefined);
    if (!found) return [];
    const [kind, part] = found;
    if (kind !== 'unknown') return [{ kind: kind as Token['kind'], text: part }];
    if (part === '"' || part === "'") throw new ConditionError(words`the quote ${part} is not closed`);
    if (part === '=') throw new ConditionError(words`use == to compare values`);
    throw new ConditionError(words`unexpected ${part}`);
  });
  return [...tokens, { kind: 'end', text: '' }];
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  condition(): Expression {
    const expression = this.#or();
    if (this.#next.kind !== 'end') throw this.#unexpected();
    return expression;
  }

  #or(): Expression {
    const parts = this.#separated('||', () => this.#and());
    return (job) => parts.some((part) => isTrue(part(job)));
  }

  #and(): Expression {
    const parts = this.#separated('&&', () => this.#comparison());
    return (job) => parts.every((part) => isTrue(part(job)));
  }

  #separated(operator: string, part: () => Expression): Expression[] {
    const parts = [part()];
    while (this.#accepts(operator)) parts.push(part());
    return parts;
  }

  #comparison(): Expression {
    const left = this.#operand();
    const compare = COMPARISONS[this.#next.text];
    if (this.#next.kind !== 'operator' || !compare) return left;
    this.#at++;
    const right = this.#operand();
    return (job) => compare(left(job), right(job));
  }

  #operand(): Expression {
    if (++this.#depth > MAX_DEPTH) throw new ConditionError(words`the condition is nested too deeply`);
    const operand = this.#oneOperand();
    this.#depth--;
    return operand;
  }

  #oneOperand(): Expression {
    if (this.#accepts('!')) {
      const operand = this.#operand();
      return (job) => !isTrue(operand(job));
    }
    if (this.#accepts('(')) {
      const inner = this.#or();
      this.#expect(')');
      return inner;
    }
    const token = this.#next;
    if (token.kind === 'operator' || token.kind === 'end') throw this.#unexpected();
    this.#at++;
    if (token.kind === 'name' && token.text === 'job') return this.#path();
    const value = literal(token);
    return () => value;
  }

  #path(): Expression {
    const path: (string | number)[] = [];
    for (;;) {
      if (this.#accepts('.')) path.push(this.#take('name'));
      else if (this.#accepts('[')) {
        path.push(this.#next.kind === 'string' ? unquoted(this.#take('string')) : Number(this.#take('number')));
        this.#expect(']');
      } else break;
    }
    const [first] = path;
    if (first !== 'id' && first !== 'input') throw new ConditionError(OF_JOB);
    return (job) => path.reduce<unknown>(member, job);
  }

  get #next(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  #accepts(operator: string): boolean {
    const { kind, text } = this.#next;
    const found = kind === 'operator' && text === operator;
    if (found) this.#at++;
    return found;
  }

  #expect(operator: string): void {
    if (!this.#accepts(operator)) throw this.#unexpected();
  }

  #take(wanted: Token['kind']): string {
    const { kind, text } = this.#next;
    if (kind !== wanted) throw this.#unexpected();
    this.#at++;
    return text;
  }

  #unexpected(): ConditionError {
    const { kind, text } = this.#next;
    return new ConditionError(kind === 'end' ? words`the condition is incomplete` : words`unexpected ${text}`);
  }
}

const COMPARISONS: Readonly<Record<string, ((left: unknown, right: unknown) => boolean) | undefined>> = {
  '==': equal,
  '!=': (left, right) => !equal(left, right),
  '<': (left, right) => isLess(left, right),
  '<=': (left, right) => isLess(left, right) || isSameValue(left, right),
  '>': (left, right) => isLess(right, left),
  '>=': (left, right) => isLess(right, left) || isSameValue(left, right),
};

/** A missing member equals null, and no list or object equals another one. */
function equal(left: unknown, right: unknown): boolean {
  return (left ?? null) === (right ?? null) && typeof (left ?? 0) !== 'object';
}

function isLess(left: unknown, right: unknown): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  return typeof left === 'string' && typeof right === 'string' && left < right;
}

const isSameValue = (left: unknown, right: unknown): boolean =>
  (typeof left === 'number' || typeof left === 'string') && left === right;

/** As in JavaScript, a missing member, null, false, 0, and an empty text are false. */
const isTrue = (value: unknown): boolean => Boolean(value);

/** Returns a member of a JSON value, or the length of a list or text. Undefined if there is none. */
function member(value: unknown, name: string | number): unknown {
  if (typeof value === 'string') return name === 'length' ? value.length : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string | number, unknown>)[name];
}

const LITERALS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function literal({ kind, text }: Token): unknown {
  if (kind === 'number') return Number(text);
  if (kind === 'string') return unquoted(text);
  if (!LITERALS.has(text)) throw new ConditionError(OF_JOB);
  return LITERALS.get(text);
}

const OF_JOB = words`a value of the job begins with job.input or is job.id`;
const END: Token = { kind: 'end', text: '' };

/** Returns the text of a literal. A backslash keeps the character that follows it. */
const unquoted = (text: string): string => text.slice(1, -1).replace(/\\(.)/gsu, '$1');
