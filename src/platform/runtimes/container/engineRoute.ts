import { StartError } from '../runtime.ts';
import type { EngineConnection } from '../engineApi.ts';
import { connectionTo, type TlsFiles } from './engineAddress.ts';
import { currentContext, dockerContext, type ContextEndpoint } from './dockerContext.ts';
import { defaultSocket } from './defaultSockets.ts';
import { configurationDirectory, variable, type MachineContext } from './machineContext.ts';

/** The way to a container engine, and how it was found. */
export interface EngineRoute {
  readonly connection: EngineConnection;
  /** As in `DOCKER_HOST`, such as `unix:///var/run/docker.sock`. Contains no secrets. */
  readonly address: string;
  readonly source: RouteSource;
  /** Host name of the engine's machine if it is another one; undefined for this machine. */
  readonly remoteHost: string | undefined;
}

/** The origin of an address, for display. */
export type RouteSource =
  | { readonly kind: 'setting' }
  | { readonly kind: 'variable'; readonly name: 'DOCKER_HOST' }
  /** A context of Docker's command line. */
  | { readonly kind: 'context'; readonly name: string }
  /** A socket at its usual place. */
  | { readonly kind: 'default' };

/**
 * Finds the container engine in the order of Docker's command line: the setting, `DOCKER_HOST`, `DOCKER_CONTEXT`, the current context, and
 * the usual sockets of Docker and Podman.
 *
 * @param choice an address like `DOCKER_HOST`, or the name of a Docker context; undefined to search
 * @returns undefined if there is no engine
 * @throws StartError if an address or context is invalid
 */
export async function findEngine(
  choice: string | undefined,
  machine: MachineContext,
): Promise<EngineRoute | undefined> {
  if (choice !== undefined && choice !== '') {
    if (choice.includes('://')) return routeTo({ host: choice, tls: variableTls(machine) }, { kind: 'setting' });
    return contextRoute(choice, machine);
  }
  const host = variable(machine, 'DOCKER_HOST');
  if (host !== undefined)
    return routeTo({ host, tls: variableTls(machine) }, { kind: 'variable', name: 'DOCKER_HOST' });
  const context = variable(machine, 'DOCKER_CONTEXT') ?? (await currentContext(machine));
  if (context && context !== DEFAULT_CONTEXT) return contextRoute(context, machine);
  return defaultRoute(machine);
}

/** Describes the source, as a phrase such as "Docker context desktop-linux". */
export function sourceWords(source: RouteSource): string {
  switch (source.kind) {
    case 'setting':
      return 'the setting';
    case 'variable':
      return `the variable ${source.name}`;
    case 'context':
      return `the Docker context ${source.name}`;
    case 'default':
      return 'its usual socket';
  }
}

/** Name of the context that is not stored. */
const DEFAULT_CONTEXT = 'default';

async function contextRoute(name: string, machine: MachineContext): Promise<EngineRoute | undefined> {
  if (name === DEFAULT_CONTEXT) return defaultRoute(machine);
  return routeTo(await dockerContext(name, machine), { kind: 'context', name });
}

async function defaultRoute(machine: MachineContext): Promise<EngineRoute | undefined> {
  const host = await defaultSocket(machine);
  return host === undefined ? undefined : routeTo({ host, tls: undefined }, { kind: 'default' });
}

async function routeTo({ host, tls }: ContextEndpoint, source: RouteSource): Promise<EngineRoute> {
  const found = await connectionTo(host, tls);
  if (typeof found === 'string') {
    throw new StartError(`the address of the container engine from ${sourceWords(source)} is invalid: ${found}`, {
      problem: 'engineMissing',
    });
  }
  return { ...found, source };
}

/** Returns the certificates that the environment selects, or undefined for a connection without TLS. */
function variableTls(machine: MachineContext): TlsFiles | undefined {
  const verify = variable(machine, 'DOCKER_TLS_VERIFY') !== undefined;
  if (!verify && variable(machine, 'DOCKER_TLS') === undefined) return undefined;
  return { directory: variable(machine, 'DOCKER_CERT_PATH') ?? configurationDirectory(machine), verify };
}
