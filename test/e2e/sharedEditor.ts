import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessInfo } from '../../scripts/editor/processTable.ts';
import { prepareProfile } from '../../scripts/editor/profile.ts';
import { isServerEdition } from '../../scripts/editor/serverEdition.ts';
import { createTemporaryFolder } from '../../scripts/editor/temporaryFolder.ts';
import {
  commands,
  editorSettings,
  leavePage,
  openWindow,
  startProgram,
  type Editor,
  type EditorOptions,
  type EditorProgram,
} from './harness.ts';

/** Maximum time, in ms, in which the processes of a window end after it. */
const GRACE_MS = 10_000;

/** Options of a window. Other options need an editor with its own profile, which `openEditor` starts. */
type WindowOptions = Pick<EditorOptions, 'workspaceFolder' | 'theme' | 'settings' | 'machineSettings' | 'language'>;

/**
 * The editor of the test files in this process, which open their windows one after another. It starts once, and keeps the compiled scripts
 * of the editor. It has no window between two files.
 */
let shared: Promise<EditorProgram> | undefined;

/**
 * Opens a window of the editor that test files share. Its `close` deletes all that the window stored. It rejects if a process of the
 * extension outlives the window.
 */
export async function openSharedEditor(options: WindowOptions): Promise<Editor> {
  // The editor outlives the files, which may leave no folder whose name starts with `cloud-compute-`.
  shared ??= startProgram({
    workspaceFolder: options.workspaceFolder,
    userDataDir: createTemporaryFolder('cc-editor-'),
  });
  try {
    const program = await shared;
    await prepareProfile(program.workbench.userDataDir, editorSettings(options), options.machineSettings);
    return await openWindow(program, options, () => closeWindow(program));
  } catch (error) {
    await stopShared();
    throw error;
  }
}

async function closeWindow(program: EditorProgram): Promise<void> {
  const { workbench, context } = program;
  const [page] = context.pages();
  // A new page, because scripts of a page run in each document that it loads.
  const next = await context.newPage();
  if (page !== undefined) {
    // A document that is not saved yet must not block the navigation.
    page.on('dialog', (dialog) => void dialog.accept());
    await leavePage(page);
    await page.close();
  }
  const left = await leftAfterGrace(program);
  const ofExtension = left.filter((one) => !isServerEdition(one));
  if (left.length > 0) await stopShared();
  if (ofExtension.length > 0) throw new Error(`These processes outlived the window:\n${commands(ofExtension)}`);
  if (left.length > 0) return;

  const browser = await context.newCDPSession(next);
  await browser.send('Storage.clearDataForOrigin', {
    origin: new URL(workbench.url).origin,
    // All but the cache of scripts, which makes the next window open sooner.
    storageTypes: 'cookies,local_storage,indexeddb,service_workers,cache_storage',
  });
  await browser.detach();
  await Promise.all(['User', 'Machine'].map((name) => emptied(path.join(workbench.userDataDir, name))));
}

/** Resolves once the extension host and all processes of the extension have ended, or with the remaining ones after `GRACE_MS`. */
async function leftAfterGrace({ workbench: { processes, userDataDir } }: EditorProgram): Promise<ProcessInfo[]> {
  const browser = path.join(userDataDir, 'browser');
  const isOfWindow = (one: ProcessInfo): boolean =>
    isServerEdition(one) ? one.command.includes('--type=extensionHost') : !one.command.includes(browser);
  const end = performance.now() + GRACE_MS;
  for (;;) {
    const left = processes.alive().filter(isOfWindow);
    if (left.length === 0 || performance.now() > end) return left;
    // Polls, because the system reports the exit of a process only to its parent.
    await delay(50);
  }
}

async function emptied(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(path.join(folder, name), { recursive: true, force: true });
}

async function stopShared(): Promise<void> {
  const program = await shared?.catch(() => undefined);
  shared = undefined;
  await program?.stop();
}

// A worker of Mocha does not know its last file. Its exit ends the editor, as it ends all processes of `startGroup`.
if (process.env['MOCHA_WORKER_ID'] === undefined) after(stopShared);
