import type { Manifest } from '../../contract/manifest.ts';
import type { Violation } from '../../contract/violation.ts';

type Located = Pick<Violation, 'path' | 'message'>;

/** Reads one line of a problem's `errors`, `$.gpu.pools[0]: message`; undefined when it has another form. */
export function parseServerError(line: string): Located | undefined {
  const match = /^\$((?:\.[^.[\]:\s]+|\[\d+\])*): (.+)$/s.exec(line);
  if (!match) return undefined;
  const [, path = '', message = ''] = match;
  const segments = [...path.matchAll(/\.([^.[]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
  return { path: segments, message };
}

/**
 * What the service says about the body that was sent, said about the manifest it was made from: image and command of a
 * local worker stand under `x-local`.
 */
export function violationInManifest(violation: Located, manifest: Manifest, target: 'local' | 'hosted'): Located {
  const [first, ...rest] = violation.path;
  if (target === 'hosted' || !manifest['x-local']) return violation;
  if (first === 'image') return { ...violation, path: ['x-local', 'directory'] };
  if (first === 'args' || first === 'entrypoint') return { ...violation, path: ['x-local', 'command'] };
  return first === 'cmd' ? { ...violation, path: ['x-local', 'command', ...rest] } : violation;
}
