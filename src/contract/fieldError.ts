import type { FieldError } from './violation.ts';

/** Parses an entry of a problem's `errors`, such as `$.gpu.pools[0]: message`. Returns undefined for any other form. */
export function parseFieldError(entry: string): FieldError<'serviceMessage'> | undefined {
  const match = /^\$((?:\.[^.[\]:\s]+|\[\d+\])*): (.+)$/s.exec(entry);
  if (!match) return undefined;
  const [, path = '', message = ''] = match;
  const segments = [...path.matchAll(/\.([^.[]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
  return { path: segments, code: 'serviceMessage', data: { message }, message };
}
