import { fieldError, type FieldError } from './violation.ts';

/** Reads one entry of a problem's `errors`, `$.gpu.pools[0]: message`; undefined when it has another form. */
export function parseFieldError(entry: string): FieldError<'toldByService'> | undefined {
  const match = /^\$((?:\.[^.[\]:\s]+|\[\d+\])*): (.+)$/s.exec(entry);
  if (!match) return undefined;
  const [, path = '', told = ''] = match;
  const segments = [...path.matchAll(/\.([^.[]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
  return fieldError(segments, 'toldByService', { told });
}
