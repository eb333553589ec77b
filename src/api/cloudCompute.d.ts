// Types of the API that Cloud Compute offers to other extensions. Copy this file into your extension. docs/extension-api.md describes the API.
import type { CancellationToken, Event } from 'vscode';

/** Value of `vscode.extensions.getExtension<CloudComputeExports>('cloud-compute.cloud-compute')?.exports`. */
export interface CloudComputeExports {
  /**
   * Returns a version of the API. A version can get new members, but keeps the existing ones.
   *
   * @throws CloudComputeError with the code `unsupportedVersion`
   */
  getApi(version: 1): CloudComputeApi;
}

export interface CloudComputeApi {
  readonly version: 1;
  readonly connections: ConnectionsApi;
  readonly endpoints: EndpointsApi;
  readonly jobs: JobsApi;
  readonly localPlatform: LocalPlatformApi;
  readonly manifests: ManifestsApi;
}

/** The platforms that the user has connected. The API has no keys, and only the user switches the connection. */
export interface ConnectionsApi {
  /** All connections. Resolves once they have been read from the secret storage. */
  list(): Promise<readonly ConnectionInfo[]>;
  /** The current connection. All other parts of the API use it. */
  readonly active: ConnectionInfo | undefined;
  /** Fires after each change of the connections or of the current one. */
  readonly onDidChange: Event<void>;
}

export interface ConnectionInfo {
  readonly id: string;
  readonly name: string;
  readonly kind: 'local' | 'hosted';
  /** Address of the management API. Undefined while the local platform does not run. */
  readonly baseUrl: string | undefined;
  /** Whether the platform can be called: the local platform runs, or the hosted connection is signed in. */
  readonly isAvailable: boolean;
}

/** The endpoints of the current connection. */
export interface EndpointsApi {
  /** Reads the endpoints. @throws CloudComputeError */
  list(): Promise<readonly EndpointInfo[]>;
  /** Fires when the editor has read a change, or the connection has changed. The editor reads endpoints only while a view shows them. */
  readonly onDidChange: Event<void>;
  /** Selects an endpoint in its view. @throws CloudComputeError with the code `notFound` */
  reveal(endpointId: string): Promise<void>;
}

export interface EndpointInfo {
  readonly id: string;
  readonly name: string;
  /** A platform can have other types than these. */
  readonly type: 'QUEUE' | 'LOAD_BALANCER' | (string & {});
  /** Limits of the number of workers. */
  readonly workers: { readonly min: number; readonly max: number };
}

/** Jobs of queue endpoints. */
export interface JobsApi {
  /**
   * Submits a job, which then appears in the Jobs view. On a hosted platform, which bills for jobs, the user is asked each time.
   *
   * @throws CloudComputeError with the code `declined` if the user declines, or `untrusted` in an untrusted workspace
   */
  submit(request: JobSubmission): Promise<JobReference>;
  /**
   * Follows a job to its end, and returns its last state. The cancellation ends only the following, with the code `canceled`.
   *
   * @param onDidChange receives each state, including the last one
   * @throws CloudComputeError
   */
  follow(job: JobReference, onDidChange?: (job: JobInfo) => void, token?: CancellationToken): Promise<JobInfo>;
  /** Reads the state of a job and its output. @throws CloudComputeError */
  read(job: JobReference): Promise<JobInfo>;
  /** Opens the document of a job. */
  open(job: JobReference): Promise<void>;
}

export interface JobSubmission {
  /** ID of a queue endpoint of the current connection. */
  readonly endpointId: string;
  /** Input of the handler, a JSON object. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Name of your extension, for the question to the user. The editor cannot verify it, and says so. */
  readonly requester: string;
}

/** A job of one connection. */
export interface JobReference {
  readonly connectionId: string;
  readonly endpointId: string;
  readonly jobId: string;
}

export interface JobInfo extends JobReference {
  /** Status of the platform. A platform can have others than those of this list. */
  readonly status: 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT' | (string & {});
  /** Whether the job has ended. */
  readonly hasEnded: boolean;
  /** Output of a completed job. While a job runs, its last progress. */
  readonly output: unknown;
  /** Error of a failed job, as the worker reported it. */
  readonly error: unknown;
  /** Time in the queue, in ms. */
  readonly delayTime: number | undefined;
  /** Execution time, in ms. */
  readonly executionTime: number | undefined;
}

/** The local platform, which runs without an account and free of charge. */
export interface LocalPlatformApi {
  readonly state: 'stopped' | 'starting' | 'running' | 'stopping' | 'failed';
  /** Addresses while the local platform runs. Its key stays in the editor, so call it through this API. */
  readonly addresses: LocalPlatformAddresses | undefined;
  readonly onDidChange: Event<void>;
  /**
   * Starts the local platform, or joins the running one. It becomes the current connection if there is none.
   *
   * @throws CloudComputeError with the code `failed`
   */
  start(): Promise<LocalPlatformAddresses>;
}

export interface LocalPlatformAddresses {
  readonly baseUrl: string;
  readonly queueUrl: string;
  /** Contains `{endpoint_id}` in place of the ID of an endpoint. */
  readonly endpointHost: string;
}

/** Files that describe endpoints. */
export interface ManifestsApi {
  /** Opens an unsaved manifest with this text, in which the user can create the endpoint. */
  open(text: string): Promise<void>;
}

export type CloudComputeErrorCode =
  /** The version of the API is not known. Update Cloud Compute. */
  | 'unsupportedVersion'
  /** No platform is connected, or it cannot be called, or the job belongs to another connection than the current one. */
  | 'notConnected'
  /** The endpoint or the job does not exist. */
  | 'notFound'
  /** The user declined the question. */
  | 'declined'
  /** The workspace is not trusted. */
  | 'untrusted'
  /** The caller canceled the call. */
  | 'canceled'
  /** The API key was not accepted, or does not allow the call. */
  | 'unauthorized'
  /** The platform or the editor did not accept an argument. */
  | 'invalid'
  | 'rateLimited'
  /** The platform cannot be reached, or did not respond in time. */
  | 'unreachable'
  /** Any other failure, which the message describes. */
  | 'failed';

export interface CloudComputeError extends Error {
  readonly name: 'CloudComputeError';
  readonly code: CloudComputeErrorCode;
}
