import type { Manifest } from '../../../contract/manifest.ts';
import type { FieldError } from '../../../contract/violation.ts';

/**
 * Maps a violation in a request body to the manifest that the body was made from. The image and the command of a local worker come from
 * `x-local`.
 */
export function violationInManifest(violation: FieldError, manifest: Manifest, target: 'local' | 'hosted'): FieldError {
  const [first, ...rest] = violation.path;
  if (target === 'hosted' || !manifest['x-local']) return violation;
  if (first === 'image') return { ...violation, path: ['x-local', 'directory'] };
  if (first === 'args' || first === 'entrypoint') return { ...violation, path: ['x-local', 'command'] };
  return first === 'cmd' ? { ...violation, path: ['x-local', 'command', ...rest] } : violation;
}
