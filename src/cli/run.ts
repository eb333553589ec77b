import process from 'node:process';
import { plainLine } from '../features/jobs/expectations/actions/readJobLog.ts';
import { CannotRunError, EXIT_CODES } from './exitCodes.ts';
import { MCP_USAGE, readMcpFlags } from './mcp/mcpFlags.ts';
import type { ProgramFiles } from './programFiles.ts';
import { testCommand } from './testCommand.ts';
import { readTestFlags, TEST_USAGE } from './testFlags.ts';

/** SIGHUP: the terminal was closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the program with its arguments. @returns its exit code */
export async function run(args: readonly string[], files: ProgramFiles): Promise<number> {
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
    const result = await runCommand(args, { files, tell, signal: interrupted.signal });
    return code ?? result;
  } catch (error) {
    if (code !== undefined) return code;
    if (!(error instanceof CannotRunError)) tell((error as Error).stack ?? String(error));
    else tell(plainLine(error.message));
    return EXIT_CODES.cannotRun;
  }
}

interface CommandOptions {
  readonly files: ProgramFiles;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

async function runCommand(args: readonly string[], { files, tell, signal }: CommandOptions): Promise<number> {
  const write = (text: string): void => void process.stdout.write(text);
  const help = (usage: string): number => {
    write(usage);
    return EXIT_CODES.passed;
  };
  if (args[0] === 'mcp') {
    const flags = readMcpFlags(args.slice(1));
    if (flags === 'help') return help(MCP_USAGE);
    const { mcpCommand } = await import('./mcp/mcpCommand.ts');
    await mcpCommand(flags, { ...files, environment: process.env, tell, signal });
    return EXIT_CODES.passed;
  }
  const flags = readTestFlags(args);
  if (flags === 'help') return help(TEST_USAGE);
  const { platformScript } = files;
  return testCommand(flags, { platformScript, environment: process.env, write, tell, signal });
}
