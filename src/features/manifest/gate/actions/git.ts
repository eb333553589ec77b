import { execFile } from 'node:child_process';

/* Git, whose configuration and hooks start no program. */

const OPTIONS = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
const MAX_OUTPUT = 64 * 1_048_576;

/** Git has failed, or is not installed. */
export class GitError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GitError';
  }
}

/**
 * Runs git in a folder, and returns its output.
 *
 * @throws GitError with the explanation of git; the reason of the signal
 */
export function git(folder: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: MAX_OUTPUT, ...(signal && { signal }) };
    execFile('git', [...OPTIONS, '-C', folder, ...args], options, (error, output, explanation) => {
      if (!error) resolve(output);
      else if (signal?.aborted) reject(signal.reason as Error);
      else reject(new GitError(explanation.trim() || error.message));
    });
  });
}
