import { constants } from 'node:fs';
import { mkdir, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataSize } from '../../text/quantities.ts';
import { ToolError } from '../model/toolError.ts';
import type { WorkspaceFile, WorkspaceFiles } from './agentTool.ts';

/* Files of the workspace for tools. The arguments of a model can come from hostile text, so each path is checked before and after its links. */

/** A folder of the workspace. */
interface Folder {
  /** Path as the caller gave it. */
  readonly path: string;
  /** Path after links have been resolved. */
  readonly real: string;
  /** First segment of the names of its files, if there are several folders. */
  readonly label: string | undefined;
}

/** A path in a folder that a name can mean. */
interface Candidate {
  readonly folder: Folder;
  readonly path: string;
}

/**
 * Returns the files of these workspace folders. A name is relative to a folder, absolute, or a `file:` address. With several folders, the
 * name can begin with the name of its folder.
 *
 * @param folders absolute paths
 */
export function workspaceFiles(folders: readonly string[]): WorkspaceFiles {
  const find = async (name: string): Promise<WorkspaceFile> => {
    const found: WorkspaceFile[] = [];
    for (const candidate of candidatesOf(name, await foldersOf(folders))) {
      const file = await fileAt(candidate);
      if (file && !found.some((other) => other.path === file.path)) found.push(file);
    }
    const [file, ...others] = found;
    if (!file) throw new ToolError('noFile', `The workspace has no file “${name}”.`);
    if (others.length > 0)
      throw new ToolError('ambiguous', `“${name}” can be ${found.map((each) => each.name).join(' or ')}.`);
    return file;
  };
  return {
    find,
    read: async (name, maxBytes) => {
      const file = await find(name);
      // Without blocking, because the file could have become a pipe.
      const handle = await openFile(file.path, constants.O_RDONLY | NO_LINK | NO_WAIT, name);
      try {
        if ((await realpath(file.path)) !== file.path || !(await handle.stat()).isFile()) throw outside(name);
        return await readAtMost(handle, maxBytes, name);
      } finally {
        await handle.close();
      }
    },
    create: async (name, content) => {
      const [candidate] = candidatesOf(name, await foldersOf(folders));
      if (!candidate) throw new ToolError('noFile', 'No folder is open, so no file can be created.');
      const parent = path.dirname(candidate.path);
      await requireInside(await realParent(parent), candidate.folder, name);
      await mkdir(parent, { recursive: true });
      const target = path.join(await realpath(parent), path.basename(candidate.path));
      await requireInside(path.dirname(target), candidate.folder, name);
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINK;
      const handle = await openFile(target, flags, name);
      try {
        await handle.writeFile(content);
      } finally {
        await handle.close();
      }
      return { path: target, name: nameOf(target, candidate.folder), size: content.length };
    },
  };
}

/* Windows lacks both flags. An opened link is found there by its real path. */
const { O_NOFOLLOW: NO_LINK = 0, O_NONBLOCK: NO_WAIT = 0 } = constants as Partial<typeof constants>;

/** Returns the folders that exist. */
async function foldersOf(folders: readonly string[]): Promise<readonly Folder[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const real = await realpath(folder).catch(() => undefined);
      const label = folders.length > 1 ? path.basename(folder) : undefined;
      return real === undefined ? [] : [{ path: path.resolve(folder), real, label }];
    }),
  );
  return found.flat();
}

/**
 * Returns the paths that a name can mean. Looks only at the text of the name, so that no path outside the workspace is touched, such as a
 * share of another computer.
 *
 * @throws ToolError `outsideWorkspace`
 */
function candidatesOf(name: string, folders: readonly Folder[]): readonly Candidate[] {
  const text = name.startsWith('file:') ? pathOfAddress(name) : name;
  if (text.trim() === '' || text.includes('\0')) throw new ToolError('noFile', 'The path is empty or invalid.');
  // A path of Windows names no file on other systems. A colon names a stream of a file on Windows.
  const isForeign = path.sep === '/' && path.win32.isAbsolute(text) && !text.startsWith('/');
  if (isForeign || (path.sep === '\\' && text.slice(2).includes(':'))) throw outside(name);
  const candidates = folders.flatMap((folder): Candidate[] => {
    const inLabeled = folder.label !== undefined && text.split(/[\\/]/)[0] === folder.label;
    const paths = [
      path.resolve(folder.path, text),
      ...(inLabeled ? [path.resolve(folder.path, text.slice(folder.label.length + 1))] : []),
    ];
    // The labeled path comes first, so that a new file is created there.
    return paths
      .reverse()
      .filter((each) => isInside(each, folder.path) || isInside(each, folder.real))
      .map((each) => ({ folder, path: each }));
  });
  if (folders.length > 0 && candidates.length === 0) throw outside(name);
  const labeled = candidates.filter(({ folder }) => folder.label !== undefined && text.startsWith(`${folder.label}/`));
  return [...labeled, ...candidates.filter((each) => !labeled.includes(each))];
}

function pathOfAddress(address: string): string {
  try {
    return fileURLToPath(address);
  } catch {
    throw outside(address);
  }
}

/** Returns the file at a path, or undefined. @throws ToolError `outsideWorkspace` if a link leads out of the folder */
async function fileAt({ folder, path: at }: Candidate): Promise<WorkspaceFile | undefined> {
  const real = await realpath(at).catch(() => undefined);
  if (real === undefined) return undefined;
  await requireInside(real, folder, nameOf(at, folder));
  const found = await stat(real);
  return found.isFile() ? { path: real, name: nameOf(real, folder), size: found.size } : undefined;
}

/** Returns the real path of the nearest folder that exists. */
async function realParent(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => undefined);
  return real ?? realParent(path.dirname(folder));
}

function requireInside(real: string, folder: Folder, name: string): Promise<void> {
  return isInside(real, folder.real) ? Promise.resolve() : Promise.reject(outside(name));
}

/** Returns whether a path is a folder or in it. On Windows, letter case does not matter. */
function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative));
}

function nameOf(file: string, { path: given, real, label }: Folder): string {
  const relative = path.relative(isInside(file, real) ? real : given, file);
  return [...(label === undefined ? [] : [label]), ...relative.split(path.sep)].join('/');
}

function outside(name: string): ToolError {
  return new ToolError('outsideWorkspace', `“${name}” is outside the workspace.`);
}

async function openFile(file: string, flags: number, name: string): Promise<FileHandle> {
  try {
    return await open(file, flags);
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case 'EEXIST':
        throw new ToolError('fileExists', `The file “${name}” exists already.`);
      case 'ELOOP':
        throw outside(name);
      default:
        throw new ToolError(
          'noFile',
          `“${name}” cannot be opened: ${(error as NodeJS.ErrnoException).code ?? 'error'}.`,
        );
    }
  }
}

/** Reads a file that can grow in the meantime. @throws ToolError `tooLarge` */
async function readAtMost(handle: FileHandle, maxBytes: number, name: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (let size = 0; ;) {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(CHUNK) });
    if (bytesRead === 0) return new Uint8Array(Buffer.concat(chunks));
    size += bytesRead;
    if (size > maxBytes) throw new ToolError('tooLarge', `The file “${name}” is larger than ${dataSize(maxBytes)}.`);
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

const CHUNK = 64 * 1024;
