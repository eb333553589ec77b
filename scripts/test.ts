// npm test: every stage in order, quiet when green and whole when red. The last line is "N passed, N failed" over all stages.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { builtVariable } from './editor/build.ts';
import { runStage, type Counts, type Stage } from './stage.ts';

const stages: readonly Stage[] = [
  { name: 'typecheck', counts: 'one' },
  { name: 'lint', counts: 'one' },
  { name: 'build', counts: 'one' },
  { name: 'test:unit', counts: 'tests' },
  { name: 'test:platform', counts: 'tests' },
  { name: 'test:fuzz', counts: 'tests' },
  { name: 'test:faults', counts: 'tests', needs: 'build' },
  { name: 'test:host', counts: 'tests', needs: 'build' },
  { name: 'test:e2e', counts: 'tests', needs: 'build' },
];

const total = { passed: 0, failed: 0, skipped: 0 };
const red = new Set<string>();
const temporary = await mkdtemp(path.join(tmpdir(), 'cloud-compute-test-'));
for (const stage of stages) {
  const start = performance.now();
  const { counts, output } = await result(stage);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (counts.failed > 0) {
    red.add(stage.name);
    console.log(output);
  }
  console.log(`${stage.name.padEnd(13)} ${`${seconds} s`.padStart(8)}  ${describe(counts)}`);
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}
await rm(temporary, { recursive: true, force: true });
if (total.skipped > 0) {
  console.log(`${total.skipped} skipped`);
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function result(stage: Stage): Promise<{ counts: Counts; output: string }> {
  if (stage.needs !== undefined && red.has(stage.needs)) {
    return {
      counts: { passed: 0, failed: 1, skipped: 0 },
      output: `${stage.name} was not run: ${stage.needs} failed.`,
    };
  }
  return runStage(stage, path.join(temporary, 'results.json'), { [builtVariable]: '1', CLOUD_COMPUTE_FAULTS: 'short' });
}

function describe({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
