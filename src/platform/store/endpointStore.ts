import type { EndpointRecord } from '../domain/endpoint.ts';
import type { ReleaseRecord } from '../domain/release.ts';

/** The endpoints and their releases. */
export interface EndpointStore {
  insert(endpoint: EndpointRecord): void;
  update(endpoint: EndpointRecord): void;
  /** In the order they were created. */
  list(): EndpointRecord[];
  /** Keeps the endpoint where nothing reads it, because it cannot be brought to life. */
  setAside(id: string, reason: string): void;
  /** Forgets the endpoint, its releases and its jobs. Usage stays: it has been spent. */
  delete(id: string): void;
  insertRelease(release: ReleaseRecord): void;
  /** Newest first. */
  releases(endpointId: string): ReleaseRecord[];
}
