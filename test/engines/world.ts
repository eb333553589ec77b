import type { EngineApi } from '../../src/machine/engine/engineApi.ts';
import { openEngine, type Engine } from '../../src/machine/engine/engine.ts';
import { findEngine } from '../../src/machine/engine/engineRoute.ts';
import { startDocker } from './docker.ts';
import type { EngineProcess } from './engineProcess.ts';
import { importNodeImage } from './images.ts';
import { installEngines } from './packages.ts';
import { startPodman } from './podman.ts';

type EngineName = Engine['name'];

/** A container engine for tests. It has `NODE_IMAGE`. */
export interface TestEngine {
  readonly name: EngineName;
  /** As in `DOCKER_HOST`. */
  readonly address: string;
  readonly api: EngineApi;
  /** Kills and starts the engine, while its containers run on. Undefined if the tests did not start the engine. */
  readonly power: Pick<EngineProcess, 'kill' | 'start'> | undefined;
}

/** An engine that a test can use once its hooks have run. */
export interface EngineUnderTest {
  readonly name: EngineName;
  /** Returns the running engine. Call it in hooks and tests. */
  readonly running: () => TestEngine;
}

/** If this variable is set, a missing engine is a failure. */
const REQUIRED = 'CLOUD_COMPUTE_REQUIRE_ENGINES';

/**
 * Defines the same tests for Docker and Podman. They run on the engine of `DOCKER_HOST`, or on engines that the tests start, which all files
 * share. Without an engine, the tests count as skipped.
 */
export function onEngines(define: (engine: EngineUnderTest) => void): void {
  for (const name of ['Docker', 'Podman'] as const) {
    describe(`on ${name}`, () => {
      let engine: TestEngine | undefined;
      before(async function () {
        this.timeout(5 * 60_000);
        const found = await engineFor(name);
        if (typeof found !== 'string') engine = found;
        else if (process.env[REQUIRED] && found !== OTHER) throw new Error(`${name} is required: ${found}`);
        else this.skip();
      });
      const running = (): TestEngine => {
        if (!engine) throw new Error(`${name} is not running yet`);
        return engine;
      };
      define({ name, running });
    });
  }
}

const OTHER = 'DOCKER_HOST is the address of another engine';

const engines = new Map<EngineName, Promise<TestEngine | string>>();
const started: EngineProcess[] = [];

/** Resolves with the engine, or with the reason for which there is none. */
function engineFor(name: EngineName): Promise<TestEngine | string> {
  const known = engines.get(name) ?? openFor(name);
  engines.set(name, known);
  return known;
}

async function openFor(name: EngineName): Promise<TestEngine | string> {
  const address = process.env['DOCKER_HOST'];
  if (address) return givenEngine(name, address);
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'engines can only be started on Linux as root';
  try {
    await installEngines();
  } catch (error) {
    return String(error);
  }
  const own = name === 'Docker' ? await startDocker() : await startPodman();
  started.push(own);
  await importNodeImage(own.api);
  return { name, address: `unix://${own.site.socket}`, api: own.api, power: own };
}

async function givenEngine(name: EngineName, address: string): Promise<TestEngine | string> {
  const route = await findEngine(address, { environment: process.env, home: '/', platform: process.platform });
  if (!route) return 'DOCKER_HOST is empty';
  const engine = await openEngine(route);
  if (engine.name !== name) return OTHER;
  await importNodeImage(engine.api);
  return { name, address, api: engine.api, power: undefined };
}

after(async function () {
  // Deletes the images and containers of the engines, which can be gigabytes.
  this.timeout(5 * 60_000);
  await Promise.all(started.map((engine) => engine.down()));
});
