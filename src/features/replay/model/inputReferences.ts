import type { JobInput } from '../../../contract/job.ts';
import { SECRET_REFERENCE } from '../../../contract/recordedJob.ts';

/** Returns the name of the secret that a value of a recorded input stands for. Undefined for any other value. */
function secretName(value: object): string | undefined {
  const name = Object.hasOwn(value, SECRET_REFERENCE) ? (value as Record<string, unknown>)[SECRET_REFERENCE] : undefined;
  return Object.keys(value).length === 1 && typeof name === 'string' ? name : undefined;
}

/** Returns the distinct names of the secrets that a recorded input needs, in order. */
export function secretsIn(input: JobInput): readonly string[] {
  const names = new Set<string>();
  const pending: unknown[] = [input];
  // A stack, because an input can be nested more deeply than calls.
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    const name = secretName(value);
    if (name === undefined) pending.push(...Object.values(value).reverse());
    else names.add(name);
  }
  return [...names];
}

/** Returns an input with the values of its secrets. A secret without a value stays a reference. */
export function withSecrets(input: JobInput, values: ReadonlyMap<string, string>): JobInput {
  if (values.size === 0 || secretsIn(input).length === 0) return input;
  return JSON.parse(JSON.stringify(input), (_, value: unknown) => {
    const name = typeof value === 'object' && value !== null ? secretName(value) : undefined;
    return (name === undefined ? undefined : values.get(name)) ?? value;
  }) as JobInput;
}
