import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { cacheFolder } from './cacheFolder.ts';
import { replaceGitDependencies } from './gitDependencies.ts';
import { withLock } from './lock.ts';
import { compileNativeModules } from './nativeModules.ts';
import { npm } from './npm.ts';
import type { ProcessInfo } from './processTable.ts';
import { requestedVersion } from './vscodeVersion.ts';

/** Native modules that the workbench requires: its log, its file watcher, and its parent process watchdog, which has two names. */
const nativeModules = ['@vscode/spdlog', '@parcel/watcher', '@vscode/native-watchdog', 'native-watchdog'];

export interface ServerEdition {
  /** Executable of the Node.js that this version of VS Code requires. */
  readonly node: string;
  /** Script that serves the complete workbench, including sign-in and secrets. */
  readonly entry: string;
  /** Script of VS Code's own server, which also runs tests in the extension host. */
  readonly vscodeServer: string;
}

/**
 * Resolves with the server edition of VS Code, in the version that `VSCODE_VERSION` selects. Installs it into the user's cache on first
 * use, which takes about a minute and 600 MB. An interrupted installation is discarded.
 */
export async function ensureServerEdition(log: (line: string) => void = () => undefined): Promise<ServerEdition> {
  // The npm package code-server has version 4.x.y for VS Code 1.x.y.
  const version = requestedVersion().replace(/^1\./, '4.');
  if (process.platform === 'win32') {
    throw new Error(
      'The server edition of VS Code does not run on Windows. Install desktop VS Code with its "code" command, or work in WSL.',
    );
  }
  const target = path.join(cacheFolder(), `code-server-${version}`);
  if (!existsSync(target)) {
    const logWait = (): void => log(`Waiting for another process that is installing the server edition in ${target}`);
    await withLock(`${target}.lock`, () => installIfMissing(target, version, log), logWait);
  }
  const root = path.join(target, 'node_modules', 'code-server');
  const ownNode = installedNode(target);
  return {
    node: existsSync(ownNode) ? ownNode : process.execPath,
    entry: path.join(root, 'out', 'node', 'entry.js'),
    vscodeServer: path.join(root, 'lib', 'vscode', 'out', 'server-main.js'),
  };
}

/**
 * Returns whether a process belongs to the editor, and was not started by an extension. On a busy machine, the extension host can be
 * killed because it gives extensions a few seconds to deactivate. That is not a defect of the extension.
 */
export function isServerEdition(one: ProcessInfo): boolean {
  return one.command.includes(path.join(cacheFolder(), 'code-server-'));
}

async function installIfMissing(target: string, version: string, log: (line: string) => void): Promise<void> {
  if (existsSync(target)) {
    return; // Another process installed it in the meantime.
  }
  const cache = path.dirname(target);
  await mkdir(cache, { recursive: true });
  // No other process installs while this one holds the lock, so unfinished installations were interrupted.
  const interrupted = (await readdir(cache)).filter((name) => name.startsWith(`${path.basename(target)}.unfinished-`));
  await Promise.all(interrupted.map((name) => rm(path.join(cache, name), { recursive: true, force: true })));
  const unfinished = await mkdtemp(`${target}.unfinished-`);
  log(
    `Installing the server edition of VS Code (code-server ${version}) in ${target}. This is done once and takes about a minute.`,
  );
  try {
    await install(unfinished, version, log);
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

async function install(folder: string, version: string, log: (line: string) => void): Promise<void> {
  const timed = async (what: string, work: () => Promise<void>): Promise<void> => {
    const start = performance.now();
    await work();
    log(`  ${what}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
  };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, name: 'server-edition' }));
  // Ignores install scripts, because some compile optional modules that require system headers.
  await timed('package', () =>
    npm('Installing code-server', ['install', '--ignore-scripts', `code-server@${version}`], folder),
  );
  const codeServer = path.join(folder, 'node_modules', 'code-server');
  const vscode = path.join(codeServer, 'lib', 'vscode');
  const { engines } = JSON.parse(await readFile(path.join(codeServer, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  if (engines.node !== String(process.versions.node.split('.')[0])) {
    await timed(`Node.js ${engines.node}`, () => installNode(engines.node, folder));
  }
  await timed('dependencies', async () => {
    await replaceGitDependencies(vscode);
    await npm('Installing the dependencies of VS Code', ['install', '--omit=dev', '--ignore-scripts'], vscode);
    const extensions = path.join(vscode, 'extensions');
    await npm(
      'Installing the dependencies of the built-in extensions',
      ['install', '--omit=dev', '--ignore-scripts'],
      extensions,
    );
  });
  const ripgrep = path.join(vscode, 'node_modules', '@vscode', 'ripgrep');
  if (existsSync(ripgrep)) await timed('ripgrep', () => installRipgrep(folder, ripgrep));
  const native = nativeModules.filter((name) => existsSync(path.join(vscode, 'node_modules', name)));
  await timed('native modules', () => compileNativeModules(native, vscode, log));
}

/** Returns the path of a Node.js that was installed with a server edition, because that edition requires another version than this one. */
function installedNode(target: string): string {
  return path.join(target, 'node', 'node_modules', '.bin', 'node');
}

/** Installs Node.js from the npm package for this machine, whose executable the npm package node would link. */
async function installNode(version: string, target: string): Promise<void> {
  const folder = path.join(target, 'node');
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  await mkdir(folder);
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, name: 'node-of-server-edition' }));
  const name = `${prefix}-${process.platform}-${process.arch}@${version}`;
  await npm(`Installing Node.js ${version}`, ['install', '--ignore-scripts', name], folder);
}

/** Links the program for searches, which older versions download from GitHub in an install script. */
async function installRipgrep(target: string, wanted: string): Promise<void> {
  const folder = path.join(target, 'ripgrep');
  await mkdir(folder);
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ private: true, name: 'ripgrep-of-server-edition' }),
  );
  const name = '@vscode/ripgrep-universal';
  await npm('Installing ripgrep', ['install', '--ignore-scripts', `${name}@1.18.0`], folder);
  const binary = path.join('node_modules', name, 'bin', `${process.platform}-${process.arch}`, 'rg');
  const bin = path.join(wanted, 'bin');
  await mkdir(bin, { recursive: true });
  // A relative link, because the folder is renamed once the installation is complete.
  await symlink(path.relative(bin, path.join(folder, binary)), path.join(bin, 'rg'));
}
