import type { CreateEndpointBody } from '../../contract/endpoint.ts';

/* Endpoints that refer to other resources by ID. */

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
