import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { resultsVariable, type TestCounts, type TestFailure, type TestResults } from '../test/support/reporter.ts';
import { repository } from './editor/build.ts';
import { startGroup } from './editor/processes.ts';

export type Counts = TestCounts;

/** A script of package.json that `npm test` runs, or a part of its tests. */
export interface Stage {
  /** Name of the script, unless `part` is set. */
  readonly name: string;
  /** The part of a script's tests that have a text in their names. */
  readonly part?: { readonly script: string; readonly text: string };
  /** Unit of the counts. `one` counts the stage as one test; `tests` counts its mocha tests. */
  readonly counts: 'one' | 'tests';
  /** Number of cores that the stage keeps busy. 0 if it mostly waits, so that it runs beside the other stages. */
  readonly cores: 0 | 1 | 2;
  /** Name of the stage that must succeed before this one starts. */
  readonly needs?: string;
}

export interface StageResult {
  readonly name: string;
  readonly counts: Counts;
  readonly failures: readonly TestFailure[];
  /** Output of the stage, followed by problems that `runStage` found. */
  readonly output: string;
  readonly seconds: number;
}

/** Time without output, in ms, after which a stage counts as hung. Parallel tests print their results one file at a time. */
const silenceMs = 10 * 60_000;

/** A forgotten `.only` would skip all other tests. */
const FORBID_ONLY = '--forbid-only';

/** Runs a stage and resolves with its result. The tests of the stage write their counts to `resultsFile`. */
export async function runStage(
  stage: Stage,
  resultsFile: string,
  environment: NodeJS.ProcessEnv,
): Promise<StageResult> {
  const { script, text } = stage.part ?? { script: stage.name };
  const options = [
    ...(stage.counts === 'tests' ? [FORBID_ONLY] : []),
    ...(text === undefined ? [] : ['--fgrep', text]),
  ];
  const start = performance.now();
  const lines: string[] = [];
  const started = startGroup('npm', ['run', '--silent', script, '--', ...options], {
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

  const results = stage.counts === 'tests' ? await readResults(resultsFile) : undefined;
  const counts = count(stage, code === 0 && left.length === 0, results, lines);
  return {
    ...{ name: stage.name, counts, failures: results?.failures ?? [], output: lines.join('\n') },
    seconds: (performance.now() - start) / 1000,
  };
}

function count(stage: Stage, succeeded: boolean, results: Counts | undefined, lines: string[]): Counts {
  if (stage.counts === 'one') {
    return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, skipped: 0 };
  }
  if (results === undefined || results.passed + results.failed + results.skipped === 0) {
    lines.push(`${stage.name} ran no tests.`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  // A stage can fail outside of its tests, even if all tests pass.
  const { passed, failed, skipped } = results;
  return { passed, failed: succeeded ? failed : Math.max(failed, 1), skipped };
}

async function readResults(file: string): Promise<TestResults | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as TestResults;
  } catch {
    return undefined;
  }
}
