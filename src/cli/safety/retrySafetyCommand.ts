import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { counted } from '../../agents/model/boundedOutput.ts';
import { keyRemover } from '../../account/withoutKeys.ts';
import { plainLine } from '../../features/jobs/actions/workerLogSince.ts';
import { UnresolvedReferencesError } from '../../features/manifest/actions/resolveBody.ts';
import { checkRetrySafety, type SafetyResult } from '../../features/safety/actions/checkRetrySafety.ts';
import { findSafetyTargets, type SafetyTarget } from '../../features/safety/actions/findTargets.ts';
import { allDifferences, pointId, pointWords } from '../../features/safety/model/breakPoint.ts';
import { UserError } from '../../kit/userError.ts';
import { EnvironmentValues } from '../connection/environmentValues.ts';
import { localFiles } from '../localFiles.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { junitReporter } from '../tests/report/junit.ts';
import type { TestResult } from '../tests/report/result.ts';
import { tapReporter } from '../tests/report/tap.ts';

export interface RetrySafetyFlags {
  /** Path of a manifest or a folder. */
  readonly manifest: string;
  /** Pattern of the job files. Undefined: all. */
  readonly jobs?: string | undefined;
  /** ID of the only point. Undefined: all. */
  readonly point?: string | undefined;
  readonly reporter: 'tap' | 'junit';
  /** File of the report. Undefined: standard output. */
  readonly output?: string | undefined;
  /** Maximum time of a disturbed run, in ms. */
  readonly limitMs?: number | undefined;
}

/** Checks the retry safety of manifests, and writes the report. @throws CannotRunError if nothing could be checked */
export async function retrySafetyCommand(flags: RetrySafetyFlags, surroundings: Surroundings): Promise<number> {
  const { tell, write, signal } = surroundings;
  try {
    const { folder, targets } = await targetsOf(flags, signal);
    const results: TestResult[] = [];
    for (const target of targets) results.push(...(await checkTarget(target, folder, flags, surroundings)));
    if (results.length === 0) throw new UserError(`no run has the point ${flags.point ?? ''}`);
    const reporter = flags.reporter === 'tap' ? tapReporter() : junitReporter();
    const text = [reporter.begin(results.length), ...results.map((one) => reporter.test(one)), reporter.end(undefined)];
    if (flags.output === undefined) write(text.join(''));
    else await writeFile(flags.output, text.join(''));
    const count = (outcome: TestResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
    tell(
      `${counted(results.length, 'run')}: ${count('passed')} safe, ${count('failed')} unsafe, ${count('error')} could not be checked`,
    );
    if (count('failed') > 0) return EXIT_CODES.failed;
    return count('error') > 0 ? EXIT_CODES.cannotTest : EXIT_CODES.done;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UserError) throw new CannotRunError(error.message, EXIT_CODES.cannotTest);
    if (error instanceof UnresolvedReferencesError) {
      const names = [...new Set(error.references.map(({ name }) => name))].join(', ');
      throw new CannotRunError(
        `env has references without a value; set the environment variables ${names}`,
        EXIT_CODES.cannotTest,
      );
    }
    throw error;
  }
}

/** Returns the manifests that have jobs. @throws UserError if there are none */
async function targetsOf({ manifest, jobs }: RetrySafetyFlags, signal: AbortSignal) {
  const given = path.resolve(manifest);
  const found = await stat(given).catch(() => undefined);
  if (!found) throw new UserError(`${manifest} does not exist`);
  const folder = found.isDirectory() ? given : path.dirname(given);
  const targets = await findSafetyTargets({
    ...{ tree: localFiles, folder, signal },
    ...(!found.isDirectory() && { wantsManifest: (name: string) => name === path.basename(given) }),
    ...(jobs !== undefined && {
      wantsJob: (name: string) => path.matchesGlob(jobs.includes('/') ? name : path.posix.basename(name), jobs),
    }),
  });
  const used = targets.filter((target) => target.jobs.length > 0);
  if (used.length > 0) return { folder, targets: used };
  throw new UserError(
    targets.length === 0
      ? `${manifest} has no manifest (*.endpoint.yaml)`
      : `no job file (*.job.json)${jobs === undefined ? '' : ` that matches ${jobs}`} belongs to the manifest`,
  );
}

async function checkTarget(
  { part, place, name, jobs }: SafetyTarget<string>,
  folder: string,
  { point, limitMs }: RetrySafetyFlags,
  { environment, platformScript, tell, signal }: Surroundings,
): Promise<TestResult[]> {
  const values = new EnvironmentValues(environment);
  // Calls, lines, and errors of a worker can contain the values of its environment.
  const hide = (text: string) => keyRemover(values.used)(text);
  const results: TestResult[] = [];
  const manifest = path.resolve(folder, place);
  const shownManifest = path.relative('', manifest);
  await checkRetrySafety({
    ...{ part, jobs, values, environment, platformScript, limitMs, signal },
    folder: path.dirname(manifest),
    ...(point !== undefined && { wants: (_, one) => pointId(one) === point }),
    onEvent: (event) => {
      if (event.kind === 'note') tell(plainLine(hide(`${event.job.path}: ${event.text}`)));
      if (event.kind === 'planned') tell(`${event.job.path}: ${counted(event.points.length, 'point')}`);
      if (event.kind === 'ended')
        results.push(
          testResult(point === undefined ? event.result : { ...event.result, smallest: false }, {
            name,
            manifest: shownManifest,
            hide,
          }),
        );
      if (event.kind === 'failed')
        results.push({
          ...{ path: event.job.path, endpoint: name, outcome: 'error', reason: hide(event.reason) },
          ...{ durationMs: 0, mismatches: [], log: [] },
        });
    },
  });
  return results;
}

const OUTCOMES = { safe: 'passed', unsafe: 'failed', notReached: 'passed', error: 'error' } as const;

function testResult(
  result: SafetyResult,
  {
    name: endpoint,
    manifest,
    hide,
  }: { readonly name: string; readonly manifest: string; readonly hide: (text: string) => string },
): TestResult {
  const { job, point, outcome, differences, message, smallest, durationMs } = result;
  return {
    path: hide(`${job.path}: ${pointWords(point)}`),
    endpoint,
    outcome: OUTCOMES[outcome],
    ...(outcome === 'notReached' && { skipped: 'the run did not reach the point' }),
    ...(message !== '' && { reason: hide(message) }),
    durationMs,
    mismatches: [],
    log:
      outcome === 'unsafe'
        ? [
            ...(smallest ? ['This is the smallest reproduction of this job.'] : []),
            ...allDifferences(differences).map(hide),
            `Run it again: cloud-compute retry-safety ${manifest} --jobs ${path.posix.basename(job.path)} --point ${pointId(point)}`,
          ]
        : [],
  };
}
