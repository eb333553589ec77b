/* Finds the file on this machine that a worker's path means. A worker in a container has other paths than this machine. */

/** Folders of libraries. Their files have common names, which would match files of the user. */
const LIBRARY = /(?:^|[\\/])(?:site-packages|dist-packages|node_modules|lib[\\/]python[\d.]*|\.venv|venv)[\\/]/i;

/** Returns the segments of a path of any operating system. */
function segmentsOf(path: string): readonly string[] {
  return path.split(/[\\/]+/).filter((segment) => segment !== '' && segment !== '.');
}

/** Returns the name of the file at a path of any operating system. */
export function baseName(path: string): string {
  return segmentsOf(path).at(-1) ?? '';
}

/** Returns whether a path belongs to a library and not to the worker's own program. */
export function isLibraryPath(path: string): boolean {
  return LIBRARY.test(path);
}

/**
 * Returns the file whose path has the longest common end with the worker's path. Undefined if no file has the same name, or if several
 * files match equally well.
 *
 * @param files absolute paths of files on this machine
 */
export function fileWithCommonEnd(path: string, files: readonly string[]): string | undefined {
  const wanted = segmentsOf(path);
  const scored = files.map((file) => ({ file, score: commonEnd(wanted, segmentsOf(file)) }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const found = scored.filter(({ score }) => score === best);
  return best > 0 && found.length === 1 ? found[0]?.file : undefined;
}

function commonEnd(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length;
}
