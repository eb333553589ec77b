import type { EndpointRecord } from '../domain/endpoint.ts';
import type { ReleaseRecord } from '../domain/release.ts';

/** Endpoints and their releases. */
export interface EndpointStore {
  insert(endpoint: EndpointRecord): void;
  update(endpoint: EndpointRecord): void;
  /** Returns the endpoints in order of creation. */
  list(): EndpointRecord[];
  /** Moves an endpoint that cannot be restored to the quarantine. */
  setAside(id: string, reason: string): void;
  /** Deletes the endpoint, its releases, and its jobs. Its usage stays, because it has been charged. */
  delete(id: string): void;
  insertRelease(release: ReleaseRecord): void;
  /** Returns the releases of an endpoint, newest first. */
  releases(endpointId: string): ReleaseRecord[];
}
