import path from 'node:path';
import process from 'node:process';
import { FIRST_SIGNAL_CODE } from './exitCodes.ts';
import { run } from './run.ts';

/* Entry point of the command line program. The build puts the platform next to it. */

const code = await run(process.argv.slice(2), {
  platformScript: path.join(import.meta.dirname, 'platform.js'),
  packageFile: path.join(import.meta.dirname, '../package.json'),
});
// Requests that an interruption has ended can still have timers.
if (code >= FIRST_SIGNAL_CODE) process.exit(code);
process.exitCode = code;
