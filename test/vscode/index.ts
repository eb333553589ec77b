import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import Reporter, { resultsVariable } from '../support/reporter.ts';
import { withSourceLines } from './sourceLines.ts';
import { testLine } from './testLine.ts';

/** Entry point that the editor calls in its extension host. Runs all bundled test files in this directory. */
export async function run(): Promise<void> {
  process.setSourceMapsEnabled(true);
  // The extension host logs other messages too, so the runner shows only lines with a marker.
  Mocha.reporters.Base.consoleLog = (...args: unknown[]): void => {
    for (const line of format(...args).split('\n')) {
      console.log(testLine(line)); // oxlint-disable-line no-console -- the only output channel of the extension host
    }
  };
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 240_000,
    reporter: Reporter,
    forbidOnly: process.env['CI'] !== undefined || process.env[resultsVariable] !== undefined,
  });
  for (const file of await readdir(import.meta.dirname)) {
    if (file.endsWith('.test.mjs')) {
      mocha.addFile(path.join(import.meta.dirname, file));
    }
  }
  await mocha.loadFilesAsync();
  const failures = await new Promise<number>((resolve) => {
    mocha.run(resolve).on('fail', (_test, error: Error) => {
      error.stack = withSourceLines(error.stack ?? error.message);
    });
  });
  if (failures > 0) {
    throw new Error(`${failures} tests failed`);
  }
}
