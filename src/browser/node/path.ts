import posix from 'path-browserify';

/* `node:path` in a browser. Paths are POSIX paths, except those of `Uri.fsPath` in a browser on Windows, which contain backslashes. */

const usesBackslashes = globalThis.navigator.userAgent.includes('Windows');
const clean = (path: string): string => (usesBackslashes ? path.replaceAll('\\', '/') : path);

const path = {
  sep: posix.sep,
  delimiter: posix.delimiter,
  basename: (file: string, suffix?: string) => posix.basename(clean(file), suffix),
  dirname: (file: string) => posix.dirname(clean(file)),
  extname: (file: string) => posix.extname(clean(file)),
  isAbsolute: (file: string) => posix.isAbsolute(clean(file)),
  join: (...parts: string[]) => posix.join(...parts.map(clean)),
  normalize: (file: string) => posix.normalize(clean(file)),
  relative: (from: string, to: string) => posix.relative(clean(from), clean(to)),
  resolve: (...parts: string[]) => posix.resolve('/', ...parts.map(clean)),
};

export default { ...path, posix: path };
