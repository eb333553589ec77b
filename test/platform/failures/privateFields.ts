import { Session } from 'node:inspector';

/*
 * Private fields of objects, read through the inspector. Tests can so compare what the platform holds in memory with its store, and the
 * platform needs no interface for that.
 */

const session = new Session();
session.connect();

const EXCHANGE = 'failureSweepExchange';
const exchange: { object: unknown; values: readonly object[] } = { object: undefined, values: [] };
Object.assign(globalThis, { [EXCHANGE]: exchange });

/** The fields with objects that are known: asking the inspector takes longer than anything else in these tests. */
const known = new WeakMap<object, ReadonlyMap<string, object>>();

/**
 * The object in a private field, such as `#listeners`. The field has to be read-only.
 *
 * @throws Error for an object without such a field
 */
// The caller knows the type of the field.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function privateField<T extends object>(object: object, name: string): T {
  const fields = known.get(object) ?? objectsOf(object);
  known.set(object, fields);
  const found = fields.get(name);
  if (!found) throw new Error(`there is no object in a private field ${name} of ${object.constructor.name}`);
  return found as T;
}

/** The present number in a private field. @throws Error for an object without such a field */
export function privateNumber(object: object, name: string): number {
  const found = fieldsOf(object).find((field) => field.name === name)?.value;
  // Infinity is no JSON.
  const value = found?.unserializableValue === undefined ? found?.value : Number(found.unserializableValue);
  if (typeof value !== 'number') throw new Error(`there is no number in a private field ${name}`);
  return value;
}

function objectsOf(object: object): ReadonlyMap<string, object> {
  const fields = fieldsOf(object).filter(({ value }) => value?.objectId !== undefined);
  post('Runtime.callFunctionOn', {
    objectId: fields[0]?.value?.objectId,
    arguments: fields.map(({ value }) => ({ objectId: value?.objectId })),
    functionDeclaration: `function (...values) { globalThis.${EXCHANGE}.values = values; }`,
  });
  const { values } = exchange;
  exchange.values = [];
  return new Map(
    fields.flatMap(({ name }, index) => {
      const value = values[index];
      return value ? [[name, value] as const] : [];
    }),
  );
}

function fieldsOf(object: object): readonly Field[] {
  exchange.object = object;
  const { result } = post('Runtime.evaluate', { expression: `globalThis.${EXCHANGE}.object` }) as { result: Remote };
  exchange.object = undefined;
  const found = post('Runtime.getProperties', { objectId: result.objectId, ownProperties: true });
  return (found as { readonly privateProperties?: readonly Field[] }).privateProperties ?? [];
}

/** The session is in this thread, so it answers before `post` returns. */
function post(method: string, parameters: object): unknown {
  let answer: unknown;
  session.post(method, parameters, (error, result) => {
    if (error) throw error;
    answer = result;
  });
  return answer;
}

interface Remote {
  readonly objectId?: string;
  readonly value?: unknown;
  readonly unserializableValue?: string;
}

interface Field {
  readonly name: string;
  readonly value?: Remote;
}
