import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { CommanderError } from '@commander-js/extra-typings';
import * as z from 'zod';
import { ToolError } from '../agents/model/toolError.ts';
import { ApiError } from '../client/apiError.ts';
import { plainLine } from '../features/jobs/actions/workerLogSince.ts';
import { explain } from '../kit/explain.ts';
import { UserError } from '../kit/userError.ts';
import { askOnTerminal } from './program/ask.ts';
import { CannotRunError, EXIT_CODES } from './program/exitCodes.ts';
import { createProgram, withSubcommands } from './program/program.ts';

/** Files that the program needs. */
interface ProgramFiles {
  /** Path of the platform's program. */
  readonly platformScript: string;
  /** Path of the program that simulates endpoints. */
  readonly simulationScript: string;
  /** Path of the extension's `package.json`, which contains the version. */
  readonly packageFile: string;
}

/** SIGHUP: the terminal was closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns to the start of a line of a terminal, and clears it. */
const CLEAR_LINE = '\r\x1b[K';
const DEFAULT_COLUMNS = 80;

/** Runs the program with its arguments. @returns its exit code */
export async function run(
  args: readonly string[],
  { platformScript, simulationScript, packageFile }: ProgramFiles,
): Promise<number> {
  const interrupted = new AbortController();
  const interruptedAgain = new AbortController();
  let code: number | undefined;
  // Uses `on` instead of `once`: a second signal would end this process before the workers.
  for (const signal of STOP_SIGNALS)
    process.on(signal, () => {
      code ??= EXIT_CODES[signal];
      if (interrupted.signal.aborted) interruptedAgain.abort();
      interrupted.abort();
    });
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      // Nothing reads the output any more. Node.js ignores the signal that ends other programs.
      code ??= EXIT_CODES.SIGPIPE;
      interrupted.abort();
    });
  const { stderr } = process;
  const tell = (line: string): void => void stderr.write(`${stderr.isTTY ? CLEAR_LINE : ''}${line}\n`);
  // A terminal without a known width reports 0 columns.
  const show = (line: string): void =>
    void stderr.write(`${CLEAR_LINE}${line.slice(0, (stderr.columns || DEFAULT_COLUMNS) - 1)}`);
  let result: number = EXIT_CODES.done;
  const version = await versionIn(packageFile);
  const program = createProgram(version, async (deed) => {
    result = await deed({
      ...{
        version,
        platformScript,
        simulationScript,
        extensionFolder: path.dirname(packageFile),
        tell,
        environment: process.env,
        ask: askOnTerminal(interrupted.signal),
        show: stderr.isTTY ? show : undefined,
        signal: interrupted.signal,
        secondSignal: interruptedAgain.signal,
      },
      write: (text) => void process.stdout.write(text),
    });
  });
  for (const command of withSubcommands(program)) command.exitOverride();
  try {
    await program.parseAsync(args, { from: 'user' });
    return code ?? result;
  } catch (error) {
    if (code !== undefined) return code;
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
    tell(wordsOf(error, args[0] ?? ''));
    return error instanceof CannotRunError ? error.exitCode : EXIT_CODES.failed;
  }
}

/** Returns a failure in one line, or an unexpected one with its stack. */
function wordsOf(error: unknown, command: string): string {
  if (error instanceof CannotRunError) return plainLine(error.message);
  const isExpected = error instanceof ApiError || error instanceof UserError || error instanceof ToolError;
  if (isExpected) return plainLine(explain(error, command).text);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function versionIn(packageFile: string): Promise<string> {
  return z.object({ version: z.string() }).parse(JSON.parse(await readFile(packageFile, 'utf8'))).version;
}
