import process from 'node:process';
import { plainLine } from '../features/jobs/expectations/model/logText.ts';
import { CannotRunError, EXIT_CODES } from './exitCodes.ts';
import { readFlags, USAGE } from './flags.ts';
import { testCommand } from './testCommand.ts';

/** SIGHUP: the terminal was closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the program with its arguments. @returns its exit code. @param platformScript path of the platform's program */
export async function run(args: readonly string[], platformScript: string): Promise<number> {
  const interrupted = new AbortController();
  let code: number | undefined;
  // Uses `on` instead of `once`: a second signal would end this process before the workers.
  for (const signal of STOP_SIGNALS)
    process.on(signal, () => {
      code ??= EXIT_CODES[signal];
      interrupted.abort();
    });
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  try {
    const flags = readFlags(args);
    if (flags === 'help') {
      process.stdout.write(USAGE);
      return EXIT_CODES.passed;
    }
    const write = (text: string): void => void process.stdout.write(text);
    const surroundings = { platformScript, environment: process.env, write, tell, signal: interrupted.signal };
    const result = await testCommand(flags, surroundings);
    return code ?? result;
  } catch (error) {
    if (code !== undefined) return code;
    if (!(error instanceof CannotRunError)) tell((error as Error).stack ?? String(error));
    else tell(plainLine(error.message));
    return EXIT_CODES.cannotRun;
  }
}
