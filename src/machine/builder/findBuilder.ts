import os from 'node:os';
import { openEngine, type Engine } from '../engine/engine.ts';
import { EngineError } from '../engine/engineApi.ts';
import { EngineAddressError, findEngine, type EngineRoute } from '../engine/engineRoute.ts';
import { runProgram } from './runProgram.ts';

/* The program that builds images on the container engine of the user. */

/**
 * - `buildx`: BuildKit, through the plugin of Docker's command line.
 * - `docker`: `docker build` without that plugin.
 * - `podman`: `podman build`.
 */
export type BuilderKind = 'buildx' | 'docker' | 'podman';

export interface Builder {
  readonly kind: BuilderKind;
  /** Name of the program. */
  readonly program: 'docker' | 'podman';
  /** Arguments that select the engine. They come before the command. */
  readonly globals: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly engine: Engine;
  /** Whether it reports its progress as JSON. */
  readonly reportsJson: boolean;
}

/** The reason why no builder can be used. */
export type NoBuilder =
  | { readonly code: 'engineMissing' }
  /** The address or the context is invalid. The reason contains the remedy. */
  | { readonly code: 'engineInvalid'; readonly reason: string }
  | { readonly code: 'engineUnreachable'; readonly address: string; readonly reason: string }
  /** The engine is there, but not the program that builds on it. */
  | { readonly code: 'programMissing'; readonly engine: Engine['name'] };

export interface BuilderSearch {
  /** An address like `DOCKER_HOST`, or the name of a Docker context. Undefined to search like the local platform. */
  readonly engine?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Finds the container engine as the local platform does, and the program that builds on it. @throws the signal's reason */
export async function findBuilder(search: BuilderSearch): Promise<Builder | NoBuilder> {
  const { environment, signal } = search;
  const machine = { environment, home: environment['HOME'] ?? os.homedir(), platform: process.platform };
  let route: EngineRoute | undefined;
  try {
    route = await findEngine(search.engine, machine);
  } catch (error) {
    if (error instanceof EngineAddressError) return { code: 'engineInvalid', reason: error.message };
    throw error;
  }
  if (!route) return { code: 'engineMissing' };
  try {
    return await builderOn(await openEngine(route, signal), environment, signal);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { code: 'engineUnreachable', address: route.address, reason: error.message };
  }
}

async function builderOn(
  engine: Engine,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Builder | NoBuilder> {
  const output = async (file: string, ...args: string[]): Promise<string | undefined> => {
    const lines: string[] = [];
    const end = await runProgram({ file, args, environment, onLine: (line) => lines.push(line), signal });
    signal.throwIfAborted();
    return end.kind === 'exited' && end.code === 0 ? lines.join('\n') : undefined;
  };
  const builder = (kind: BuilderKind, more: Partial<Builder> = {}): Builder => {
    const program = kind === 'podman' ? 'podman' : 'docker';
    const globals = program === 'podman' ? ['--url', engine.route.address] : dockerGlobals(engine.route);
    return { kind, program, globals, environment, engine, reportsJson: false, ...more };
  };
  if (engine.name === 'Podman' && (await output('podman', '--version')) !== undefined) return builder('podman');
  if ((await output('docker', '--version')) === undefined) return { code: 'programMissing', engine: engine.name };
  // Podman has the API of Docker, but not that of BuildKit.
  if (engine.name === 'Podman') return builder('docker', { environment: { ...environment, DOCKER_BUILDKIT: '0' } });
  const buildx = await output('docker', 'buildx', 'version');
  return buildx === undefined ? builder('docker') : builder('buildx', { reportsJson: hasJsonProgress(buildx) });
}

function dockerGlobals({ source, address }: EngineRoute): readonly string[] {
  switch (source.kind) {
    case 'context':
      return ['--context', source.name];
    case 'variable':
      // The program reads the variable itself, with those of its certificates.
      return [];
    case 'setting':
    case 'default':
      return ['--host', address];
  }
}

/** Returns whether a version of buildx has `--progress=rawjson`, which 0.13 introduced. */
function hasJsonProgress(version: string): boolean {
  const [, major = 0, minor = 0] = (/\bv?(\d+)\.(\d+)\./.exec(version) ?? []).map(Number);
  return major > 0 || minor >= 13;
}
