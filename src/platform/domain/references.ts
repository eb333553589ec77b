import type { CreateEndpointBody } from '../../contract/endpoint.ts';
import { violation, type Path, type Violation } from '../../contract/violation.ts';

/* What endpoints and templates name by id, and whether it is there. */

export type ReferenceKind = 'registry' | 'network volume' | 'global volume';

export type Exists = (kind: ReferenceKind, id: string) => boolean;

type References = Pick<CreateEndpointBody, 'registry' | 'networkVolumes' | 'mounts'>;

/** The ids of a body that nothing has (interface document, rule 6; facts, section 8). */
export function checkReferences({ registry, networkVolumes = [], mounts }: References, exists: Exists): Violation[] {
  const check = (kind: ReferenceKind, id: string, path: Path): Violation[] =>
    exists(kind, id) ? [] : [violation(path, 'unknownReference', { kind, id })];
  const mounted = (kind: 'network' | 'global'): Violation[] =>
    (mounts?.[kind] ?? []).flatMap(({ volumeId }, index) =>
      check(`${kind} volume`, volumeId, ['mounts', kind, index, 'volumeId']),
    );
  return [
    ...(registry ? check('registry', registry, ['registry']) : []),
    ...networkVolumes.flatMap((id, index) => check('network volume', id, ['networkVolumes', index])),
    ...mounted('network'),
    ...mounted('global'),
  ];
}

/** An endpoint, as far as it matters what it uses. */
export interface User {
  readonly name: string;
  readonly templateId?: string | undefined;
  readonly registry?: string | null | undefined;
  readonly mounts: CreateEndpointBody['mounts'];
}

export const usesTemplate = (endpoint: User, id: string): boolean => endpoint.templateId === id;
export const usesRegistry = (endpoint: User, id: string): boolean => endpoint.registry === id;
export const usesVolume = ({ mounts }: User, id: string): boolean =>
  [...(mounts?.network ?? []), ...(mounts?.global ?? [])].some(({ volumeId }) => volumeId === id);
