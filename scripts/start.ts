// npm start: builds, then opens VS Code with the extension and a workspace, until Ctrl-C.
import { existsSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { findBrowser } from './editor/browser.ts';
import { build, repository } from './editor/build.ts';
import { desktopCommand } from './editor/desktop.ts';
import { startDesktop } from './editor/startDesktop.ts';
import { isFree } from './editor/freePort.ts';
import type { ProcessGroup } from './editor/processes.ts';
import { isServerEdition } from './editor/serverEdition.ts';
import { endWithUs } from './editor/shutdown.ts';
import { startWorkbench } from './editor/workbench.ts';
import { help, readStartOptions, UsageError, type StartOptions } from './startOptions.ts';

/** Ignored by git: the profiles of the editors started here, and in them what the extension stored. */
const local = path.join(repository, '.local');

async function main(): Promise<void> {
  const options = readStartOptions(process.argv.slice(2), path.join(repository, 'samples', 'hello-queue'));
  if (options === 'help') {
    console.log(help);
    return;
  }
  if (!existsSync(options.workspace) || !statSync(options.workspace).isDirectory()) {
    throw new UsageError(`There is no folder ${options.workspace}. Name another with --workspace.`);
  }
  const code = options.browserOnly ? undefined : desktopCommand();
  if (code === undefined && !(await isFree(options.port))) {
    throw new UsageError(
      `Port ${options.port} of 127.0.0.1 is taken, perhaps by another "npm start". End that, or name another with --port.`,
    );
  }

  const start = performance.now();
  await build();
  console.log(`Built in ${((performance.now() - start) / 1000).toFixed(1)} s.`);
  const editor = code === undefined ? await openServerEdition(options) : await openDesktop(code, options);
  await endedBySomebody(editor);
}

async function openDesktop(code: string, options: StartOptions): Promise<ProcessGroup> {
  const userDataDir = await profile('desktop', options.fresh);
  const editor = await startDesktop(code, repository, options.workspace, userDataDir);
  console.log('VS Code opens with Cloud Compute. Ctrl-C here or closing its window ends it.');
  return editor;
}

async function openServerEdition(options: StartOptions): Promise<ProcessGroup> {
  const userDataDir = await profile('server', options.fresh);
  const { url, processes } = await startWorkbench({
    folder: options.workspace,
    // Linked, so that what "npm run watch" builds is there after "Developer: Reload Window".
    extension: { repository, how: 'link' },
    port: options.port,
    userDataDir,
    log: console.log,
  });
  console.log(`\nVS Code with Cloud Compute is ready. Open it in a browser:\n\n    ${url}\n`);
  if (options.fresh) {
    console.log('A browser that was here before still remembers the layout of its windows.');
  }
  if (findBrowser() === undefined) {
    console.log('No Chrome or Chromium was found on this machine: use another browser.');
  }
  console.log('Ctrl-C ends it.');
  return processes;
}

async function profile(edition: string, fresh: boolean): Promise<string> {
  const folder = path.join(local, edition);
  if (fresh) {
    await rm(folder, { recursive: true, force: true });
    console.log(
      `Threw away ${path.relative(process.cwd(), folder)}: settings, and what the extension and its local platform stored.`,
    );
  }
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Waits until the editor ends by itself, and sees to it that nothing it started stays; on Ctrl-C too. */
async function endedBySomebody(editor: ProcessGroup): Promise<void> {
  const stop = async (): Promise<void> => {
    const { killed } = await editor.stop();
    for (const one of killed.filter((some) => !isServerEdition(some))) {
      console.log(`Had to be killed: ${one.pid} ${one.command}`);
    }
    console.log('Everything that was started has ended.');
  };
  // While we are asked to end, the exit of the editor is no news.
  const asked = new Promise<'asked'>((resolve) => {
    endWithUs({ stop: () => (resolve('asked'), stop()), kill: () => undefined });
  });
  const code = await Promise.race([asked, editor.exited]);
  if (code === 'asked') {
    return;
  }
  await stop();
  if (code !== 0) {
    throw new Error(`The editor ended by itself (${code}):\n${editor.lastLines()}`);
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? describe(error) : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

function describe(error: Error): string {
  return error.cause instanceof Error ? `${error.message}\n${error.cause.message}` : error.message;
}
