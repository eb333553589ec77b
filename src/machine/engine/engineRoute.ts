import type { EngineConnection } from './engineApi.ts';
import { connectionTo, type TlsFiles } from './engineAddress.ts';
import net from 'node:net';
import path from 'node:path';
import { stat, readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import * as z from 'zod';

/** The way to a container engine, and how it was found. */
export interface EngineRoute {
  readonly connection: EngineConnection;
  /** As in `DOCKER_HOST`, such as `unix:///var/run/docker.sock`. Contains no secrets. */
  readonly address: string;
  readonly source: RouteSource;
  /** Host name of the engine's machine if it is another one; undefined for this machine. */
  readonly remoteHost: string | undefined;
}

/** The address or context of the container engine is invalid. The message has the remedy. */
export class EngineAddressError extends Error {
  override readonly name = 'EngineAddressError';
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
 * @throws EngineAddressError
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
    throw new EngineAddressError(
      `the address of the container engine from ${sourceWords(source)} is invalid: ${found}`,
    );
  }
  return { ...found, source };
}

/** Returns the certificates that the environment selects, or undefined for a connection without TLS. */
function variableTls(machine: MachineContext): TlsFiles | undefined {
  const verify = variable(machine, 'DOCKER_TLS_VERIFY') !== undefined;
  if (!verify && variable(machine, 'DOCKER_TLS') === undefined) return undefined;
  return { directory: variable(machine, 'DOCKER_CERT_PATH') ?? configurationDirectory(machine), verify };
}

/** The parts of this machine that select the container engine. */
export interface MachineContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Home directory of the user. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** Returns the value of a variable. An empty value counts as unset, as in Docker's command line. */
function variable({ environment }: MachineContext, name: string): string | undefined {
  return environment[name] === '' ? undefined : environment[name];
}

/** Returns the directory of Docker's configuration. */
function configurationDirectory(machine: MachineContext): string {
  return variable(machine, 'DOCKER_CONFIG') ?? path.join(machine.home, '.docker');
}

/**
 * Resolves with the address of the first usual socket that accepts connections. If none does, resolves with the first one that exists, so
 * that the reason can be reported. Resolves with undefined if none exists.
 */
async function defaultSocket(machine: MachineContext): Promise<string | undefined> {
  const candidates = usualSockets(machine);
  const existing: string[] = [];
  for (const socket of candidates) {
    if (machine.platform !== 'win32' && !(await isSocket(socket))) continue;
    if (await accepts(socket)) return addressOf(socket, machine);
    if (machine.platform !== 'win32') existing.push(socket);
  }
  return existing[0] === undefined ? undefined : addressOf(existing[0], machine);
}

/** Returns the sockets of Docker, of its desktop distributions, and of Podman, first choice first. */
export function usualSockets(machine: MachineContext): string[] {
  const { home, platform } = machine;
  if (platform === 'win32') return ['//./pipe/docker_engine', '//./pipe/podman-machine-default'];
  const run = variable(machine, 'XDG_RUNTIME_DIR');
  const inHome = (...parts: string[]): string => path.posix.join(home, ...parts);
  return [
    '/var/run/docker.sock',
    ...(run !== undefined ? [`${run}/docker.sock`] : []),
    inHome('.docker', 'run', 'docker.sock'),
    inHome('.orbstack', 'run', 'docker.sock'),
    inHome('.colima', 'default', 'docker.sock'),
    inHome('.rd', 'docker.sock'),
    '/run/podman/podman.sock',
    ...(run !== undefined ? [`${run}/podman/podman.sock`] : []),
    inHome('.local', 'share', 'containers', 'podman', 'machine', 'podman.sock'),
  ];
}

function addressOf(socket: string, { platform }: MachineContext): string {
  return `${platform === 'win32' ? 'npipe' : 'unix'}://${socket}`;
}

async function isSocket(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isSocket(),
    () => false,
  );
}

async function accepts(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/* The contexts of Docker's command line, which keeps each in a directory named after the hash of its name. */

interface ContextEndpoint {
  /** As in `DOCKER_HOST`. */
  readonly host: string;
  readonly tls: TlsFiles | undefined;
}

const Configuration = z.object({ currentContext: z.string().optional() });
const Context = z.object({
  Endpoints: z.object({ docker: z.object({ Host: z.string(), SkipTLSVerify: z.boolean().optional() }) }),
});

/** Resolves with the name of the context in Docker's configuration; undefined if there is none. @throws EngineAddressError */
async function currentContext(machine: MachineContext): Promise<string | undefined> {
  const file = path.join(configurationDirectory(machine), 'config.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parsed(Configuration, text, file).currentContext;
}

/** @throws EngineAddressError if there is no context with this name, or it cannot be read */
async function dockerContext(name: string, machine: MachineContext): Promise<ContextEndpoint> {
  const contexts = path.join(configurationDirectory(machine), 'contexts');
  const id = createHash('sha256').update(name).digest('hex');
  const file = path.join(contexts, 'meta', id, 'meta.json');
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new EngineAddressError(
      `there is no Docker context ${name}. Select one that "docker context ls" shows, or set the address of the engine.`,
      { cause },
    );
  });
  const { Host: host, SkipTLSVerify: skip = false } = parsed(Context, text, file).Endpoints.docker;
  const directory = path.join(contexts, 'tls', id, 'docker');
  const hasTls = await stat(directory).then(
    () => true,
    () => skip,
  );
  return { host, tls: hasTls ? { directory, verify: !skip } : undefined };
}

function parsed<T>(schema: z.ZodType<T>, text: string, file: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new EngineAddressError(
      `Docker's file ${file} cannot be read. Correct it, or set the address of the engine.`,
      { cause },
    );
  }
}
