import type { Clock } from '../time/clock.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { ResourceStore, Store } from '../store/store.ts';
import { Refusal } from '../domain/refusal.ts';
import type { CreateEndpointBody } from '../../contract/endpoint.ts';

/** State that the resources of one account share. */
export interface AccountContext {
  readonly accountId: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly own: ResourceStore;
  /** True if the account may run programs on this machine. */
  readonly mayRunProcesses: boolean;
  /** Returns the endpoints of this account. */
  readonly endpoints: () => EndpointRecord[];
}

/** @throws Refusal 400 with the endpoints that use the resource, if there are any */
export function refuseInUse(
  resource: string,
  endpoints: readonly { readonly id: string; readonly name: string }[],
): void {
  if (endpoints.length === 0) return;
  const users = endpoints.map(({ id, name }) => `'${name}' (${id})`).join(', ');
  throw new Refusal(400, `the ${resource} is in use by the endpoint${endpoints.length > 1 ? 's' : ''} ${users}`);
}

/* Endpoints that refer to other resources by ID. */

/** The members of an endpoint that refer to other resources. */
interface Referrer {
  readonly name: string;
  readonly templateId?: string | undefined;
  readonly registry?: string | null | undefined;
  readonly mounts: CreateEndpointBody['mounts'];
}

export const usesTemplate = (endpoint: Referrer, id: string): boolean => endpoint.templateId === id;
export const usesRegistry = (endpoint: Referrer, id: string): boolean => endpoint.registry === id;
export const usesVolume = ({ mounts }: Referrer, id: string): boolean =>
  [...(mounts?.network ?? []), ...(mounts?.global ?? [])].some(({ volumeId }) => volumeId === id);
