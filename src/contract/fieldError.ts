import type { Violation } from './violation.ts';

/** One member of a body that was refused. */
export type FieldError = Pick<Violation, 'path' | 'message'>;

/** Reads one entry of a problem's `errors`, `$.gpu.pools[0]: message`; undefined when it has another form. */
export function parseFieldError(entry: string): FieldError | undefined {
  const match = /^\$((?:\.[^.[\]:\s]+|\[\d+\])*): (.+)$/s.exec(entry);
  if (!match) return undefined;
  const [, path = '', message = ''] = match;
  const segments = [...path.matchAll(/\.([^.[]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
  return { path: segments, message };
}
