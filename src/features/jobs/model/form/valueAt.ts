import type { JobFormPath } from '../../../../webviews/jobForm/messages.ts';
import { isObject } from '../jobInput.ts';

/** Returns the value at a path of an input; undefined if there is none. */
export function valueAt(input: unknown, path: JobFormPath): unknown {
  let value = input;
  for (const step of path)
    value = isObject(value) || Array.isArray(value) ? (value as Record<string, unknown>)[String(step)] : undefined;
  return value;
}
