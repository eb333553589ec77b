import type { RegistryCredentials } from '../domain/registry.ts';

/**
 * Specification of a run of a worker. A runtime uses the parts that it supports. A process, for example, has no image layers, limits, or
 * mounts.
 */
export interface RunSpec {
  readonly labels: RunLabels;
  readonly protocol: WorkerProtocol;
  /** As in the manifest, such as `example/worker:1` or `process:/directory`. */
  readonly image: string;
  /** Digest of the image of this release, if a worker of the release has already been started. All its workers run the same image. */
  readonly pinned?: ImageDigest | undefined;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  /** Set by the endpoint. The runtime adds the variables of workerEnvironment.ts. */
  readonly env: Readonly<Record<string, string>>;
  /** Omitted for a worker that takes jobs instead. */
  readonly server?: WorkerServer | undefined;
  /** For pulling the image. */
  readonly registry?: RegistryAccess | undefined;
  readonly mounts: readonly Mount[];
  /** Ports that the worker may listen on, in its own numbering. Includes those of `server`. */
  readonly ports: readonly number[];
  readonly resources: RunResources;
  /** Set if a debugger holds the worker. */
  readonly debug?: RunDebug | undefined;
  /** Whether the worker reports the modules that it loads, see `importProfile`. Default: no. */
  readonly profilesImports?: boolean | undefined;
  /** What a process of Python loads once for several runs, as in `x-local.preload`. Other runtimes ignore it. */
  readonly preload?: readonly string[] | undefined;
}

/** How a worker is started under a debugger. A runtime ignores it if it can open the debugger of a running worker. */
export interface RunDebug {
  /** Directory of debugpy. Default: the module of the worker's Python. */
  readonly debugpy: string | undefined;
  /** The program and its arguments, which replace the entrypoint and the command of a container. Default: those of the endpoint. */
  readonly command?: readonly string[] | undefined;
}

/** Digest of an image in a registry, or the ID of an image that only this engine has, such as `sha256:0123…`. */
export type ImageDigest = string;

/** Identity of a run. An engine that outlives the platform shows these labels, and the platform finds the run by them. */
export interface RunLabels {
  /** Identifies the data of the platform. Platforms that share an engine have different owners. */
  readonly owner: string;
  readonly endpointId: string;
  readonly workerId: string;
  /** Random, and different for each run. */
  readonly runId: string;
}

/** Connection of the worker to the platform. */
export interface WorkerProtocol {
  /**
   * Address of the worker protocol from this machine, such as http://127.0.0.1:1234/worker/v2. A runtime whose workers cannot reach it
   * replaces it with an address of the worker gate.
   */
  readonly url: string;
  /** Secret of this run. */
  readonly token: string;
}

/** HTTP server of a load-balanced worker. Ports are in the worker's own numbering. */
export interface WorkerServer {
  readonly port: number;
  readonly healthPort: number;
  readonly healthPath: string;
}

export interface RegistryAccess {
  readonly id: string;
  /** Resolved only for a pull, because credentials must appear neither in a handle nor in a log. @throws StartError */
  readonly credentials: () => RegistryCredentials;
}

/** A directory of this machine, and its path in a container. */
export interface Mount {
  readonly directory: string;
  readonly path: string;
}

/** Limits. An omitted resource is not limited, except by `defaultShare`. */
export interface RunResources {
  readonly vcpu?: number | undefined;
  readonly memoryGb?: number | undefined;
  /** Number of GPUs. 0 for a GPU endpoint that may run without GPUs. */
  readonly gpus: number;
  /**
   * GPUs of this machine that are reserved for the worker, by UUID or index. The worker sees no others. Omitted if the platform assigns no
   * GPUs, such as with `--gpus ignore`, or on a cluster, which assigns them itself.
   */
  readonly gpuDevices?: readonly string[] | undefined;
  readonly diskGb?: number | undefined;
  /** Part of the engine's machine, at most 1, that limits CPUs and memory if they are omitted. A cluster has limits of its own. */
  readonly defaultShare?: number | undefined;
}
