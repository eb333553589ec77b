import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

/** Runs the local platform with this terminal. Resolves with its exit code. */
export async function platformCommand(
  args: readonly string[],
  { platformScript, signal }: Surroundings,
): Promise<number> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', platformScript, ...args], {
    stdio: 'inherit',
  });
  // A terminal interrupts the platform itself. Any other sender of a signal knows only this process.
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? EXIT_CODES.failed;
}
