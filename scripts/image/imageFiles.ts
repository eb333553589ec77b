import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { DATA_MOUNT, HOME, PROGRAM_DIRECTORY, USER_ID } from './imageConfig.ts';
import { importedModules } from './importedModules.ts';
import { librariesOf } from './libraries.ts';
import type { TarEntry } from './tar.ts';

const ROOT = 0;
const READABLE = 0o644;
const EXECUTABLE = 0o755;

const PASSWD = `root:x:0:0:root:/root:/sbin/nologin
platform:x:${USER_ID}:${USER_ID}:Cloud Compute:${HOME}:/sbin/nologin
`;
const GROUP = `root:x:0:
platform:x:${USER_ID}:
`;

/** Returns the files of the system: Node.js with its libraries, certificates, and the user. They change with Node.js and the machine. */
export async function systemFiles(node: string): Promise<TarEntry[]> {
  const libraries = await librariesOf(node);
  return withParents([
    ...[await copy(node, '/usr/local/bin/node', EXECUTABLE)],
    ...(await Promise.all(libraries.map((library) => copy(library, library, EXECUTABLE)))),
    text('/etc/passwd', PASSWD),
    text('/etc/group', GROUP),
    text('/etc/nsswitch.conf', 'hosts: files dns\n'),
    // For programs that a derived image adds, such as one that gets credentials for a cluster. Node.js contains them itself.
    text('/etc/ssl/certs/ca-certificates.crt', `${rootCertificates.join('\n')}\n`),
    directory('/tmp', { mode: 0o1777 }),
    directory(HOME, { mode: 0o700, owner: USER_ID }),
    directory(DATA_MOUNT, { mode: 0o700, owner: USER_ID }),
  ]);
}

/** The platform, and the threads and processes that it starts. */
export const PLATFORM_PROGRAMS = ['platform.js', 'imageThread.js', 'jsonThread.js', 'snapshotProcess.js'];

/** The licenses of the packages in the programs, which the build writes. */
export const NOTICES = 'THIRD_PARTY_NOTICES.txt';

/** Returns the files of the platform. @param dist folder of a build @throws Error if the build is missing */
export async function programFiles(dist: string): Promise<TarEntry[]> {
  if (!existsSync(path.join(dist, 'platform.js'))) {
    throw new Error(`${dist} has no build of the platform: run "npm run build"`);
  }
  const modules = await importedModules(dist, PLATFORM_PROGRAMS);
  const files = [...modules, NOTICES];
  return withParents([
    ...(await Promise.all(files.map((file) => copy(path.join(dist, file), `${PROGRAM_DIRECTORY}/${file}`, READABLE)))),
    text(`${PROGRAM_DIRECTORY}/package.json`, '{ "type": "module" }\n'),
  ]);
}

/** @param to absolute path in the image */
async function copy(from: string, to: string, mode: number): Promise<TarEntry> {
  const file = await realpath(from);
  const { size } = await stat(file);
  return { kind: 'copy', path: to.slice(1), file, size, mode, owner: ROOT };
}

function text(file: string, content: string): TarEntry {
  return { kind: 'file', path: file.slice(1), content, mode: READABLE, owner: ROOT };
}

function directory(name: string, { mode, owner = ROOT }: { mode: number; owner?: number }): TarEntry {
  return { kind: 'directory', path: name.slice(1), mode, owner };
}

/** Adds the missing parent directories, and sorts the entries by path, so that each directory precedes its content. */
function withParents(entries: readonly TarEntry[]): TarEntry[] {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path: file } of entries) {
    for (let parent = path.posix.dirname(file); parent !== '.'; parent = path.posix.dirname(parent)) {
      if (!byPath.has(parent)) byPath.set(parent, directory(`/${parent}`, { mode: EXECUTABLE }));
    }
  }
  return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}
