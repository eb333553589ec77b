import * as l10n from '@vscode/l10n';
import { UserError } from '../../../kit/userError.ts';
import { runProgram } from '../../../machine/builder/runProgram.ts';

/** Maximum number of lines that a command prints. */
const MAX_LINES = 100_000;

export interface ShellContext {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Runs a shell command, and returns the lines of its standard output. @throws UserError if it fails; the reason of the signal */
export async function shellLines(
  command: string,
  { folder, environment, signal }: ShellContext,
): Promise<readonly string[]> {
  const lines: string[] = [];
  let lastError = '';
  const [file, args] =
    process.platform === 'win32' ? ['cmd.exe', ['/d', '/s', '/c', command]] : ['/bin/sh', ['-c', command]];
  const end = await runProgram({
    ...{ file, args, environment, directory: folder, signal },
    onLine: (line) => {
      if (lines.length < MAX_LINES) lines.push(line);
    },
    onErrorLine: (line) => {
      if (line.trim() !== '') lastError = line;
    },
  });
  signal.throwIfAborted();
  if (end.kind === 'exited' && end.code === 0) return lines;
  const reason = end.kind === 'missing' ? end.reason : lastError;
  throw new UserError(l10n.t`the command “${command}” of x-safety failed: ${reason}`);
}

/** Returns the lines that are in `after` more often than in `before`. */
export function addedLines(before: readonly string[], after: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of before) left.set(line, (left.get(line) ?? 0) + 1);
  return after.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
