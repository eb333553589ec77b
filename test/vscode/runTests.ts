// Runs the suite of this folder inside the extension host of a real VS Code: the desktop edition where it can be had,
// the server edition everywhere else. VSCODE_EXECUTABLE names a desktop edition to use.
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { runTests } from '@vscode/test-electron';
import { build, repository } from '../../scripts/editor/build.ts';
import { asTemporary, leftIn } from '../../scripts/editor/temporaryFolder.ts';
import { bundleTests } from './bundle.ts';
import { desktopExecutable } from './desktop.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

await build();
const extensionTestsPath = await bundleTests(import.meta.dirname, path.join(repository, 'dist', 'test'));
const desktop = await desktopExecutable();
if ('none' in desktop) {
  say(`Testing in the server edition of VS Code: the desktop edition cannot be had here, ${desktop.none}.`);
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
      ...asTemporary(temporary),
      // serverEdition.ts is an executable that asks the environment for its Node: it must be this one.
      PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH'] ?? ''}`,
    },
  });
  const left = await leftIn(temporary);
  if (left.length > 0) {
    throw new Error(`The tests left temporary folders behind: ${left.join(', ')}`);
  }
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
}

/** A copy of the sample workspace, which tests may change. */
async function workspaceIn(folder: string): Promise<string> {
  const workspace = path.join(folder, 'workspace');
  const sample = path.join(repository, 'samples', 'hello-queue');
  await mkdir(workspace);
  if (existsSync(sample)) {
    await cp(sample, workspace, { recursive: true });
  }
  return workspace;
}
