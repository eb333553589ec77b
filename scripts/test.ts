// npm test and npm run check: runs all stages, or those with the names in the arguments, on two cores. Prints the results in the order of
// the stages, with the output of failed stages only, and repeats the failed tests at the end. The last line is "N passed, N failed" over
// all stages.
import path from 'node:path';
import process from 'node:process';
import { builtVariable } from './editor/build.ts';
import { compileCache } from './editor/compileCache.ts';
import { temporaryFolderVariables, createTemporaryFolder } from './editor/temporaryFolder.ts';
import { schedule } from './schedule.ts';
import { runStage, type Counts, type Stage, type StageResult } from './stage.ts';

// The extension host takes the longest of the stages that need one core, so it starts first, and the others run beside it.
const allStages: readonly Stage[] = [
  { name: 'typecheck', counts: 'one', cores: 1 },
  { name: 'build', counts: 'one', cores: 1 },
  // Each engine has its own process, because the tests mostly wait for it.
  {
    name: 'test:docker',
    part: { script: 'test:engines', text: 'on Docker ' },
    counts: 'tests',
    cores: 0,
    needs: 'build',
  },
  {
    name: 'test:podman',
    part: { script: 'test:engines', text: 'on Podman ' },
    counts: 'tests',
    cores: 0,
    needs: 'build',
  },
  { name: 'test:host', counts: 'tests', cores: 1, needs: 'build' },
  { name: 'lint:rules', counts: 'one', cores: 1 },
  { name: 'lint:format', counts: 'one', cores: 1 },
  { name: 'lint:imports', counts: 'one', cores: 1 },
  { name: 'test:fuzz', counts: 'tests', cores: 1 },
  { name: 'test:faults', counts: 'tests', cores: 1, needs: 'build' },
  { name: 'test:oldest', counts: 'tests', cores: 1, needs: 'build' },
  { name: 'test:unit', counts: 'tests', cores: 2, needs: 'build' },
  { name: 'test:platform', counts: 'tests', cores: 2, needs: 'build' },
  { name: 'test:e2e', counts: 'tests', cores: 2, needs: 'build' },
];
const names = process.argv.slice(2);
const stages = names.length === 0 ? allStages : allStages.filter(({ name }) => names.includes(name));
if (names.length > 0 && stages.length !== names.length)
  throw new Error(`Some of these are no stages: ${names.join(', ')}`);
/** Whether the tests use the build of a stage instead of their own. */
const isBuilt = stages.some(({ name }) => name === 'build');
/** Number of cores to use. It is the same on every machine, so that tests always run under the same load. */
const cores = 2;

const total = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
const temporary = createTemporaryFolder('cloud-compute-');
const results = schedule(
  stages.map((stage) => ({ ...stage, run: (needed?: StageResult) => result(stage, needed) })),
  cores,
);
for (const ended of results) {
  const stage = await ended;
  const { name, counts, output, seconds } = stage;
  if (counts.failed > 0) {
    console.log(output);
  }
  console.log(`${name.padEnd(13)} ${`${seconds.toFixed(1)} s`.padStart(8)}  ${describe(counts)}`);
  failures.push(...failuresOf(stage));
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}
if (failures.length > 0) {
  console.log(`\nFailed:\n\n${failures.join('\n\n')}\n`);
}
if (total.skipped > 0) {
  console.log(`${total.skipped} skipped`);
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function result(stage: Stage, needed?: StageResult): Promise<StageResult> {
  if (needed !== undefined && needed.counts.failed > 0) {
    const output = `${stage.name} did not run, because ${stage.needs} failed.`;
    return { name: stage.name, counts: { passed: 0, failed: 1, skipped: 0 }, failures: [], output, seconds: 0 };
  }
  const resultsFile = path.join(temporary, `${stage.name.replace(':', '-')}.json`);
  return runStage(stage, resultsFile, {
    // The compiler and the rules about types are Go programs. With up to 3 GB of memory, they collect less garbage.
    ...(stage.counts === 'tests' ? temporaryFolderVariables(temporary) : { GOGC: '400' }),
    NODE_COMPILE_CACHE: compileCache,
    ...(isBuilt && { [builtVariable]: '1' }),
    CLOUD_COMPUTE_FAULTS: 'short',
    // The fixed seed, unless the environment sets another one.
    CLOUD_COMPUTE_SEED: process.env['CLOUD_COMPUTE_SEED'] ?? '',
  });
}

/** Returns a text for each failed test of a stage, or the end of its output if it failed outside of its tests. */
function failuresOf({ name, counts, failures, output }: StageResult): string[] {
  if (counts.failed > 0 && failures.length === 0) return [`${name}\n${output.split('\n').slice(-20).join('\n')}`];
  return failures.map(({ title, reason }) => `${name}: ${title}\n${reason}`);
}

function describe({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
