import { readFile } from 'node:fs/promises';

/**
 * Resolves with the complete lines of a file that another process writes: those that end with a newline. A process creates or truncates a
 * file before it writes, so an existing file can be empty or end inside a line. Returns no lines if the file does not exist.
 */
export async function completeLines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').slice(0, -1);
}
