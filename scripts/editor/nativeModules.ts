import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { canInstallDebianPackages, installDebianPackages } from './debian.ts';
import { npm } from './npm.ts';
import { onPath } from './onPath.ts';

/** Compiles native modules of an installed package, which was installed without running install scripts. */
export async function compileNativeModules(
  modules: readonly string[],
  folder: string,
  log: (line: string) => void,
): Promise<void> {
  await ensureCompiler(log);
  const headers = installedHeaders();
  await npm(
    'Compiling native modules (needs python3, make and a C++ compiler)',
    ['rebuild', ...modules],
    folder,
    headers === undefined ? {} : { npm_config_nodedir: headers },
  );
}

async function ensureCompiler(log: (line: string) => void): Promise<void> {
  const missing = ['python3', 'make', 'g++'].filter((command) => onPath(command) === undefined);
  if (missing.length > 0 && canInstallDebianPackages()) {
    log(`No ${missing.join(', ')} here: installing Debian's packages for compiling.`);
    await installDebianPackages(['python3', 'make', 'g++'], log);
  }
}

/**
 * The prefix of a Node installed with its headers, so that they need not be fetched. Any Node's will do: these modules
 * use Node-API only, which is the same for every version. What the user configured goes first.
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
