import type { Manifest } from '../../contract/manifest.ts';
import type { FieldError } from '../../contract/violation.ts';

/**
 * What the service says about the body that was sent, said about the manifest it was made from: image and command of a
 * local worker stand under `x-local`.
 */
export function violationInManifest(violation: FieldError, manifest: Manifest, target: 'local' | 'hosted'): FieldError {
  const [first, ...rest] = violation.path;
  if (target === 'hosted' || !manifest['x-local']) return violation;
  if (first === 'image') return { ...violation, path: ['x-local', 'directory'] };
  if (first === 'args' || first === 'entrypoint') return { ...violation, path: ['x-local', 'command'] };
  return first === 'cmd' ? { ...violation, path: ['x-local', 'command', ...rest] } : violation;
}
