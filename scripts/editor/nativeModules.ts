import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { canInstallDebianPackages, installDebianPackages } from './debian.ts';
import { npm } from './npm.ts';
import { onPath } from './onPath.ts';

/** Compiles the native modules of a package that was installed without its install scripts. */
export async function compileNativeModules(
  modules: readonly string[],
  folder: string,
  log: (line: string) => void,
): Promise<void> {
  await ensureCompiler(log);
  const headers = installedHeaders();
  await npm(
    'Compiling native modules (requires python3, make, and a C++ compiler)',
    ['rebuild', ...modules],
    folder,
    headers === undefined ? {} : { npm_config_nodedir: headers },
  );
}

async function ensureCompiler(log: (line: string) => void): Promise<void> {
  const missing = ['python3', 'make', 'g++'].filter((command) => onPath(command) === undefined);
  if (missing.length > 0 && canInstallDebianPackages()) {
    log(`Not found: ${missing.join(', ')}. Installing Debian's compiler packages.`);
    await installDebianPackages(['python3', 'make', 'g++'], log);
  }
}

/**
 * Returns the prefix of a Node installation that has headers, so that npm does not download them. The configuration of the user comes
 * first. Any version works, because the modules use only Node-API.
 */
function installedHeaders(): string | undefined {
  const configured = process.env['npm_config_nodedir'];
  if (configured !== undefined) {
    return configured;
  }
  const folders = [path.dirname(process.execPath), ...(process.env['PATH'] ?? '').split(path.delimiter)];
  return folders
    .map((folder) => path.join(folder, 'node'))
    .filter((node) => existsSync(node))
    .map((node) => path.join(path.dirname(realpathSync(node)), '..'))
    .find((prefix) => existsSync(path.join(prefix, 'include', 'node', 'node_api.h')));
}
