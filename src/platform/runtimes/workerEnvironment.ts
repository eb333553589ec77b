import { ROUTE_ENVIRONMENT } from '../../contract/route.ts';
import type { SystemLine } from '../../contract/systemLines.ts';

/*
 * Compatibility: the environment variables that worker SDKs of the hosted service read (facts, worker protocol, sections 0 and 1).
 * The only file that has their names, save for the sample worker, which reads them.
 */

export interface WorkerIdentity {
  readonly endpointId: string;
  readonly workerId: string;
  /** Secret of this worker, part of its addresses. */
  readonly token: string;
  /** Address of the worker protocol, such as http://127.0.0.1:1234/worker/v2. */
  readonly workerUrl: string;
}

/** Where a load-balanced worker is to serve HTTP: ports of this machine that are its own. */
export interface WorkerServer {
  readonly port: number;
  readonly healthPort: number;
  readonly healthPath: string;
}

/** Base of what the worker's process may know about this machine; nothing else of our own environment is passed on. */
const PASSED_ON = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TMP', 'TEMP'],
  ...['Path', 'SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'WINDIR'],
];

/** The environment of a worker: a safe base, then what the endpoint sets, then what the platform sets. */
export function workerEnvironment(
  identity: WorkerIdentity,
  endpointEnv: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string | undefined>>,
  server?: WorkerServer,
): Record<string, string> {
  const base = Object.fromEntries(PASSED_ON.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])));
  const protocol = server ? serverEnvironment(identity, server) : protocolEnvironment(identity);
  return { ...base, ...DEFAULTS, ...endpointEnv, ...protocol };
}

/** A load-balanced worker takes no jobs: it gets the ports that were found for it, and who it is. */
function serverEnvironment({ endpointId, workerId }: WorkerIdentity, { port, healthPort, healthPath }: WorkerServer) {
  return {
    [ROUTE_ENVIRONMENT.port.name]: String(port),
    [ROUTE_ENVIRONMENT.healthPort.name]: String(healthPort),
    [ROUTE_ENVIRONMENT.healthPath.name]: healthPath,
    RUNPOD_POD_ID: workerId,
    RUNPOD_ENDPOINT_ID: endpointId,
  };
}

/**
 * What the public Python SDK leaves in its working directory. Versions 1.7.11 to 1.10.0 keep the list of their running jobs there and read
 * it when they start: after a process that was killed, the next one would believe that it still has that job, and never ask for
 * another. A new worker in a container finds no such file; for a process it is removed before the start.
 */
export const STATE_FILES: readonly string[] = ['.runpod_jobs.pkl'];

const AGENT = /^RunPod-Python-SDK\/(\d+)\.(\d+)\.(\d+)/;

/**
 * What there is to say of the SDK that calls itself so, when the endpoint may have several workers: those of the versions above share the
 * list, as local workers share their directory, and stop taking jobs.
 */
export function sharedStateWarning(userAgent: string, maxWorkers: number): SystemLine | undefined {
  const [, ...version] = (AGENT.exec(userAgent) ?? []).map(Number);
  const [major = 0, minor = 0, patch = 0] = version;
  const rank = (major * 1_000 + minor) * 1_000 + patch;
  if (maxWorkers < 2 || rank < 1_007_011 || rank > 1_010_000) return undefined;
  return { kind: 'sharedState', version: version.join('.') };
}

/**
 * What an endpoint's env may set otherwise. The SDK's checks at its start (memory, free disk, a connection to a public name server) end a
 * worker on a laptop that is offline or nearly full, so they are off. Python keeps what it prints to itself for a while when
 * nobody looks at it in a terminal, and what a worker printed before it crashed would be lost: it is told not to.
 */
const DEFAULTS = {
  RUNPOD_SKIP_AUTO_SYSTEM_CHECKS: 'true',
  RUNPOD_SKIP_GPU_CHECK: 'true',
  RUNPOD_SKIP_FITNESS_CHECKS: 'true',
  PYTHONUNBUFFERED: '1',
};

function protocolEnvironment({ endpointId, workerId, token, workerUrl }: WorkerIdentity): Record<string, string> {
  // SDKs glue further parameters on with "&", so every address has a "?" already; `$ID` is theirs to replace by the job's id.
  const query = `?gpu=none&t=${token}`;
  const url = (action: string, rest = ''): string => `${workerUrl}/${endpointId}/${action}/${workerId}${rest}${query}`;
  return {
    RUNPOD_WEBHOOK_GET_JOB: url('job-take'),
    RUNPOD_WEBHOOK_POST_OUTPUT: url('job-done', '/$ID'),
    RUNPOD_WEBHOOK_POST_STREAM: url('job-stream', '/$ID'),
    RUNPOD_WEBHOOK_PING: url('ping'),
    RUNPOD_PING_INTERVAL: '10000',
    RUNPOD_POD_ID: workerId,
    RUNPOD_ENDPOINT_ID: endpointId,
    // Needed for heartbeats, and never looked at: the token in the address is what counts.
    RUNPOD_AI_API_KEY: 'local',
  };
}
