import { ExpressionReader, type Expression } from './expressions.ts';
import { tokensOf, type Token } from './tokens.ts';

/* The declarations of a Python file. Nothing is executed. */

export interface PythonField {
  readonly name: string;
  readonly annotation: Expression | undefined;
  readonly value: Expression | undefined;
}

export interface PythonClass {
  readonly name: string;
  readonly bases: readonly Expression[];
  /** Keyword arguments beside the bases, such as `total=False`. */
  readonly options: ReadonlyMap<string, Expression>;
  readonly decorators: readonly string[];
  readonly fields: readonly PythonField[];
}

export interface PythonFunction {
  readonly name: string;
  /** Parameters with a name, without `*args` and `**kwargs`. */
  readonly parameters: readonly PythonField[];
}

export interface PythonModule {
  readonly tokens: readonly Token[];
  readonly values: ReadonlyMap<string, Expression>;
  readonly classes: ReadonlyMap<string, PythonClass>;
  readonly functions: ReadonlyMap<string, PythonFunction>;
  /** Names that are imported from other modules. */
  readonly imports: ReadonlyMap<string, { readonly module: string; readonly name: string }>;
}

/** Maximum numbers of declarations of a file and of fields of a class. */
const MAX_DECLARATIONS = 2_000;
const MAX_FIELDS = 500;

/** Reads the declarations at the top level of a Python file. Takes linear time, and accepts any text. */
export function pythonModule(text: string): PythonModule {
  const tokens = tokensOf(text, 'python');
  const lines = tokens.flatMap(({ indent }, index) => (indent === undefined ? [] : [index]));
  const values = new Map<string, Expression>();
  const classes = new Map<string, PythonClass>();
  const functions = new Map<string, PythonFunction>();
  const imports = new Map<string, { readonly module: string; readonly name: string }>();
  let decorators: string[] = [];
  for (const [line, start] of lines.entries()) {
    const token = tokens[start];
    if (token?.indent !== 0 || values.size + classes.size + functions.size >= MAX_DECLARATIONS) continue;
    if (token.text === '@') {
      decorators.push(tokens[start + 1]?.text ?? '', tokens[start + 3]?.text ?? '');
      continue;
    }
    const definition = token.text === 'async' ? start + 1 : start;
    const word = tokens[definition]?.text;
    const name = tokens[definition + 1]?.text ?? '';
    if (word === 'class') classes.set(name, classAt(tokens, lines, line, decorators));
    else if (word === 'def') functions.set(name, { name, parameters: parametersAt(tokens, definition + 2) });
    else if (token.text === 'from') for (const [own, found] of importsAt(tokens, start)) imports.set(own, found);
    else {
      const field = fieldAt(tokens, start);
      if (field?.value) values.set(field.name, field.value);
    }
    decorators = [];
  }
  return { tokens, values, classes, functions, imports };
}

/** Reads `name = value`, `name: type`, or `name: type = value`. */
function fieldAt(tokens: readonly Token[], start: number): PythonField | undefined {
  const token = tokens[start];
  if (token?.kind !== 'name') return undefined;
  const reader = new ExpressionReader(tokens, 'python', start);
  reader.at = start + 1;
  let annotation: Expression | undefined;
  if (reader.is(':')) {
    reader.at++;
    annotation = reader.read();
  }
  if (!reader.is('=')) return annotation && { name: token.text, annotation, value: undefined };
  reader.at++;
  return { name: token.text, annotation, value: reader.read() };
}

