import type { CreateEndpointBody } from '../../contract/endpoint.ts';

/* Endpoints that refer to other resources by ID. */

/** The members of an endpoint that refer to other resources. */
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
