import process from 'node:process';
import { execa } from 'execa';
import { onPath } from './onPath.ts';

/** Returns whether this process can install packages: it runs as root, and the system has apt. */
export function canInstallDebianPackages(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0 && onPath('apt-get') !== undefined;
}

/** Installs packages with apt and logs the commands. Rejects with the output of a failed command. */
export async function installDebianPackages(packages: readonly string[], log: (line: string) => void): Promise<void> {
  const wait = ['-o', 'DPkg::Lock::Timeout=300'];
  const commands = [
    ['apt-get', ...wait, 'update'],
    ['apt-get', ...wait, 'install', '-y', '--no-install-recommends', ...packages],
  ] as const;
  for (const [command, ...args] of commands) {
    log(`${command} ${args.join(' ')}`);
    const result = await execa(command, args, {
      env: { DEBIAN_FRONTEND: 'noninteractive' },
      stdin: 'ignore',
      all: true,
      reject: false,
    });
    if (result.failed) {
      throw new Error(`${command} could not install ${packages.join(', ')}:\n${result.all}`);
    }
  }
}
