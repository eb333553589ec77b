import type { Expression } from './expressions.ts';
import { callsIn, type FoundCall, type PythonModule } from './pythonModule.ts';
import { PythonScope } from './pythonScope.ts';
import { nameOf, objectSchema, schemaOfClass, schemaOfType, type Schema } from './pythonTypes.ts';
import { schemaOfDictionary } from './validatorDictionary.ts';

/* The schema of the input that a Python worker declares. */

const DICTIONARY = /^(?:[A-Z]+_)*INPUT_SCHEMA$|^(?:VALIDATION_|JOB_)?SCHEMA$/;
const CONSTRUCTORS = ['model_validate', 'parse_obj', 'from_dict'];

/** Returns the schema that a file declares for the input of jobs. @param others returns an imported module, if it was read */
export function pythonInput(
  module: PythonModule,
  others: (module: string) => PythonModule | undefined,
): Schema | undefined {
  const scope = new PythonScope(module, others);
  return fromValidator(scope) ?? fromCalls(scope) ?? fromHandler(scope);
}

/** Reads the dictionary that `validate(input, INPUT_SCHEMA)` uses, or one with such a name. */
function fromValidator(scope: PythonScope): Schema | undefined {
  const { tokens, values, imports } = scope.module;
  const used = callsIn(tokens, (name) => name === 'validate').flatMap(({ call: { args, named } }) =>
    [...named.values(), ...args].reverse(),
  );
  const named = [...values.keys(), ...imports.keys()].filter((name) => DICTIONARY.test(name));
  for (const one of [...used, ...named.map((name): Expression => ({ kind: 'name', name }))]) {
    const { value, scope: owner } = scope.valueOf(one);
    const schema = schemaOfDictionary(value, owner);
    if (schema) return schema;
  }
  return undefined;
}

/** Reads the class or the function that receives the members of the input, as in `Input(**job["input"])`. */
function fromCalls(scope: PythonScope): Schema | undefined {
  const isKnown = (name: string) => scope.classNamed(name) ?? scope.functionNamed(name);
  const calls = callsIn(scope.module.tokens, (name, object) =>
    CONSTRUCTORS.includes(name) && object !== undefined ? isKnown(object) !== undefined : isKnown(name) !== undefined,
  );
  for (const call of calls) {
    if (!receivesInput(call)) continue;
    const name = CONSTRUCTORS.includes(call.name) ? (call.object ?? '') : call.name;
    const schema = schemaNamed(name, scope);
    if (schema) return schema;
  }
  return undefined;
}

function receivesInput({ name, call: { args } }: FoundCall): boolean {
  const isWhole = CONSTRUCTORS.includes(name);
  return args.some((arg) => (arg.kind === 'spread' ? mentionsInput(arg.value) : isWhole && mentionsInput(arg)));
}

/** Returns whether an expression is the input of a job, such as `job["input"]`, `event.get("input")`, or `job_input`. */
function mentionsInput(expression: Expression): boolean {
  switch (expression.kind) {
    case 'name':
      return /input/i.test(expression.name);
    case 'index':
      return expression.items.some((item) => item.kind === 'literal' && item.value === 'input');
    case 'call':
      return expression.args.some((item) => item.kind === 'literal' && item.value === 'input');
    case 'member':
      return expression.name === 'input';
    default:
      return false;
  }
}

/** Returns the schema of the fields of a class, or of the parameters of a function. */
function schemaNamed(name: string, scope: PythonScope): Schema | undefined {
  const type = scope.classNamed(name);
  const schema = type && schemaOfClass(type.found, type.scope, 0);
  if (schema?.['type'] === 'object') return isEmpty(schema) ? undefined : schema;
  const called = scope.functionNamed(name);
  if (!called) return undefined;
  const fields = called.found.parameters.map((field) => ({ field, scope: called.scope }));
  const parameters = objectSchema(fields, 0);
  return isEmpty(parameters) ? undefined : parameters;
}

/** Reads the type of the handler's parameter, if it is a class with the member `input`. */
function fromHandler(scope: PythonScope): Schema | undefined {
  const [started] = callsIn(scope.module.tokens, (name) => name === 'start');
  const [config] = started?.call.args ?? [];
  const given =
    config?.kind === 'object'
      ? config.entries.find(([key]) => key?.kind === 'literal' && key.value === 'handler')?.[1]
      : undefined;
  const handler = scope.functionNamed(nameOf(given)) ?? scope.functionNamed('handler');
  const [first] = handler?.found.parameters ?? [];
  if (!handler || !first) return undefined;
  const job = schemaOfType(first.annotation, handler.scope);
  const input = (job['properties'] as Schema | undefined)?.['input'] as Schema | undefined;
  return input?.['type'] === 'object' && !isEmpty(input) ? input : undefined;
}

function isEmpty({ properties }: Schema): boolean {
  return typeof properties !== 'object' || properties === null || Object.keys(properties).length === 0;
}
