import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { EXIT_CODES } from '../program/exitCodes.ts';
import { ownDataDirectory } from '../program/options.ts';
import type { Surroundings } from '../program/surroundings.ts';

/** Runs the local platform with this terminal, on the data directory of the other commands. Resolves with its exit code. */
export async function platformCommand(
  args: readonly string[],
  { platformScript, environment, signal }: Surroundings,
): Promise<number> {
  const hasPlace = args.some((arg) => /^--(data-dir|in-memory)(=|$)/.test(arg));
  const flags = hasPlace ? args : [...args, '--data-dir', ownDataDirectory(environment)];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', platformScript, ...flags], {
    stdio: 'inherit',
  });
  // A terminal interrupts the platform itself. Any other sender of a signal knows only this process.
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? EXIT_CODES.failed;
}
