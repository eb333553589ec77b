// npm start: builds the extension and opens VS Code with it. Ctrl-C ends VS Code.
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
import { registerCleanup } from './editor/shutdown.ts';
import { startWorkbench } from './editor/workbench.ts';
import { help, readStartOptions, UsageError, type StartOptions } from './startOptions.ts';

/** Folder of the editor profiles, which contain the storage of the extension. Git ignores it. */
const local = path.join(repository, '.local');

async function main(): Promise<void> {
  const options = readStartOptions(process.argv.slice(2), path.join(repository, 'samples', 'hello-queue'));
  if (options === 'help') {
    console.log(help);
    return;
  }
  if (!existsSync(options.workspace) || !statSync(options.workspace).isDirectory()) {
    throw new UsageError(`The folder ${options.workspace} does not exist. Specify another one with --workspace.`);
  }
  const code = options.browserOnly ? undefined : desktopCommand();
  if (code === undefined && !(await isFree(options.port))) {
    throw new UsageError(
      `Port ${options.port} of 127.0.0.1 is in use, perhaps by another "npm start". Specify another port with --port.`,
    );
  }

  const start = performance.now();
  await build();
  console.log(`Built in ${((performance.now() - start) / 1000).toFixed(1)} s.`);
  const editor = code === undefined ? await openServerEdition(options) : await openDesktop(code, options);
  await waitForExit(editor);
}

async function openDesktop(code: string, options: StartOptions): Promise<ProcessGroup> {
  const userDataDir = await profile('desktop', options.fresh);
  const editor = await startDesktop(code, repository, options.workspace, userDataDir);
  console.log('VS Code is opening with Cloud Compute. To end it, press Ctrl-C or close its window.');
  return editor;
}

async function openServerEdition(options: StartOptions): Promise<ProcessGroup> {
  const userDataDir = await profile('server', options.fresh);
  const { url, processes } = await startWorkbench({
    folder: options.workspace,
    // With a link, "Developer: Reload Window" loads the builds of "npm run watch".
    extension: { repository, how: 'link' },
    welcome: true,
    port: options.port,
    userDataDir,
    log: console.log,
  });
  console.log(`\nVS Code with Cloud Compute is ready. Open it in a browser:\n\n    ${url}\n`);
  if (options.fresh) {
    console.log('A browser that opened this address before still has its stored layout.');
  }
  if (findBrowser() === undefined) {
    console.log('Chrome and Chromium were not found on this machine. Use another browser.');
  }
  console.log('Press Ctrl-C to end VS Code.');
  return processes;
}

async function profile(edition: string, fresh: boolean): Promise<string> {
  const folder = path.join(local, edition);
  if (fresh) {
    await rm(folder, { recursive: true, force: true });
    console.log(
      `Deleted ${path.relative(process.cwd(), folder)} with its settings and the data of the extension and its local platform.`,
    );
  }
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Waits until the editor exits or Ctrl-C is pressed, then stops all processes that the editor started. */
async function waitForExit(editor: ProcessGroup): Promise<void> {
  const stop = async (): Promise<void> => {
    const { killed } = await editor.stop();
    for (const one of killed.filter((some) => !isServerEdition(some))) {
      console.log(`Killed: ${one.pid} ${one.command}`);
    }
    console.log('All started processes have exited.');
  };
  // After Ctrl-C, the exit of the editor is not an error.
  const interrupted = new Promise<'interrupted'>((resolve) => {
    registerCleanup({ stop: () => (resolve('interrupted'), stop()), kill: () => undefined });
  });
  const code = await Promise.race([interrupted, editor.exited]);
  if (code === 'interrupted') {
    return;
  }
  await stop();
  if (code !== 0) {
    throw new Error(`The editor exited (${code}):\n${editor.lastLines()}`);
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
