import type { Expression } from './expressions.ts';
import type { PythonScope } from './pythonScope.ts';
import { schemaOfType, type Schema } from './pythonTypes.ts';

/* The dictionaries that validators of worker SDKs take: each member has a type, a default, and a function that checks a value. */

/**
 * Returns the schema of a dictionary, which can also be a JSON schema itself. Undefined for any other dictionary. The validator accepts no
 * other members.
 */
export function schemaOfDictionary(expression: Expression, scope: PythonScope): Schema | undefined {
  if (expression.kind !== 'object' || expression.entries.length === 0) return undefined;
  const members = new Map(
    expression.entries.flatMap(([key, value]) =>
      key?.kind === 'literal' && typeof key.value === 'string' ? [[key.value, value] as const] : [],
    ),
  );
  if (members.has('properties')) {
    const json = scope.jsonOf(expression);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Schema) : undefined;
  }
  const rules = [...members].map(([name, value]) => [name, ruleOf(value, scope)] as const);
  const isComplete = members.size === expression.entries.length;
  const known = rules.flatMap(([name, rule]) => (rule ? [[name, rule] as const] : []));
  if (known.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(known.map(([name, { schema }]) => [name, schema])),
    required: known.flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])),
    ...(isComplete && known.length === rules.length && { additionalProperties: false }),
  };
}

interface Rule {
  readonly schema: Schema;
  readonly isRequired: boolean;
}

function ruleOf(expression: Expression, outer: PythonScope): Rule | undefined {
  const { value: rule, scope } = outer.valueOf(expression);
  if (rule.kind !== 'object') return undefined;
  const members = new Map(
    rule.entries.flatMap(([key, value]) => (key?.kind === 'literal' ? [[key.value, value]] : [])),
  );
  const type = members.get('type');
  if (!type) return undefined;
  const fallback = scope.jsonOf(members.get('default'));
  const own = type.kind === 'list' ? unionOf(type.items, scope) : schemaOfType(type, scope);
  const description = scope.jsonOf(members.get('description') ?? members.get('help'));
  const checks = members.get('constraints');
  const constraints = checks ? checksOf(checks, scope) : {};
  // The validator does not check the type of None.
  const isNullable = fallback === null;
  const { enum: values } = constraints;
  return {
    schema: {
      ...own,
      ...(isNullable && typeof own['type'] === 'string' && { type: [own['type'], 'null'] }),
      ...constraints,
      ...(isNullable && Array.isArray(values) && { enum: [...(values as readonly string[]), null] }),
      ...(typeof description === 'string' && { description }),
      ...(fallback !== undefined && !isNullable && { default: fallback }),
    },
    isRequired: scope.jsonOf(members.get('required')) === true,
  };
}

function unionOf(types: readonly Expression[], scope: PythonScope): Schema {
  const names = types.map((type) => schemaOfType(type, scope)['type']);
  return names.every((name) => typeof name === 'string') ? { type: names } : {};
}

/** Returns what a `lambda` requires of its parameter. Conditions that are not understood are left out. */
function checksOf(expression: Expression, outer: PythonScope): Schema {
  const { value, scope } = outer.valueOf(expression);
  if (value.kind !== 'lambda') return {};
  const { parameter, body } = value;
  const isAnd = body.kind === 'operation' && body.operators.every((operator) => operator === 'and');
  const conditions = isAnd ? body.operands : [body];
  return conditions.reduce<Schema>((all, condition) => ({ ...all, ...conditionOf(condition, parameter, scope) }), {});
}

const FLIPPED: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' };
const BOUNDS: Readonly<Record<string, string>> = {
  ...{ '>': 'exclusiveMinimum', '>=': 'minimum', '<': 'exclusiveMaximum', '<=': 'maximum' },
};

function conditionOf(condition: Expression, parameter: string, scope: PythonScope): Schema {
  if (condition.kind !== 'operation') return {};
  const { operators, operands } = condition;
  const [left, right] = operands;
  const isParameter = (one: Expression | undefined) => one?.kind === 'name' && one.name === parameter;
  if (operators.length === 1 && operators[0] === 'in' && isParameter(left) && right) {
    const values = scope.jsonOf(right) ?? scope.keysOf(right);
    return Array.isArray(values) && values.length > 0 ? { enum: values as readonly string[] } : {};
  }
  const bounds: Record<string, number> = {};
  for (const [index, operator] of operators.entries()) {
    const isOnLeft = isParameter(operands[index]);
    const isOnRight = isParameter(operands[index + 1]);
    const limit = scope.jsonOf(operands[isOnLeft ? index + 1 : index]);
    const keyword = BOUNDS[(isOnLeft ? operator : FLIPPED[operator]) ?? ''];
    if (isOnLeft !== isOnRight && keyword !== undefined && typeof limit === 'number') bounds[keyword] = limit;
  }
  return bounds;
}
