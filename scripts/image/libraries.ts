import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * Libraries that the C library loads by name to resolve host names. `ldd` does not report them. Versions of glibc since 2.34 contain them, and
 * their files may be absent.
 */
const LOADED_BY_NAME = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'];
const C_LIBRARY = 'libc.so.6';

/** Returns the paths of the shared libraries that a program needs, including its loader, sorted. @throws Error if one is missing */
export async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ldd', [program], { env: { ...process.env, LC_ALL: 'C' } });
  const libraries = parseLdd(stdout);
  const home = libraries.find((library) => path.basename(library) === C_LIBRARY);
  const byName = home === undefined ? [] : LOADED_BY_NAME.map((name) => path.join(path.dirname(home), name));
  const found = await Promise.all(byName.map(async (file) => ((await exists(file)) ? [file] : [])));
  return [...new Set([...libraries, ...found.flat()])].sort();
}

/** Parses the output of `ldd`. @throws Error if a library is missing */
export function parseLdd(output: string): string[] {
  const missing = /^\s*(\S+) => not found$/m.exec(output)?.[1];
  if (missing !== undefined) throw new Error(`the library ${missing} is not on this machine`);
  // A library is "NAME => PATH (ADDRESS)", and the loader is "PATH (ADDRESS)". The kernel's library has no path.
  return [...output.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x[0-9a-f]+\)$/gm)].map(([, library = '']) => library);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
