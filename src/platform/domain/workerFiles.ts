import path from 'node:path';

/* Files of workers that run as processes, and their changes. */

/** Directories whose files are installed or generated, so that their changes do not concern a worker. */
const IGNORED = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  '__pycache__',
  '.venv',
  'venv',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
]);

/** Returns whether a worker in the directory must restart because the file has changed. Both paths are absolute. */
export function concernsWorker(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  if (relative === '' || path.isAbsolute(relative)) return false;
  const [first, ...rest] = relative.split(path.sep);
  if (first === undefined || first === '..') return false;
  return ![first, ...rest].some((segment) => IGNORED.has(segment));
}
