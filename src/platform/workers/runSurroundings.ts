import type { EndpointRecord } from '../domain/endpoint.ts';
import type { RegistryCredentials } from '../domain/registry.ts';
import type { Mount } from '../runtimes/runSpec.ts';

/** What the runs of all workers take from the platform. */
export interface RunSurroundings {
  /** Identifies the data of the platform. */
  readonly owner: string;
  /** Address of the worker protocol. */
  readonly workerUrl: () => string;
  /** The volumes that the workers of an endpoint get. @throws Error with the reason */
  readonly mountsOf: (endpoint: EndpointRecord) => readonly Mount[];
  /** Credentials that an account has stored. @throws Error with the reason */
  readonly credentialsOf: (accountId: string, registryId: string) => RegistryCredentials;
}
