import { ROUTE_ENVIRONMENT } from '../../contract/route.ts';
import { NODE_OPTIONS } from '../domain/debugCommand.ts';
import { importProfile } from '../domain/importTimes.ts';
import type { SystemLine } from '../../contract/systemLines.ts';
import type { RunLabels, RunSpec, WorkerProtocol, WorkerServer } from './runSpec.ts';

/*
 * Compatibility: environment variables that worker SDKs of the hosted service read. Only this file and the sample worker contain their
 * names.
 */

/** Module of the public Python SDK. It reads its variables when it is imported. */
export const SDK_MODULE = 'runpod';

interface WorkerEnvironmentOptions {
  readonly listensOn?: (port: number) => number;
  readonly sendsToken?: boolean;
}

/**
 * Returns the environment of a worker on any runtime. Variables of the endpoint override defaults, and variables of the platform override
 * both.
 *
 * @param options.listensOn maps a port of the specification to the port that the worker must use; default: the same port
 * @param options.sendsToken whether the worker sends its token as the key of the SDK, so that its addresses contain no secret. By default, they
 * contain it, because the SDK prefers the key in the configuration of its user, which processes of this machine find.
 */
export function workerEnvironment(
  spec: Pick<RunSpec, 'labels' | 'protocol' | 'server' | 'env' | 'profilesImports'>,
  { listensOn = (port) => port, sendsToken = false }: WorkerEnvironmentOptions = {},
): Record<string, string> {
  const { labels, protocol, server, env, profilesImports } = spec;
  const own = server ? serverEnvironment(labels, server, listensOn) : protocolEnvironment(labels, protocol, sendsToken);
  return { ...DEFAULTS, ...env, ...(profilesImports && importProfile(env[NODE_OPTIONS])), ...own };
}

/** Returns the names of the variables that differ between the runs of an endpoint. */
export function variablesOfRun({
  labels,
  protocol,
  server,
}: Pick<RunSpec, 'labels' | 'protocol' | 'server'>): string[] {
  return Object.keys(
    server ? serverEnvironment(labels, server, (port) => port) : protocolEnvironment(labels, protocol, false),
  );
}

/** Returns the variables of a load-balanced worker: its ports and IDs. Such a worker takes no jobs. */
function serverEnvironment(
  { endpointId, workerId }: RunLabels,
  { port, healthPort, healthPath }: WorkerServer,
  listensOn: (port: number) => number,
) {
  return {
    [ROUTE_ENVIRONMENT.port.name]: String(listensOn(port)),
    [ROUTE_ENVIRONMENT.healthPort.name]: String(listensOn(healthPort)),
    [ROUTE_ENVIRONMENT.healthPath.name]: healthPath,
    RUNPOD_POD_ID: workerId,
    RUNPOD_ENDPOINT_ID: endpointId,
  };
}

/**
 * Files that the public Python SDK leaves in its working directory. Versions 1.7.11 to 1.10.0 store the list of running jobs there and read
 * it at startup. After a process was killed, the next one would count its job as running and never request another.
 * A worker in a new container does not find such a file. The platform deletes the file before it starts a process.
 */
export const STATE_FILES: readonly string[] = ['.runpod_jobs.pkl'];

const AGENT = /^RunPod-Python-SDK\/(\d+)\.(\d+)\.(\d+)/;

/**
 * Returns a warning about the SDK with this user agent if the endpoint may have several workers. Local workers share a directory. With the
 * SDK versions above, they also share the list of running jobs, and stop taking jobs.
 */
export function sharedStateWarning(userAgent: string, maxWorkers: number): SystemLine | undefined {
  const [, ...version] = (AGENT.exec(userAgent) ?? []).map(Number);
  const [major = 0, minor = 0, patch = 0] = version;
  const rank = (major * 1_000 + minor) * 1_000 + patch;
  if (maxWorkers < 2 || rank < 1_007_011 || rank > 1_010_000) return undefined;
  return { kind: 'sharedState', version: version.join('.') };
}

/**
 * Variables that the env of an endpoint can override. The startup checks of the SDK are off, because they end a worker on a laptop that is
 * offline or has a nearly full disk. They check memory, free disk space, and the connection to a public name server.
 * Python buffers output that does not go to a terminal, and a crash loses the buffer. Unbuffered output keeps the last lines.
 */
const DEFAULTS = {
  RUNPOD_SKIP_AUTO_SYSTEM_CHECKS: 'true',
  RUNPOD_SKIP_GPU_CHECK: 'true',
  RUNPOD_SKIP_FITNESS_CHECKS: 'true',
  PYTHONUNBUFFERED: '1',
};

function protocolEnvironment(
  { endpointId, workerId }: RunLabels,
  { url: workerUrl, token }: WorkerProtocol,
  sendsToken: boolean,
): Record<string, string> {
  // SDKs append parameters with "&", so every URL already contains a "?". They replace `$ID` with the ID of the job.
  const query = sendsToken ? '?gpu=none' : `?gpu=none&t=${token}`;
  const url = (action: string, rest = ''): string => `${workerUrl}/${endpointId}/${action}/${workerId}${rest}${query}`;
  return {
    RUNPOD_WEBHOOK_GET_JOB: url('job-take'),
    RUNPOD_WEBHOOK_POST_OUTPUT: url('job-done', '/$ID'),
    RUNPOD_WEBHOOK_POST_STREAM: url('job-stream', '/$ID'),
    RUNPOD_WEBHOOK_PING: url('ping'),
    RUNPOD_PING_INTERVAL: '10000',
    RUNPOD_POD_ID: workerId,
    RUNPOD_ENDPOINT_ID: endpointId,
    // SDKs send it with each request, and require one for heartbeats.
    RUNPOD_AI_API_KEY: sendsToken ? token : 'local',
  };
}
