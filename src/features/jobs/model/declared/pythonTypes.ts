import { ExpressionReader, type Expression } from './expressions.ts';
import type { PythonClass, PythonField } from './pythonModule.ts';
import type { Json, PythonScope } from './pythonScope.ts';
import { tokensOf } from './tokens.ts';

/* JSON schemas of types of Python: annotations, dataclasses, typed dictionaries, enumerations, and pydantic models. */

export type Schema = Readonly<Record<string, Json>>;

/** Maximum nesting of types. Deeper ones accept any JSON. */
const MAX_LEVELS = 8;
/** Maximum length of an annotation in quotes. */
const MAX_ANNOTATION = 1_000;

const ANY: Schema = {};

const SIMPLE: Readonly<Record<string, Schema>> = {
  ...{ str: { type: 'string' }, int: { type: 'integer' }, float: { type: 'number' }, bool: { type: 'boolean' } },
  ...{ list: { type: 'array' }, List: { type: 'array' }, Sequence: { type: 'array' }, Iterable: { type: 'array' } },
  ...{ tuple: { type: 'array' }, Tuple: { type: 'array' }, set: { type: 'array' }, Set: { type: 'array' } },
  ...{ dict: { type: 'object' }, Dict: { type: 'object' }, Mapping: { type: 'object' } },
  ...{ None: { type: 'null' }, bytes: { type: 'string', contentEncoding: 'base64' } },
  ...{ Base64Bytes: { type: 'string', contentEncoding: 'base64' } },
  ...{ Base64Str: { type: 'string', contentEncoding: 'base64' } },
  ...{ SecretStr: { type: 'string', writeOnly: true }, Decimal: { type: 'number' } },
  ...{ HttpUrl: { type: 'string', format: 'uri' }, AnyUrl: { type: 'string', format: 'uri' } },
  ...{ AnyHttpUrl: { type: 'string', format: 'uri' }, EmailStr: { type: 'string', format: 'email' } },
  ...{ UUID: { type: 'string', format: 'uuid' }, datetime: { type: 'string', format: 'date-time' } },
  ...{ date: { type: 'string', format: 'date' }, Path: { type: 'string' } },
  ...{ StrictStr: { type: 'string' }, StrictInt: { type: 'integer' }, StrictFloat: { type: 'number' } },
  ...{ StrictBool: { type: 'boolean' }, PositiveInt: { type: 'integer', exclusiveMinimum: 0 } },
  ...{ NonNegativeInt: { type: 'integer', minimum: 0 }, PositiveFloat: { type: 'number', exclusiveMinimum: 0 } },
  ...{ NonNegativeFloat: { type: 'number', minimum: 0 } },
};

const CONSTRAINED: Readonly<Record<string, string>> = { constr: 'str', conint: 'int', confloat: 'float' };

/** Returns the schema of an annotation. A type that is not understood accepts any JSON. */
export function schemaOfType(type: Expression | undefined, scope: PythonScope, level = 0): Schema {
  if (!type || level > MAX_LEVELS || scope.work.left-- <= 0) return ANY;
  switch (type.kind) {
    case 'literal':
      if (type.value === null) return { type: 'null' };
      return typeof type.value === 'string' ? schemaOfText(type.value, scope, level) : ANY;
    case 'name':
      return schemaOfName(type.name, scope, level);
    case 'member':
      return Object.hasOwn(SIMPLE, type.name) ? (SIMPLE[type.name] ?? ANY) : schemaOfName(type.name, scope, level);
    case 'index':
      return schemaOfGeneric(nameOf(type.object), type.items, scope, level);
    case 'operation':
      return type.operators.every((operator) => operator === '|')
        ? anyOf(type.operands.map((operand) => schemaOfType(operand, scope, level + 1)))
        : ANY;
    case 'call': {
      const base = CONSTRAINED[nameOf(type.callee)];
      return base === undefined ? ANY : { ...SIMPLE[base], ...constraintsOf(type.named, scope) };
    }
    default:
      return ANY;
  }
}

/** Returns the last part of a name such as `typing.Optional`. */
export function nameOf(expression: Expression | undefined): string {
  return expression?.kind === 'name' || expression?.kind === 'member' ? expression.name : '';
}

function schemaOfText(text: string, scope: PythonScope, level: number): Schema {
  if (text.length > MAX_ANNOTATION) return ANY;
  return schemaOfType(new ExpressionReader(tokensOf(text, 'python'), 'python', 0).read(), scope, level + 1);
}

