import type { RegistryCredentials } from '../domain/registry.ts';

/** What a run of a worker is made from. A runtime uses what it can: a process has no image layers, limits or mounts. */
export interface RunSpec {
  readonly labels: RunLabels;
  readonly protocol: WorkerProtocol;
  /** As the manifest names it, such as `example/worker:1` or `process:/directory`. */
  readonly image: string;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  /** Set by the endpoint. The runtime adds the variables of workerEnvironment.ts. */
  readonly env: Readonly<Record<string, string>>;
  /** Left out for a worker that takes jobs instead. */
  readonly server?: WorkerServer | undefined;
  /** For pulling the image. */
  readonly registry?: RegistryAccess | undefined;
  readonly mounts: readonly Mount[];
  /** Ports that the worker may listen on, as it numbers them itself. Those of `server` are among them. */
  readonly ports: readonly number[];
  readonly resources: RunResources;
}

/** Whose the run is. An engine that outlives the platform shows them, and finds the run by them. */
export interface RunLabels {
  /** Identifies the data of the platform: another platform on the same engine has another one. */
  readonly owner: string;
  readonly endpointId: string;
  readonly workerId: string;
  /** Random, and different for each run. */
  readonly runId: string;
}

/** How the worker reaches the platform. */
export interface WorkerProtocol {
  /** Address of the worker protocol from this machine, such as http://127.0.0.1:1234/worker/v2. */
  readonly url: string;
  /** Secret of this worker, part of its addresses. */
  readonly token: string;
}

/** Where a load-balanced worker serves HTTP, as it numbers its ports itself. */
export interface WorkerServer {
  readonly port: number;
  readonly healthPort: number;
  readonly healthPath: string;
}

export interface RegistryAccess {
  readonly id: string;
  /** Resolved only to pull: credentials belong neither into a handle nor into a log. @throws StartError */
  readonly credentials: () => RegistryCredentials;
}

/** A directory of this machine, and the path at which a container sees it. */
export interface Mount {
  readonly directory: string;
  readonly path: string;
}

/** Limits. What is left out is not limited. */
export interface RunResources {
  readonly vcpu?: number | undefined;
  readonly memoryGb?: number | undefined;
  readonly gpus: number;
  readonly diskGb?: number | undefined;
}
