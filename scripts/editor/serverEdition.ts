import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { cacheFolder } from './cacheFolder.ts';
import { withLock } from './lock.ts';
import { compileNativeModules } from './nativeModules.ts';
import { npm } from './npm.ts';
import type { ProcessInfo } from './processTable.ts';

/** The pinned server edition of VS Code: the npm package code-server, which packs VS Code 1.139.1. */
const version = '4.139.1';

/** What the workbench cannot do without: its log, its file watcher, the watch over its parent. */
const nativeModules = ['@vscode/spdlog', '@parcel/watcher', '@vscode/native-watchdog'];

export interface ServerEdition {
  /** Serves the workbench to people: sign-in, secrets and all. */
  readonly entry: string;
  /** VS Code's own server, which also runs tests inside the extension host. */
  readonly vscodeServer: string;
}

/**
 * The server edition of VS Code, installed on first use into the user's cache (about a minute, 600 MB) and found there
 * from then on. An interrupted installation leaves nothing that is taken for a whole one.
 */
export async function ensureServerEdition(log: (line: string) => void = () => undefined): Promise<ServerEdition> {
  if (process.platform === 'win32') {
    throw new Error(
      'The server edition of VS Code does not run on Windows. Install desktop VS Code with its "code" command, or work in WSL.',
    );
  }
  const target = path.join(cacheFolder(), `code-server-${version}`);
  if (!existsSync(target)) {
    const waiting = (): void => log(`Waiting for another process that installs the server edition in ${target}`);
    await withLock(`${target}.lock`, () => installUnlessThere(target, log), waiting);
  }
  const root = path.join(target, 'node_modules', 'code-server');
  return {
    entry: path.join(root, 'out', 'node', 'entry.js'),
    vscodeServer: path.join(root, 'lib', 'vscode', 'out', 'server-main.js'),
  };
}

/**
 * Whether a process is the editor itself rather than something an extension started. Its extension host gives extensions
 * some seconds to end and is killed now and then on a busy machine: that is nobody's fault.
 */
export function isServerEdition(one: ProcessInfo): boolean {
  return one.command.includes(path.join(cacheFolder(), 'code-server-'));
}

async function installUnlessThere(target: string, log: (line: string) => void): Promise<void> {
  if (existsSync(target)) {
    return; // Another process installed it while we waited.
  }
  const cache = path.dirname(target);
  await mkdir(cache, { recursive: true });
  // Nobody else installs while we hold the lock: what is unfinished was interrupted.
  const interrupted = (await readdir(cache)).filter((name) => name.startsWith(`${path.basename(target)}.unfinished-`));
  await Promise.all(interrupted.map((name) => rm(path.join(cache, name), { recursive: true, force: true })));
  const unfinished = await mkdtemp(`${target}.unfinished-`);
  log(`Installing the server edition of VS Code (code-server ${version}) in ${target}: once, about a minute.`);
  try {
    await install(unfinished, log);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(
      `The server edition of VS Code (npm package code-server@${version}) could not be installed. ` +
        'Check that npm can install packages here ("npm ping"), then try again.',
      { cause: error },
    );
  }
}

async function install(folder: string, log: (line: string) => void): Promise<void> {
  const timed = async (what: string, work: () => Promise<void>): Promise<void> => {
    const start = performance.now();
    await work();
    log(`  ${what}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
  };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, name: 'server-edition' }));
  // Install scripts are ignored: some of what they compile needs system headers, and none of that is needed here.
  await timed('the package', () =>
    npm('Fetching code-server', ['install', '--ignore-scripts', `code-server@${version}`], folder),
  );
  const vscode = path.join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
  await timed('what VS Code depends on', async () => {
    await npm('Fetching what VS Code depends on', ['install', '--omit=dev', '--ignore-scripts'], vscode);
    const extensions = path.join(vscode, 'extensions');
    await npm(
      'Fetching what the built-in extensions depend on',
      ['install', '--omit=dev', '--ignore-scripts'],
      extensions,
    );
  });
  await timed('native modules', () => compileNativeModules(nativeModules, vscode, log));
}
