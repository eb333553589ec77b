// Runs the tests of this directory in the extension host of a real VS Code. Uses the desktop edition if it is available, otherwise the
// server edition. VSCODE_EXECUTABLE sets the path of a desktop edition. Arguments are the names of the test files to run, such as `logs`.
// `--vscode=oldest` is the same as VSCODE_VERSION=oldest.
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { runTests } from '@vscode/test-electron';
import { build, repository } from '../../scripts/editor/build.ts';
import { temporaryFolderVariables, leftoverFiles } from '../../scripts/editor/temporaryFolder.ts';
import { requestedVersion } from '../../scripts/editor/vscodeVersion.ts';
import { bundleTests } from './bundle.ts';
import { desktopExecutable } from './desktop.ts';
import { openFiles } from './openFiles.ts';

const log = (line: string): void => void process.stdout.write(`${line}\n`);

const version = process.argv.map((argument) => /^--vscode=(.+)$/.exec(argument)?.[1]).find((one) => one !== undefined);
if (version !== undefined) process.env['VSCODE_VERSION'] = version;

await build();
const extensionTestsPath = await bundleTests(
  import.meta.dirname,
  // Two versions can run at the same time.
  path.join(repository, 'dist', 'test', requestedVersion()),
  // Other arguments are options of Mocha, which the entry point sets.
  process.argv.slice(2).filter((argument) => !argument.startsWith('-')),
);
const desktop = await desktopExecutable();
if ('none' in desktop) {
  log(
    `Testing in the server edition of VS Code ${requestedVersion()}. The desktop edition is not available: ${desktop.none}.`,
  );
}

const temporary = await mkdtemp(path.join(tmpdir(), 'cc-host-'));
try {
  await runTests({
    vscodeExecutablePath: 'none' in desktop ? path.join(import.meta.dirname, 'serverEdition.ts') : desktop.executable,
    extensionDevelopmentPath: repository,
    extensionTestsPath,
    launchArgs: [
      await workspaceIn(temporary),
      `--user-data-dir=${path.join(temporary, 'data')}`,
      `--extensions-dir=${path.join(temporary, 'extensions')}`,
      '--disable-extensions',
    ],
    extensionTestsEnv: {
      ...temporaryFolderVariables(temporary),
      // serverEdition.ts finds Node.js through PATH and must run on this version.
      PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH'] ?? ''}`,
    },
  });
  const left = await leftoverFiles(temporary);
  if (left.length > 0) {
    throw new Error(`The tests left temporary folders behind: ${left.join(', ')}`);
  }
  const open = await openFiles(path.join(temporary, 'data'));
  if (open.length > 0) {
    throw new Error(`Other users can open files in the extension's storage: ${open.join(', ')}`);
  }
} catch (error) {
  log(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
}

/** Copies the sample workspace to a folder, because tests can change it. */
async function workspaceIn(folder: string): Promise<string> {
  const workspace = path.join(folder, 'workspace');
  const sample = path.join(repository, 'samples', 'hello-queue');
  await mkdir(workspace);
  if (existsSync(sample)) {
    await cp(sample, workspace, { recursive: true });
  }
  return workspace;
}
