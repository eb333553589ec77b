import path from 'node:path';
import process from 'node:process';
import { execa } from 'execa';
import { chromium } from 'playwright-core';
import { canInstallDebianPackages, installDebianPackages } from './debian.ts';
import { isExecutable, onPath } from './onPath.ts';

const commands = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser', 'chrome'];

/** Flags for an automated browser. They disable background requests, and the sandbox, which does not work for root. */
export const browserFlags: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // In containers, /dev/shm is often too small.
  '--disable-dev-shm-usage',
];

/**
 * Resolves with the path of an installed Chrome or Chromium. Installs Chromium if there is none.
 *
 * @throws Error with installation instructions if the installation fails
 */
export async function ensureBrowser(log: (line: string) => void = () => undefined): Promise<string> {
  const found = findBrowser();
  if (found !== undefined) {
    return found;
  }
  const failures: string[] = [];
  for (const install of [installFromDebian, installFromPlaywright]) {
    try {
      await install(log);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
    const installed = findBrowser();
    if (installed !== undefined) {
      return installed;
    }
  }
  throw new Error(
    'Chrome and Chromium were not found, and Chromium could not be installed. ' +
      `Install it (on Debian: "apt-get install chromium"), or set CHROME_PATH to its executable.\n${failures.join('\n')}`,
  );
}

/** Returns the path of an installed browser, or undefined. @throws Error if CHROME_PATH is not an executable file */
export function findBrowser(): string | undefined {
  const given = process.env['CHROME_PATH'];
  if (given !== undefined && given !== '') {
    if (!isExecutable(given)) {
      throw new Error(`CHROME_PATH is ${given}, which is not an executable file. Correct it or unset it.`);
    }
    return given;
  }
  const candidates = [...commands.map(onPath), ...defaultPaths(), chromium.executablePath()];
  return candidates.find((one) => one !== undefined && isExecutable(one));
}

function defaultPaths(): string[] {
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);
  }
  if (process.platform === 'win32') {
    return ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
      .flatMap((name) => process.env[name] ?? [])
      .map((folder) => path.join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'));
  }
  return [];
}

async function installFromDebian(log: (line: string) => void): Promise<void> {
  if (canInstallDebianPackages()) {
    log("Chrome and Chromium were not found. Installing Debian's chromium package.");
    await installDebianPackages(['chromium'], log);
  }
}

async function installFromPlaywright(log: (line: string) => void): Promise<void> {
  log('Chrome and Chromium were not found. Running "npx playwright-core install chromium".');
  const cli = path.join(import.meta.dirname, '..', '..', 'node_modules', 'playwright-core', 'cli.js');
  const result = await execa(process.execPath, [cli, 'install', 'chromium'], {
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: 5 * 60_000,
  });
  if (result.failed) {
    throw new Error(`playwright-core could not install chromium:\n${result.all}`);
  }
}
