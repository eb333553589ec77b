#!/usr/bin/env node
import path from 'node:path';
import process from 'node:process';
import { NODE_REMEDY, unsupportedNode } from '../machine/nodeVersion.ts';
import { EXIT_CODES, FIRST_SIGNAL_CODE } from './program/exitCodes.ts';

/* Entry point of the command line program. The build puts the platform next to it. */

const problem = unsupportedNode();
if (problem === undefined) {
  const { run } = await import('./run.ts');
  const code = await run(process.argv.slice(2), {
    platformScript: path.join(import.meta.dirname, 'platform.js'),
    simulationScript: path.join(import.meta.dirname, 'simulation.js'),
    packageFile: path.join(import.meta.dirname, '../package.json'),
  });
  // Requests that an interruption has ended can still have timers.
  if (code >= FIRST_SIGNAL_CODE) process.exit(code);
  process.exitCode = code;
} else {
  process.stderr.write(`${problem}: ${NODE_REMEDY}.\n`);
  process.exitCode = EXIT_CODES.unavailable;
}
