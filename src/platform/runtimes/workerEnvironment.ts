import { ROUTE_ENVIRONMENT } from '../../contract/route.ts';
import type { SystemLine } from '../../contract/systemLines.ts';
import type { RunLabels, RunSpec, WorkerProtocol, WorkerServer } from './runSpec.ts';

/*
 * Compatibility: the environment variables that worker SDKs of the hosted service read (facts, worker protocol, sections 0 and 1).
 * The only file that has their names, save for the sample worker, which reads them.
 */

/**
 * The environment of a worker, whatever runs it: defaults, then what the endpoint sets, then what the platform sets.
 *
 * @param listensOn the port that the worker is to use for one of its specification; default: the same
 */
export function workerEnvironment(
  spec: Pick<RunSpec, 'labels' | 'protocol' | 'server' | 'env'>,
  listensOn: (port: number) => number = (port) => port,
): Record<string, string> {
  const { labels, protocol, server, env } = spec;
  const own = server ? serverEnvironment(labels, server, listensOn) : protocolEnvironment(labels, protocol);
  return { ...DEFAULTS, ...env, ...own };
}

/** A load-balanced worker takes no jobs: it gets its ports, and who it is. */
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

function protocolEnvironment(
  { endpointId, workerId }: RunLabels,
  { url: workerUrl, token }: WorkerProtocol,
): Record<string, string> {
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
