import { ExpressionReader, type Expression } from './expressions.ts';
import type { Json } from './pythonScope.ts';
import { tokensOf } from './tokens.ts';

/* The schema of the input that a JavaScript or TypeScript worker declares: a JSON schema or a zod object in a constant. */

type Schema = Readonly<Record<string, Json>>;

const CONSTANT = /^(?:job)?(?:input|input_?schema)$/i;
const MAX_CONSTANTS = 2_000;
const MAX_LEVELS = 12;
/** Maximum number of expressions that are read. */
const MAX_WORK = 50_000;

interface Scope {
  readonly values: ReadonlyMap<string, Expression>;
  work: number;
}

/** Returns the schema that a file declares for the input of jobs. */
export function javascriptInput(text: string): Schema | undefined {
  const values = constantsOf(text);
  const scope: Scope = { values, work: MAX_WORK };
  for (const [name, value] of values) {
    const schema = CONSTANT.test(name) ? schemaOf(value, scope) : undefined;
    if (schema) return schema;
  }
  return undefined;
}

/** Returns the values of constants at any level, by name. The first of several with the same name counts. */
function constantsOf(text: string): Map<string, Expression> {
  const tokens = tokensOf(text, 'javascript');
  const values = new Map<string, Expression>();
  for (let at = 0; at < tokens.length && values.size < MAX_CONSTANTS; at++) {
    const name = tokens[at + 1];
    // A constant of a function can be anything.
    if (tokens[at]?.text !== 'const' || tokens[at]?.kind !== 'name' || name?.kind !== 'name') continue;
    const reader = new ExpressionReader(tokens, 'javascript', at + 2);
    // The type of a constant.
    while (reader.is(':') || (reader.next && !reader.is('=') && !reader.is(';') && reader.at < at + 20)) reader.at++;
    if (!reader.is('=')) continue;
    reader.at++;
    const value = reader.read();
    if (!values.has(name.text)) values.set(name.text, value);
    at = Math.max(at, reader.at - 1);
  }
  return values;
}

function schemaOf(expression: Expression, scope: Scope): Schema | undefined {
  if (expression.kind === 'object') {
    const json = jsonOf(expression, scope, 0);
    const isSchema = isFields(json) && (isFields(json['properties']) || typeof json['$ref'] === 'string');
    return isSchema ? json : undefined;
  }
  const { schema } = zodSchema(expression, scope, 0);
  return isFields(schema['properties']) ? schema : undefined;
}

function isFields(value: Json | undefined): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function jsonOf(expression: Expression | undefined, scope: Scope, level: number): Json | undefined {
  if (!expression || level > 4 * MAX_LEVELS || scope.work-- <= 0) return undefined;
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'number' && !Number.isFinite(expression.value) ? undefined : expression.value;
    case 'negative': {
      const value = jsonOf(expression.operand, scope, level + 1);
      return typeof value === 'number' ? -value : undefined;
    }
    case 'name':
      return jsonOf(scope.values.get(expression.name), scope, level + 1);
    case 'list': {
      const items = expression.items.map((item) => jsonOf(item, scope, level + 1));
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case 'object': {
      const members = expression.entries.map(([key, value]) => {
        const name = key?.kind === 'literal' ? String(key.value) : undefined;
        return [name, jsonOf(value, scope, level + 1)] as const;
      });
      const isJson = members.every(([name, value]) => name !== undefined && value !== undefined);
      return isJson ? (Object.fromEntries(members) as Schema) : undefined;
    }
    default:
      return undefined;
  }
}

interface Zod {
  readonly schema: Schema;
  readonly isOptional: boolean;
}

const ANY: Zod = { schema: {}, isOptional: true };
const required = (schema: Schema): Zod => ({ schema, isOptional: false });

function zodSchema(expression: Expression | undefined, scope: Scope, level: number): Zod {
  if (!expression || level > 4 * MAX_LEVELS || scope.work-- <= 0) return ANY;
  if (expression.kind === 'name') return zodSchema(scope.values.get(expression.name), scope, level + 1);
  if (expression.kind !== 'call' || expression.callee.kind !== 'member') return ANY;
  const { callee, args } = expression;
  const { object, name } = callee;
  const isBase = object.kind === 'name' ? ['z', 'zod'].includes(object.name) : isCoercion(object);
  return isBase ? zodBase(name, args, scope, level) : zodMethod(zodSchema(object, scope, level + 1), name, args, scope);
}

function isCoercion(object: Expression): boolean {
  return object.kind === 'member' && object.name === 'coerce' && object.object.kind === 'name';
}

