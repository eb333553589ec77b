import { createHash } from 'node:crypto';
import { cp, lstat, mkdir, readdir, readFile, readlink, stat } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { UserError } from '../../../kit/userError.ts';
import type { FileState } from '../model/effects.ts';
import type { RunFolder } from './workplace.ts';

/** Maximum contents of the directories of a run. */
const MAX_FILES = 10_000;
const MAX_BYTES = 256 * 1_048_576;
/** Maximum size of a text whose lines are counted, in bytes. */
const MAX_TEXT = 8 * 1_048_576;

/** Folder of the programs that count changes of files, and of their log. It is no effect of the worker. */
export const STEPS_FOLDER = '.cloud-compute-safety';

/** A directory of a run, with the variable that holds its path. */
export interface FileEdge {
  readonly variable: string;
  /** On this machine. */
  readonly directory: string;
  /** The path of the directory in the worker. */
  readonly seenAs: string;
}

/** The variable of the network volume, which contains the other directories in a container. */
const VOLUME_VARIABLE = 'CLOUD_COMPUTE_VOLUME';

/** Content of the directories at one moment: bytes by path, which begins with the variable. */
export type Snapshot = ReadonlyMap<string, Buffer>;

/**
 * Copies the directories of the manifest into the folder of a run.
 *
 * @param files directories by variable, relative to `folder`
 * @throws UserError if a directory is too large or is a file
 */
export async function copyFileEdges(
  files: Readonly<Record<string, string>>,
  { folder, into, signal }: { readonly folder: string; readonly into: RunFolder; readonly signal: AbortSignal },
): Promise<readonly FileEdge[]> {
  const edges: FileEdge[] = [];
  for (const [variable, relative] of Object.entries(files)) {
    const source = path.resolve(folder, relative);
    const isVolume = into.mounts !== undefined && variable === VOLUME_VARIABLE;
    const directory = isVolume ? into.directory : path.join(into.directory, variable);
    const seenAs = isVolume ? into.seenAs : into.mounts ? path.posix.join(into.seenAs, variable) : directory;
    const found = await stat(source).catch(() => undefined);
    if (found && !found.isDirectory())
      throw new UserError(l10n.t`x-safety.files.${variable}: ${relative} is not a directory`);
    await mkdir(directory, { recursive: true });
    if (found) {
      // Fails before a large directory fills the disk.
      await readSnapshot([{ variable, directory: source, seenAs }], signal);
      await cp(source, directory, { recursive: true, verbatimSymlinks: true });
    }
    edges.push({ variable, directory, seenAs });
  }
  return edges;
}

/** Reads the contents of directories. Links are not followed. @throws UserError if there is too much */
export async function readSnapshot(edges: readonly FileEdge[], signal: AbortSignal): Promise<Snapshot> {
  const contents = new Map<string, Buffer>();
  let bytes = 0;
  const visit = async (edge: FileEdge, relative: string): Promise<void> => {
    for (const entry of await readable(edge, readdir(path.join(edge.directory, relative), { withFileTypes: true }))) {
      signal.throwIfAborted();
      const inner = path.join(relative, entry.name);
      const full = path.join(edge.directory, inner);
      if (entry.isDirectory()) {
        // The directory of the volume contains the others.
        const isOther = edges.some(({ directory }) => directory === full) || inner === STEPS_FOLDER;
        if (!isOther) await visit(edge, inner);
        continue;
      }
      if (!entry.isFile() && !entry.isSymbolicLink()) continue;
      bytes += (await readable(edge, lstat(full))).size;
      if (contents.size === MAX_FILES || bytes > MAX_BYTES)
        throw new UserError(
          l10n.t`the directory of ${edge.variable} contains more than ${MAX_FILES} files or ${MAX_BYTES / 1_048_576} MB`,
        );
      const content = entry.isFile() ? await readable(edge, readFile(full)) : Buffer.from(await readlink(full));
      contents.set(path.posix.join(edge.variable, ...inner.split(path.sep)), content);
    }
  };
  for (const edge of edges) await visit(edge, '');
  return contents;
}

/** @throws UserError if the file belongs to another user, such as that of a container */
async function readable<Content>({ variable }: FileEdge, reading: Promise<Content>): Promise<Content> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    throw new UserError(l10n.t`files in the directory of ${variable} can only be read by the user of the worker`);
  }
}

/**
 * Returns the files that differ between two snapshots.
 *
 * @param normalized replaces IDs of the run in paths and texts
 */
export function changedFiles(
  before: Snapshot,
  after: Snapshot,
  normalized: (text: string) => string,
): ReadonlyMap<string, FileState | 'removed'> {
  const changed = new Map<string, FileState | 'removed'>();
  for (const [name, content] of after)
    if (before.get(name)?.equals(content) !== true) changed.set(normalized(name), stateOf(content, normalized));
  for (const name of before.keys()) if (!after.has(name)) changed.set(normalized(name), 'removed');
  return changed;
}

function stateOf(content: Buffer, normalized: (text: string) => string): FileState {
  const text = content.length <= MAX_TEXT && !content.includes(0) ? content.toString() : undefined;
  const hashed = text === undefined ? content : normalized(text);
  const lines = text === undefined ? undefined : text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
  return { hash: createHash('sha256').update(hashed).digest('hex'), lines };
}
