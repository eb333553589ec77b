import { Session } from 'node:inspector';

/*
 * Reads private fields of objects through the inspector. Tests can therefore compare the platform's memory with its store, and the platform
 * needs no interface for that.
 */

const session = new Session();
session.connect();

const EXCHANGE = 'failureSweepExchange';
const exchange: { object: unknown; values: readonly object[] } = { object: undefined, values: [] };
Object.assign(globalThis, { [EXCHANGE]: exchange });

/** Cache of fields that contain objects, because a call of the inspector takes longer than all other steps of these tests. */
const known = new WeakMap<object, ReadonlyMap<string, object>>();

/**
 * Returns the object in a private field, such as `#listeners`. The field must be read-only.
 *
 * @throws Error if the object has no such field
 */
// The caller knows the type of the field.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function privateField<T extends object>(object: object, name: string): T {
  const fields = known.get(object) ?? objectsOf(object);
  known.set(object, fields);
  const found = fields.get(name);
  if (!found) throw new Error(`the private field ${name} of ${object.constructor.name} contains no object`);
  return found as T;
}

/** Returns the current number in a private field. @throws Error if the object has no such field */
export function privateNumber(object: object, name: string): number {
  const found = fieldsOf(object).find((field) => field.name === name)?.value;
  // JSON cannot represent Infinity.
  const value = found?.unserializableValue === undefined ? found?.value : Number(found.unserializableValue);
  if (typeof value !== 'number') throw new Error(`the private field ${name} contains no number`);
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

/** Calls the inspector. The session is in this thread, so the response arrives before `session.post` returns. */
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
