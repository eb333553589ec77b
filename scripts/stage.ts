import { readFile, rm } from 'node:fs/promises';
import process from 'node:process';
import { resultsVariable, type TestCounts } from '../test/support/reporter.ts';
import { repository } from './editor/build.ts';
import { startGroup } from './editor/processes.ts';

export type Counts = TestCounts;

/** A script of package.json that `npm test` runs. */
export interface Stage {
  readonly name: string;
  /** `one`: the stage itself passes or fails. `tests`: each of its mocha tests does. */
  readonly counts: 'one' | 'tests';
  /** How many cores it keeps busy. */
  readonly cores: 1 | 2;
  /** The stage without which this one cannot succeed. */
  readonly needs?: string;
}

export interface StageResult {
  readonly name: string;
  readonly counts: Counts;
  /** All that the stage printed, and what was wrong with it besides. */
  readonly output: string;
  readonly seconds: number;
}

/** No stage is silent for so long; one that is hangs. Parallel tests are reported a file at a time. */
const silenceMs = 10 * 60_000;

/** Runs a stage to its end and counts. `resultsFile` is where its tests are to leave their counts. */
export async function runStage(
  stage: Stage,
  resultsFile: string,
  environment: NodeJS.ProcessEnv,
): Promise<StageResult> {
  const start = performance.now();
  await rm(resultsFile, { force: true });
  const lines: string[] = [];
  // A forgotten `.only` would make the rest of the tests pass by not running them.
  const only = stage.counts === 'tests' ? ['--', '--forbid-only'] : [];
  const started = startGroup('npm', ['run', '--silent', stage.name, ...only], {
    cwd: repository,
    env: { ...process.env, ...environment, [resultsVariable]: resultsFile },
    onLine: (line) => {
      lines.push(line);
      silence.refresh();
    },
  });
  const silence = setTimeout(() => {
    lines.push(
      `${stage.name} said nothing for ${silenceMs / 60_000} minutes and was stopped: something keeps it waiting.`,
    );
    void started.stop();
  }, silenceMs);
  const code = await started.exited;
  clearTimeout(silence);
  // A stage that succeeded leaves nothing running: what it left is a fault of its own.
  const left = started.alive();
  await started.stop();
  for (const one of left) {
    lines.push(`${stage.name} left a process behind: ${one.pid} ${one.command}`);
  }

  const counts = await count(stage, code === 0 && left.length === 0, resultsFile, lines);
  return { name: stage.name, counts, output: lines.join('\n'), seconds: (performance.now() - start) / 1000 };
}

async function count(stage: Stage, succeeded: boolean, resultsFile: string, lines: string[]): Promise<Counts> {
  if (stage.counts === 'one') {
    return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, skipped: 0 };
  }
  const counts = await readCounts(resultsFile);
  if (counts === undefined || counts.passed + counts.failed === 0) {
    lines.push(`${stage.name} ran no test.`);
    return { passed: 0, failed: 1, skipped: counts?.skipped ?? 0 };
  }
  // Tests can all pass and the stage still fail: something outside of every test went wrong.
  return { ...counts, failed: succeeded ? counts.failed : Math.max(counts.failed, 1) };
}

async function readCounts(file: string): Promise<Counts | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Counts;
  } catch {
    return undefined;
  }
}