const FORMATS: Readonly<Record<string, Schema>> = {
  ...{ url: { format: 'uri' }, email: { format: 'email' }, uuid: { format: 'uuid' } },
  ...{ base64: { contentEncoding: 'base64' }, datetime: { format: 'date-time' }, date: { format: 'date' } },
};

function zodBase(name: string, args: readonly Expression[], scope: Scope, level: number): Zod {
  const [first] = args;
  const nested = () => zodSchema(first, scope, level + 1);
  if (Object.hasOwn(FORMATS, name) && name !== 'date') return required({ type: 'string', ...FORMATS[name] });
  switch (name) {
    case 'string':
    case 'number':
    case 'boolean':
      return required({ type: name });
    case 'int':
      return required({ type: 'integer' });
    case 'null':
      return required({ type: 'null' });
    case 'enum':
    case 'nativeEnum': {
      const value = jsonOf(first, scope, level + 1);
      const values = isFields(value) ? Object.values(value) : value;
      return Array.isArray(values) ? required({ enum: values as Json[] }) : ANY;
    }
    case 'literal': {
      const value = jsonOf(first, scope, level + 1);
      return value === undefined ? ANY : required({ enum: Array.isArray(value) ? (value as Json[]) : [value] });
    }
    case 'array':
      return required({ type: 'array', items: nested().schema });
    case 'record':
      return required({ type: 'object' });
    case 'object':
    case 'strictObject':
    case 'looseObject':
      return required({ ...zodObject(first, scope, level), ...(name === 'strictObject' && CLOSED) });
    case 'optional':
      return { ...nested(), isOptional: true };
    case 'union': {
      const options = first?.kind === 'list' ? first.items.map((item) => zodSchema(item, scope, level + 1).schema) : [];
      return options.length > 0 ? required({ anyOf: options }) : ANY;
    }
    default:
      return ANY;
  }
}

const CLOSED: Schema = { additionalProperties: false };

function zodObject(shape: Expression | undefined, scope: Scope, level: number): Schema {
  if (shape?.kind !== 'object') return { type: 'object' };
  const members = shape.entries.flatMap(([key, value]) =>
    key?.kind === 'literal' ? [[String(key.value), zodSchema(value, scope, level + 1)] as const] : [],
  );
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, { schema }]) => [name, schema])),
    required: members.flatMap(([name, { isOptional }]) => (isOptional ? [] : [name])),
  };
}

function zodMethod({ schema, isOptional }: Zod, name: string, args: readonly Expression[], scope: Scope): Zod {
  const value = jsonOf(args[0], scope, 0);
  const number = typeof value === 'number' ? value : undefined;
  const add = (more: Schema): Zod => ({ schema: { ...schema, ...more }, isOptional });
  const bound = (keyword: string): Zod => (number === undefined ? { schema, isOptional } : add({ [keyword]: number }));
  const { type } = schema;
  const sized = type === 'string' ? 'Length' : type === 'array' ? 'Items' : undefined;
  if (type === 'string' && Object.hasOwn(FORMATS, name)) return add(FORMATS[name] ?? {});
  switch (name) {
    case 'optional':
    case 'nullish':
      return { schema, isOptional: true };
    case 'default':
    case 'prefault':
      return { schema: { ...schema, ...(value !== undefined && { default: value }) }, isOptional: true };
    case 'nullable':
      return typeof type === 'string' ? add({ type: [type, 'null'] }) : { schema: {}, isOptional };
    case 'min':
    case 'gte':
      return bound(sized ? `min${sized}` : 'minimum');
    case 'max':
    case 'lte':
      return bound(sized ? `max${sized}` : 'maximum');
    case 'gt':
      return bound('exclusiveMinimum');
    case 'lt':
      return bound('exclusiveMaximum');
    case 'multipleOf':
    case 'step':
      return bound('multipleOf');
    case 'int':
      return add({ type: 'integer' });
    case 'positive':
      return add({ exclusiveMinimum: 0 });
    case 'nonnegative':
      return add({ minimum: 0 });
    case 'nonempty':
      return sized ? add({ [`min${sized}`]: 1 }) : { schema, isOptional };
    case 'describe':
      return typeof value === 'string' ? add({ description: value }) : { schema, isOptional };
    case 'meta':
      return isFields(value) ? add(value) : { schema, isOptional };
    case 'strict':
      return add(CLOSED);
    case 'array':
      return { schema: { type: 'array', items: schema }, isOptional };
    // Such a value is checked after its change.
    case 'transform':
    case 'pipe':
      return { schema, isOptional };
    case 'partial': {
      const { required: _, ...rest } = schema;
      return { schema: rest, isOptional };
    }
    case 'shape':
    case 'extend':
    case 'merge':
    case 'and':
    case 'or':
      return ANY;
    default:
      return { schema, isOptional };
  }
}
