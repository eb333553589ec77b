import type { CreateEndpointBody } from '../../contract/endpoint.ts';
import { violation, type Path, type Violation } from '../../contract/violation.ts';

/* References by ID from endpoints and templates, and whether their targets exist. */

export type ReferenceKind = 'registry' | 'network volume' | 'global volume';

export type Exists = (kind: ReferenceKind, id: string) => boolean;

type References = Pick<CreateEndpointBody, 'registry' | 'networkVolumes' | 'mounts'>;

/** Returns a violation for each ID in a body that does not exist. */
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

/** The members of an endpoint that refer to other resources. */
export interface Referrer {
  readonly name: string;
  readonly templateId?: string | undefined;
  readonly registry?: string | null | undefined;
  readonly mounts: CreateEndpointBody['mounts'];
}

export const usesTemplate = (endpoint: Referrer, id: string): boolean => endpoint.templateId === id;
export const usesRegistry = (endpoint: Referrer, id: string): boolean => endpoint.registry === id;
export const usesVolume = ({ mounts }: Referrer, id: string): boolean =>
  [...(mounts?.network ?? []), ...(mounts?.global ?? [])].some(({ volumeId }) => volumeId === id);
