import path from 'node:path';
import process from 'node:process';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import type { Job } from '../../src/contract/job.ts';
import { isTerminal } from '../../src/contract/job.ts';
import { build } from '../../scripts/editor/build.ts';
import { launch } from '../platform/launch.ts';
import { Api, eventually, repository } from '../platform/support.ts';
import { completeLines } from '../support/completeLines.ts';

/*
 * Support for tests that inject faults into the built platform, with real worker processes, on the loopback interface. `npm run test:faults`
 * runs the long form. `npm test` runs the same tests with smaller numbers.
 */

export const long = process.env['CLOUD_COMPUTE_FAULTS'] !== 'short';

/** Returns the first number in the long form of the tests, and the second in the short form. */
export const scaled = (inLong: number, inShort: number): number => (long ? inLong : inShort);

const KILLS = process.env['CLOUD_COMPUTE_KILLS'] ?? '';

/** Returns the number of kills of a test: that of CLOUD_COMPUTE_KILLS, or the one of the long or the short form. */
export const kills = (inLong: number, inShort: number): number =>
  KILLS === '' ? scaled(inLong, inShort) : Number(KILLS);

/** Prints what a test with kills has counted, if CLOUD_COMPUTE_KILLS is set. */
export function printCounts(name: string, counts: Readonly<Record<string, number>>): void {
  if (KILLS === '') return;
  const texts = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  process.stdout.write(`${name}: ${texts.join(', ')}\n`);
}

/** Starts the built platform as a separate process. @param nodeArgs arguments for Node, before the platform's own */
export async function launchBuilt(
  args: readonly string[],
  nodeArgs: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  await build();
  const process = launch(args, { main: path.join(repository, 'dist/platform.js'), nodeArgs, env });
  return { ...process, api: async () => new Api(await process.announcement()) };
}

/** Returns the body of an endpoint whose worker records its actions in a file. Its jobs control it: see fixtures/worker.mjs. */
export function faultyEndpoint(
  effects: string,
  changes: Partial<CreateEndpointBody> = {},
): Partial<CreateEndpointBody> {
  return {
    image: `process:${path.join(import.meta.dirname, 'fixtures')}`,
    cmd: [process.execPath, 'worker.mjs'],
    env: { EFFECTS: effects },
    workers: { min: 1, max: 1 },
    ...changes,
  };
}

export interface Effects {
  readonly pids: readonly number[];
  /** Number of acknowledged results, by job. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** IDs of executions, by job. */
  readonly executed: ReadonlyMap<string, readonly string[]>;
}

/** Reads the actions that all worker processes recorded. */
export async function readEffects(file: string): Promise<Effects> {
  const pids: number[] = [];
  const acknowledged = new Map<string, number>();
  const executed = new Map<string, string[]>();
  for (const line of await completeLines(file)) {
    const [what, subject = '', detail = ''] = line.split(' ');
    if (what === 'started') pids.push(Number(subject));
    if (what === 'acknowledged') acknowledged.set(subject, (acknowledged.get(subject) ?? 0) + 1);
    if (what === 'executed') executed.set(subject, [...(executed.get(subject) ?? []), detail]);
  }
  return { pids, acknowledged, executed };
}

/** Number of jobs that were executed more than once. */
export function repeatedIn(executed: Effects['executed']): number {
  return [...executed.values()].filter((executions) => executions.length > 1).length;
}

/** Waits until the job has a terminal status. */
export async function ended(api: Api, endpoint: Endpoint, jobId: string, withinMs = 20_000): Promise<Job> {
  return eventually(
    `job ${jobId} has ended`,
    async () => {
      const job = await api.job(endpoint, jobId);
      return isTerminal(job.status) && job;
    },
    withinMs,
  );
}
