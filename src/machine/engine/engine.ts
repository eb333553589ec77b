import { EngineApi, type EngineRequest } from './engineApi.ts';
import type { EngineRoute } from './engineRoute.ts';

/** A container engine that has answered. */
export interface Engine {
  readonly route: EngineRoute;
  readonly api: EngineApi;
  readonly name: 'Docker' | 'Podman';
  /** Such as `27.3.1`. */
  readonly version: string;
  /** Architecture of its machine, such as `amd64`; empty if it does not report one. */
  readonly architecture: string;
  /** Prefix of the paths of its API, such as `/v1.41`. */
  readonly prefix: string;
}

/** Version of the API that this client is written for. Docker 20.10 and Podman 4 are the oldest engines with it. */
const API_VERSION = '1.41';

/** Limit for the first answer, in ms. An SSH connection takes the longest. */
const ANSWER_TIMEOUT_MS = 30_000;

/** The parts of `GET /version` that both engines send. */
interface VersionAnswer {
  readonly Version: string;
  readonly MinAPIVersion?: string;
  readonly Arch?: string;
  readonly Components?: readonly { readonly Name: string; readonly Version: string }[];
}

const PODMAN = 'Podman Engine';

/** Asks the engine for its name and version. @throws EngineError; the signal's reason */
export async function openEngine(route: EngineRoute, signal?: AbortSignal): Promise<Engine> {
  const api = new EngineApi(route.connection);
  const request: EngineRequest = { path: '/version', signal, timeoutMs: ANSWER_TIMEOUT_MS };
  const {
    Version: version,
    MinAPIVersion: oldest,
    Arch: architecture = '',
    Components: components = [],
  } = await api.json<VersionAnswer>(request);
  const isPodman = components.some(({ Name: name }) => name === PODMAN);
  const apiVersion = oldest !== undefined && isNewer(oldest, API_VERSION) ? oldest : API_VERSION;
  return { route, api, name: isPodman ? 'Podman' : 'Docker', version, architecture, prefix: `/v${apiVersion}` };
}

function isNewer(first: string, second: string): boolean {
  const [a = 0, b = 0] = first.split('.').map(Number);
  const [c = 0, d = 0] = second.split('.').map(Number);
  return a > c || (a === c && b > d);
}