function schemaOfName(name: string, scope: PythonScope, level: number): Schema {
  const own = scope.classNamed(name);
  if (own) return schemaOfClass(own.found, own.scope, level + 1);
  if (Object.hasOwn(SIMPLE, name)) return SIMPLE[name] ?? ANY;
  const alias = scope.valueOf({ kind: 'name', name });
  return alias.value.kind === 'name' ? ANY : schemaOfType(alias.value, alias.scope, level + 1);
}

function schemaOfGeneric(name: string, items: readonly Expression[], scope: PythonScope, level: number): Schema {
  const [first, second] = items;
  const schemas = () => items.map((item) => schemaOfType(item, scope, level + 1));
  const nested = () => schemaOfType(first, scope, level + 1);
  switch (name) {
    case 'Optional':
      return anyOf([nested(), { type: 'null' }]);
    case 'Union':
      return anyOf(schemas());
    case 'Literal': {
      const values = items.map((item) => scope.jsonOf(item));
      return values.every((value) => value !== undefined) ? { enum: values } : ANY;
    }
    case 'Annotated':
      return {
        ...nested(),
        ...items.slice(1).reduce<Schema>((all, item) => ({ ...all, ...fieldSchema(item, scope) }), {}),
      };
    case 'Required':
    case 'NotRequired':
    case 'ReadOnly':
    case 'ClassVar':
    case 'Final':
      return nested();
    case 'tuple':
    case 'Tuple':
      return second && nameOf(second) !== '...' ? { type: 'array' } : { type: 'array', items: nested() };
    default: {
      const { type } = SIMPLE[name] ?? ANY;
      if (type === 'array') return { type, items: nested() };
      return type === 'object' ? { type } : ANY;
    }
  }
}

/** Joins alternatives. A simple type that can be null stays a simple one. */
function anyOf(schemas: readonly Schema[]): Schema {
  const others = schemas.filter(({ type }) => type !== 'null');
  const isNullable = others.length < schemas.length;
  const [only] = others;
  if (others.length !== 1 || !only) {
    if (others.length === 0) return { type: 'null' };
    const types = others.map((schema) => (Object.keys(schema).length === 1 ? schema['type'] : undefined));
    const isSimple = types.every((type) => typeof type === 'string');
    if (isSimple) return { type: [...new Set(types), ...(isNullable ? ['null'] : [])] };
    return { anyOf: isNullable ? [...others, { type: 'null' }] : others };
  }
  if (!isNullable || Object.keys(only).length === 0) return only;
  if (Array.isArray(only['enum'])) return { ...only, enum: [...(only['enum'] as Json[]), null] };
  const { type } = only;
  return typeof type === 'string' ? { ...only, type: [type, 'null'] } : { anyOf: [only, { type: 'null' }] };
}

const ENUMS = ['Enum', 'StrEnum', 'IntEnum', 'Flag'];
/** Levels of base classes that are read. */
const MAX_BASES = 5;

/** Returns the schema of a class: an enumeration, or an object with the fields of the class and its bases. */
export function schemaOfClass(found: PythonClass, scope: PythonScope, level: number): Schema {
  if (level > MAX_LEVELS) return ANY;
  if (found.bases.some((base) => ENUMS.includes(nameOf(base)))) {
    const values = found.fields.flatMap(({ value, name }) => {
      const json = name.startsWith('_') ? undefined : scope.jsonOf(value);
      return json === undefined ? [] : [json];
    });
    return values.length > 0 ? { enum: values } : ANY;
  }
  const { fields, isTotal, isClosed } = allFields(found, scope, 0);
  return objectSchema(fields, level, { isTotal, isClosed });
}

interface ScopedField {
  readonly field: PythonField;
  readonly scope: PythonScope;
}

interface AllFields {
  readonly fields: readonly ScopedField[];
  readonly isTotal: boolean;
  readonly isClosed: boolean;
}

function allFields(found: PythonClass, scope: PythonScope, level: number): AllFields {
  const inherited = found.bases.slice(0, 10).flatMap((base) => {
    const own = level < MAX_BASES && scope.work.left-- > 0 ? scope.classNamed(nameOf(base)) : undefined;
    return own ? [allFields(own.found, own.scope, level + 1)] : [];
  });
  const own = found.fields.filter(({ annotation }) => annotation).map((field) => ({ field, scope }));
  const config = found.fields.find(({ name }) => name === 'model_config')?.value;
  const extra = config?.kind === 'call' ? config.named.get('extra') : undefined;
  return {
    fields: [...inherited.flatMap(({ fields }) => fields), ...own],
    isTotal: scope.jsonOf(found.options.get('total')) !== false,
    isClosed: scope.jsonOf(extra) === 'forbid' || inherited.some(({ isClosed }) => isClosed),
  };
}

