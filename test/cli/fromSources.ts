import path from 'node:path';
import process from 'node:process';
import { FIRST_SIGNAL_CODE } from '../../src/cli/program/exitCodes.ts';
import { run } from '../../src/cli/run.ts';

/* The command line program with the platform's sources. Like src/cli/main.ts, which needs the build. */

const code = await run(process.argv.slice(2), {
  platformScript: path.join(import.meta.dirname, '../../src/platform/daemon/main.ts'),
  simulationScript: path.join(import.meta.dirname, '../../src/platform/simulation/main.ts'),
  packageFile: path.join(import.meta.dirname, '../../package.json'),
});
if (code >= FIRST_SIGNAL_CODE) process.exit(code);
process.exitCode = code;
