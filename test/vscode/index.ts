import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import Reporter, { resultsVariable } from '../support/reporter.ts';
import { withSourceLines } from './sourceLines.ts';
import { testLine } from './testLine.ts';

/** What the editor calls inside its extension host: runs every test file beside this one, as bundled. */
export async function run(): Promise<void> {
  process.setSourceMapsEnabled(true);
  // The console of the extension host carries much else. What is ours is marked, and the runner shows only that.
  Mocha.reporters.Base.consoleLog = (...args: unknown[]): void => {
    for (const line of format(...args).split('\n')) {
      console.log(testLine(line)); // eslint-disable-line no-console -- the only way out of here
    }
  };
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 20_000,
    reporter: Reporter,
    forbidOnly: process.env['CI'] !== undefined || process.env[resultsVariable] !== undefined,
  });
  for (const file of await readdir(import.meta.dirname)) {
    if (file.endsWith('.test.js')) {
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