/** Returns the schema of an object with these fields, such as parameters of a function. */
export function objectSchema(
  fields: readonly ScopedField[],
  level: number,
  { isTotal = true, isClosed = false }: { readonly isTotal?: boolean; readonly isClosed?: boolean } = {},
): Schema {
  const properties = new Map<string, Json>();
  const required = new Set<string>();
  for (const { field, scope } of fields) {
    const { annotation, value } = field;
    const generic = annotation?.kind === 'index' ? nameOf(annotation.object) : '';
    if (field.name.startsWith('_') || generic === 'ClassVar' || nameOf(annotation) === 'ClassVar') continue;
    const declared = value?.kind === 'call' && ['Field', 'field', 'Query', 'Body'].includes(nameOf(value.callee));
    const extra = declared ? fieldSchema(value, scope) : {};
    const written = declared ? undefined : scope.jsonOf(value);
    const type = schemaOfType(annotation, scope, level + 1);
    const alias = declared ? scope.jsonOf(value.named.get('alias')) : undefined;
    const name = typeof alias === 'string' ? alias : field.name;
    const base = annotation || written === undefined ? type : { ...typeOfValue(written), ...type };
    properties.set(name, { ...base, ...extra, ...(written !== undefined && written !== null && { default: written }) });
    const isOptional = declared ? hasDefault(value) : value !== undefined && nameOf(value) !== '...';
    const isPresent = generic === 'Required' || (isTotal && generic !== 'NotRequired');
    if (isPresent && !isOptional && !isNullable(type)) required.add(name);
    else required.delete(name);
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
    ...(isClosed && { additionalProperties: false }),
  };
}

/** Returns the schema of a value without an annotation. */
function typeOfValue(value: Json): Schema {
  if (typeof value === 'string' || typeof value === 'boolean') return { type: typeof value };
  if (typeof value === 'number') return { type: 'number' };
  return value === null ? ANY : { type: Array.isArray(value) ? 'array' : 'object' };
}

/** Versions of pydantic disagree about whether a value that can be null is required. */
function isNullable(schema: Schema): boolean {
  const { type, enum: values, anyOf: alternatives } = schema;
  const has = (list: Json | undefined, item: Json) => Array.isArray(list) && (list as readonly Json[]).includes(item);
  const isNull = (one: Json) =>
    typeof one === 'object' && one !== null && !Array.isArray(one) && (one as Schema)['type'] === 'null';
  return (
    has(type, 'null') || has(values, null) || (Array.isArray(alternatives) && (alternatives as Json[]).some(isNull))
  );
}

function hasDefault({ args, named }: Extract<Expression, { kind: 'call' }>): boolean {
  const [first] = args;
  return (first !== undefined && nameOf(first) !== '...') || named.has('default') || named.has('default_factory');
}

/** Returns what `Field(…)` tells about a value. */
function fieldSchema(expression: Expression, scope: PythonScope): Schema {
  if (expression.kind !== 'call') return {};
  const { args, named } = expression;
  const [first] = args;
  const given = scope.jsonOf(named.get('default') ?? (nameOf(first) === '...' ? undefined : first));
  const extra = scope.jsonOf(named.get('json_schema_extra'));
  return {
    ...constraintsOf(named, scope),
    ...(given !== undefined &&
      given !== null &&
      nameOf(expression.callee) !== 'StringConstraints' && { default: given }),
    ...(typeof extra === 'object' && extra !== null && !Array.isArray(extra) && (extra as Schema)),
  };
}

const CONSTRAINTS: Readonly<Record<string, string>> = {
  ...{ ge: 'minimum', gt: 'exclusiveMinimum', le: 'maximum', lt: 'exclusiveMaximum', multiple_of: 'multipleOf' },
  ...{ min_length: 'minLength', max_length: 'maxLength', pattern: 'pattern', regex: 'pattern' },
  ...{ title: 'title', description: 'description', examples: 'examples' },
};

function constraintsOf(named: ReadonlyMap<string, Expression>, scope: PythonScope): Schema {
  const found = Object.entries(CONSTRAINTS).flatMap(([name, keyword]) => {
    const value = named.has(name) ? scope.jsonOf(named.get(name)) : undefined;
    return value === undefined || value === null ? [] : [[keyword, value] as const];
  });
  return Object.fromEntries(found);
}
