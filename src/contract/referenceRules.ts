import { whereReadable } from './brokenFields.ts';
import type { CreateEndpointBody } from './endpoint.ts';
import type { Template } from './template.ts';
import { violation, type Path, type Violation } from './violation.ts';

/* Rules about the IDs of other resources in endpoints and templates. The lookups are parameters, because each service has its own data. */

export type ReferenceKind = 'registry' | 'network volume' | 'global volume';

export type Exists = (kind: ReferenceKind, id: string) => boolean;

export type References = Pick<CreateEndpointBody, 'registry' | 'networkVolumes' | 'mounts'>;

/** Returns a violation for each registry and volume in a body that does not exist. */
export function checkReferences(references: References, exists: Exists): Violation[] {
  const check = (kind: ReferenceKind, id: string, path: Path): Violation[] =>
    exists(kind, id) ? [] : [violation(path, 'unknownReference', { kind, id })];
  const mounted = (kind: 'network' | 'global') => () =>
    (references.mounts?.[kind] ?? []).flatMap(({ volumeId }, index) =>
      check(`${kind} volume`, volumeId, ['mounts', kind, index, 'volumeId']),
    );
  return [
    () => (references.registry ? check('registry', references.registry, ['registry']) : []),
    () => (references.networkVolumes ?? []).flatMap((id, i) => check('network volume', id, ['networkVolumes', i])),
    mounted('network'),
    mounted('global'),
  ].flatMap(whereReadable);
}

/**
 * Checks the template of an endpoint: 404 if it does not exist, 422 if it is for pods.
 *
 * @param template the template with this ID, or undefined if there is none
 */
export function checkTemplate(id: string, template: Pick<Template, 'serverless'> | undefined): Violation[] {
  const path = ['templateId'];
  if (!template) return [violation(path, 'unknownReference', { kind: 'template', id }, 404)];
  return template.serverless ? [] : [violation(path, 'podTemplate', { id }, 422)];
}
