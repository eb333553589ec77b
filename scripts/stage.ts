import { readFile, rm } from 'node:fs/promises';
import process from 'node:process';
import { resultsVariable, type TestCounts, type TestResults } from '../test/support/reporter.ts';
import { repository } from './editor/build.ts';
import { startGroup } from './editor/processes.ts';

export type Counts = TestCounts;

/** A script of package.json that `npm test` runs. */
export interface Stage {
  readonly name: string;
  /** Unit of the counts. `one` counts the stage as one test; `tests` counts its mocha tests. */
  readonly counts: 'one' | 'tests';
  /** Number of cores that the stage keeps busy. */
  readonly cores: 1 | 2;
  /** Name of the stage that must succeed before this one starts. */
  readonly needs?: string;
  /**
   * Returns the command that runs the test files with failures a second time, alone. Omitted if there is no second attempt. Only for tests
   * that share the two cores with an editor and a browser, or with a container engine.
   *
   * @param files absolute paths, as Mocha reports them
   */
  readonly secondAttempt?: (files: readonly string[]) => readonly string[];
}

export interface StageResult {
  readonly name: string;
  readonly counts: Counts;
  /** Output of the stage, followed by problems that `runStage` found. */
  readonly output: string;
  readonly seconds: number;
  /** Number of test files that ran a second time. */
  readonly repeated?: number;
}

/** Time without output, in ms, after which a stage counts as hung. Parallel tests print their results one file at a time. */
const silenceMs = 10 * 60_000;

/** A forgotten `.only` would skip all other tests. */
export const FORBID_ONLY = '--forbid-only';

/** Runs a stage and resolves with its result. The tests of the stage write their counts to `resultsFile`. */
export async function runStage(
  stage: Stage,
  resultsFile: string,
  environment: NodeJS.ProcessEnv,
): Promise<StageResult> {
  const only = stage.counts === 'tests' ? ['--', FORBID_ONLY] : [];
  const first = await attempt(stage, ['npm', 'run', '--silent', stage.name, ...only], resultsFile, environment);
  if (!stage.secondAttempt || first.counts.failed === 0) return first;
  const failed = await readResults(resultsFile);
  const files = Object.keys(failed?.failedFiles ?? {});
  if (!failed || files.length === 0 || files.includes('')) return first;
  const second = await attempt(stage, stage.secondAttempt(files), resultsFile, environment);
  return {
    name: stage.name,
    counts: withSecondAttempt(failed, second.counts),
    output: `${first.output}\n\nSecond attempt of the files with failures:\n${second.output}`,
    seconds: first.seconds + second.seconds,
    repeated: files.length,
  };
}

/** Replaces the counts of the files with failures by those of their second attempt. */
export function withSecondAttempt(first: TestResults, second: TestCounts): TestCounts {
  const replaced = Object.values(first.failedFiles);
  const total = (name: keyof TestCounts) =>
    first[name] - replaced.reduce((sum, counts) => sum + counts[name], 0) + second[name];
  return { passed: total('passed'), failed: total('failed'), skipped: total('skipped') };
}

async function attempt(
  stage: Stage,
  [program = '', ...args]: readonly string[],
  resultsFile: string,
  environment: NodeJS.ProcessEnv,
): Promise<StageResult> {
  const start = performance.now();
  await rm(resultsFile, { force: true });
  const lines: string[] = [];
  const started = startGroup(program, args, {
    cwd: repository,
    env: { ...process.env, ...environment, [resultsVariable]: resultsFile },
    onLine: (line) => {
      lines.push(line);
      silence.refresh();
    },
  });
  const silence = setTimeout(() => {
    lines.push(`${stage.name} printed nothing for ${silenceMs / 60_000} minutes and was stopped.`);
    void started.stop();
  }, silenceMs);
  const code = await started.exited;
  clearTimeout(silence);
  // A stage that leaves processes running fails, even if its tests pass.
  const left = await started.leftBehind();
  await started.stop();
  for (const one of left) {
    lines.push(`${stage.name} left a process running: ${one.pid} ${one.command}`);
  }

  const counts = await count(stage, code === 0 && left.length === 0, resultsFile, lines);
  return { name: stage.name, counts, output: lines.join('\n'), seconds: (performance.now() - start) / 1000 };
}

async function count(stage: Stage, succeeded: boolean, resultsFile: string, lines: string[]): Promise<Counts> {
  if (stage.counts === 'one') {
    return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, skipped: 0 };
  }
  const counts = await readResults(resultsFile);
  if (counts === undefined || counts.passed + counts.failed === 0) {
    lines.push(`${stage.name} ran no tests.`);
    return { passed: 0, failed: 1, skipped: counts?.skipped ?? 0 };
  }
  // A stage can fail outside of its tests, even if all tests pass.
  const { passed, failed, skipped } = counts;
  return { passed, failed: succeeded ? failed : Math.max(failed, 1), skipped };
}

async function readResults(file: string): Promise<TestResults | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as TestResults;
  } catch {
    return undefined;
  }
}