function classAt(
  tokens: readonly Token[],
  lines: readonly number[],
  line: number,
  decorators: readonly string[],
): PythonClass {
  const start = lines[line] ?? 0;
  const reader = new ExpressionReader(tokens, 'python', start);
  reader.at = start + 2;
  const options = new Map<string, Expression>();
  let bases: readonly Expression[] = [];
  if (reader.is('(')) {
    reader.at++;
    bases = reader.items(')', 0, options);
  }
  const fields: PythonField[] = [];
  const body = tokens[lines[line + 1] ?? tokens.length]?.indent ?? 0;
  for (let next = line + 1; body > 0 && next < lines.length && fields.length < MAX_FIELDS; next++) {
    const at = lines[next] ?? 0;
    const indent = tokens[at]?.indent ?? 0;
    if (indent < body) break;
    const field = indent === body ? fieldAt(tokens, at) : undefined;
    if (field) fields.push(field);
  }
  return { name: tokens[start + 1]?.text ?? '', bases, options, decorators, fields };
}

function parametersAt(tokens: readonly Token[], open: number): PythonField[] {
  const reader = new ExpressionReader(tokens, 'python', open);
  const parameters: PythonField[] = [];
  if (!reader.is('(')) return parameters;
  reader.at++;
  while (reader.next && !reader.is(')') && parameters.length < MAX_FIELDS) {
    const before = reader.at;
    const isVariadic = reader.is('*') || reader.is('**');
    if (isVariadic) reader.at++;
    const name = reader.next.kind === 'name' ? reader.next.text : undefined;
    if (name !== undefined) {
      reader.at++;
      const annotation = readAfter(reader, ':');
      const value = readAfter(reader, '=');
      if (!isVariadic) parameters.push({ name, annotation, value });
    }
    if (reader.is(',') || reader.at === before) reader.at++;
  }
  return parameters;
}

function readAfter(reader: ExpressionReader, mark: string): Expression | undefined {
  if (!reader.is(mark)) return undefined;
  reader.at++;
  return reader.read();
}

type Import = readonly [own: string, { readonly module: string; readonly name: string }];

/** Reads `from module import name, other as own`. */
function importsAt(tokens: readonly Token[], start: number): Import[] {
  let at = start + 1;
  let module = '';
  const isOnLine = () => at < tokens.length && tokens[at]?.indent === undefined;
  for (; isOnLine() && tokens[at]?.text !== 'import'; at++) module += tokens[at]?.text ?? '';
  const found: Import[] = [];
  for (at++; isOnLine() && found.length < MAX_FIELDS; at++) {
    const token = tokens[at];
    if (token?.kind !== 'name') continue;
    const isRenamed = tokens[at + 1]?.text === 'as';
    found.push([(isRenamed ? tokens[at + 2]?.text : undefined) ?? token.text, { module, name: token.text }]);
    if (isRenamed) at += 2;
  }
  return found;
}

/** Maximum number of calls that are read, and of their tokens. Calls can contain each other. */
const MAX_CALLS = 100;
const MAX_CALL_TOKENS = 100_000;

/** A call in a file: the name before its parenthesis, and its arguments. */
export interface FoundCall {
  readonly name: string;
  /** The object of a method. */
  readonly object: string | undefined;
  readonly call: Extract<Expression, { kind: 'call' }>;
}

/** Returns the first calls in a file that a test accepts, anywhere in the file. */
export function callsIn(
  tokens: readonly Token[],
  isWanted: (name: string, object: string | undefined) => boolean,
): FoundCall[] {
  const found: FoundCall[] = [];
  let left = MAX_CALL_TOKENS;
  for (let at = 0; at < tokens.length && found.length < MAX_CALLS && left > 0; at++) {
    const token = tokens[at];
    if (token?.kind !== 'name' || tokens[at + 1]?.text !== '(' || tokens[at - 1]?.text === 'def') continue;
    const object = tokens[at - 1]?.text === '.' ? tokens[at - 2]?.text : undefined;
    if (!isWanted(token.text, object)) continue;
    const reader = new ExpressionReader(tokens, 'python', at);
    reader.at = at + 2;
    const named = new Map<string, Expression>();
    const args = reader.items(')', 0, named);
    left -= reader.at - at;
    found.push({
      name: token.text,
      object,
      call: { kind: 'call', callee: { kind: 'name', name: token.text }, args, named },
    });
  }
  return found;
}
