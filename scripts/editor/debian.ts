import process from 'node:process';
import { execa } from 'execa';
import { onPath } from './onPath.ts';

/** Whether packages may be installed here without asking anybody: root on a system with apt. */
export function canInstallDebianPackages(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0 && onPath('apt-get') !== undefined;
}

/** Installs packages of the distribution, and says so. Rejects with what apt said. */
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
