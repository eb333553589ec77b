import type { EndpointRecord } from '../domain/endpoint.ts';
import type { RegistryCredentials } from '../domain/registry.ts';
import type { Mount } from '../runtimes/runSpec.ts';

/** Dependencies of the runs of all workers. */
export interface RunDependencies {
  /** Identifies the data of the platform. */
  readonly owner: string;
  /** Whether GPU endpoints run without GPUs. */
  readonly ignoreGpus: boolean;
  /** Returns the URL of the worker protocol. */
  readonly workerUrl: () => string;
  /** Returns the volumes of the workers of an endpoint. @throws Error with the reason */
  readonly mountsOf: (endpoint: EndpointRecord) => readonly Mount[];
  /** Returns stored credentials of an account. @throws Error with the reason */
  readonly credentialsOf: (accountId: string, registryId: string) => RegistryCredentials;
}
