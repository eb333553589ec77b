import type { Expression } from './expressions.ts';
import type { PythonClass, PythonFunction, PythonModule } from './pythonModule.ts';

/* Values and classes that names of Python files stand for. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Maximum number of names and levels that are followed. */
const MAX_STEPS = 20;
const MAX_ITEMS = 5_000;
/** Maximum number of expressions and types that are read. Names can refer to values with many names, which refer to others. */
const MAX_WORK = 50_000;

/** The work that is left for all scopes of a reading. */
export interface Work {
  left: number;
}

/** The names of a module, with those that it imports from other modules that were read. */
export class PythonScope {
  readonly module: PythonModule;
  readonly work: Work;
  readonly #others: (module: string) => PythonModule | undefined;

  /** @param others returns an imported module, if it was read */
  constructor(
    module: PythonModule,
    others: (module: string) => PythonModule | undefined,
    work: Work = { left: MAX_WORK },
  ) {
    this.module = module;
    this.work = work;
    this.#others = others;
  }

  /** Returns an assigned value that is no name itself. */
  valueOf(expression: Expression, steps = 0): { readonly value: Expression; readonly scope: PythonScope } {
    const own = { value: expression, scope: this };
    if (expression.kind !== 'name' || steps > MAX_STEPS) return own;
    const assigned = this.module.values.get(expression.name);
    if (assigned) return this.valueOf(assigned, steps + 1);
    const imported = this.#imported(expression.name);
    return imported ? imported.scope.valueOf({ kind: 'name', name: imported.name }, steps + 1) : own;
  }

  classNamed(name: string, steps = 0): { readonly found: PythonClass; readonly scope: PythonScope } | undefined {
    const found = this.module.classes.get(name);
    if (found) return { found, scope: this };
    const imported = steps > MAX_STEPS ? undefined : this.#imported(name);
    return imported?.scope.classNamed(imported.name, steps + 1);
  }

  functionNamed(name: string, steps = 0): { readonly found: PythonFunction; readonly scope: PythonScope } | undefined {
    const found = this.module.functions.get(name);
    if (found) return { found, scope: this };
    const imported = steps > MAX_STEPS ? undefined : this.#imported(name);
    return imported?.scope.functionNamed(imported.name, steps + 1);
  }

  /** Returns the JSON value of an expression, or undefined if a part is not a literal. */
  jsonOf(expression: Expression | undefined, steps = 0): Json | undefined {
    if (!expression || steps > MAX_STEPS || this.work.left-- <= 0) return undefined;
    switch (expression.kind) {
      case 'literal':
        return typeof expression.value === 'number' && !Number.isFinite(expression.value)
          ? undefined
          : expression.value;
      case 'name': {
        const { value, scope } = this.valueOf(expression);
        return value.kind === 'name' ? undefined : scope.jsonOf(value, steps + 1);
      }
      case 'negative': {
        const value = this.jsonOf(expression.operand, steps + 1);
        return typeof value === 'number' ? -value : undefined;
      }
      case 'operation':
        return this.#calculated(expression, steps);
      case 'list': {
        const items = expression.items.slice(0, MAX_ITEMS).map((item) => this.jsonOf(item, steps + 1));
        return items.every((item) => item !== undefined) ? items : undefined;
      }
      case 'object': {
        const members = expression.entries.slice(0, MAX_ITEMS).map(([key, value]) => {
          const name = key?.kind === 'literal' ? key.value : undefined;
          return [name, this.jsonOf(value, steps + 1)] as const;
        });
        const isJson = members.every(([name, value]) => typeof name === 'string' && value !== undefined);
        return isJson ? (Object.fromEntries(members) as Record<string, Json>) : undefined;
      }
      case 'call':
        return this.#collected(expression, steps);
      case 'member':
        return this.#enumMember(expression);
      default:
        return undefined;
    }
  }

  /** Returns the keys of a dictionary, whose values can be anything. */
  keysOf(expression: Expression): readonly Json[] | undefined {
    const { value } = this.valueOf(expression);
    if (value.kind !== 'object') return undefined;
    const keys = value.entries.map(([key]) => (key?.kind === 'literal' ? key.value : undefined));
    return keys.every((key) => key !== undefined) ? keys : undefined;
  }

  /** Returns the value of a member of an enumeration, such as `Mode.FAST` or `Mode.FAST.value`. */
  #enumMember({ object, name }: Extract<Expression, { kind: 'member' }>): Json | undefined {
    if (name === 'value' && object.kind === 'member') return this.#enumMember(object);
    const owner = object.kind === 'name' ? this.classNamed(object.name) : undefined;
    const field = owner?.found.fields.find((one) => one.name === name);
    return owner && field ? owner.scope.jsonOf(field.value, MAX_STEPS - 1) : undefined;
  }

  /** Returns the items of `list(…)`, `sorted(…)`, and `values.keys()`. */
  #collected({ callee, args }: Extract<Expression, { kind: 'call' }>, steps: number): Json | undefined {
    if (callee.kind === 'member' && callee.name === 'keys') return this.keysOf(callee.object);
    const [only] = args;
    const isCollection =
      callee.kind === 'name' && ['list', 'tuple', 'set', 'frozenset', 'sorted'].includes(callee.name);
    if (!isCollection) return undefined;
    if (!only) return [];
    const value = this.jsonOf(only, steps + 1);
    return Array.isArray(value) ? (value as readonly Json[]) : this.keysOf(only);
  }

  #calculated({ operators, operands }: Extract<Expression, { kind: 'operation' }>, steps: number): Json | undefined {
    const values = operands.map((operand) => this.jsonOf(operand, steps + 1));
    let [result] = values;
    for (const [index, operator] of operators.entries()) {
      const next = values[index + 1];
      if (typeof result !== 'number' || typeof next !== 'number') return undefined;
      result = calculate(result, operator, next);
    }
    return typeof result === 'number' && Number.isFinite(result) ? result : undefined;
  }

  #imported(name: string): { readonly scope: PythonScope; readonly name: string } | undefined {
    const imported = this.module.imports.get(name);
    const module = imported && this.#others(imported.module);
    return imported && module
      ? { scope: new PythonScope(module, this.#others, this.work), name: imported.name }
      : undefined;
  }
}

function calculate(left: number, operator: string, right: number): number | undefined {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '//':
      return Math.floor(left / right);
    case '**':
      return left ** right;
    default:
      return undefined;
  }
}
