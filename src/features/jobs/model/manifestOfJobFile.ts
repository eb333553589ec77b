import path from 'node:path';
import { JOB_FILE_SUFFIX } from '../../../contract/jobFile.ts';

/* The manifest that a job file belongs to. */

/** A job file. Paths of job files and manifests have slashes, and are relative to the same folder or absolute. */
export interface LocatedJobFile {
  readonly path: string;
  /** Member `endpoint` of the file. */
  readonly endpoint?: string | undefined;
}

/** An endpoint of a manifest. Values of a wrong type are undefined. */
export interface ManifestCandidate {
  readonly path: string;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  /** The JSON schema for the input, or its path, relative to the manifest. */
  readonly inputSchema?: string | Readonly<Record<string, unknown>> | undefined;
  /** Files that can declare the input, in the order in which they are read. Paths are relative to the manifest. */
  readonly sources?: readonly string[] | undefined;
}

const MANIFEST_SUFFIX = /\.endpoint\.(ya?ml|json)$/;

/**
 * Returns the manifest of a job file: the one whose endpoint has the name in the file, otherwise the one with the same base name in the
 * same folder, otherwise the only one of a queue endpoint in the nearest folder that has manifests. Several manifests with the same name
 * count in the order of those rules.
 */
export function manifestOfJobFile<Candidate extends ManifestCandidate>(
  { path: file, endpoint }: LocatedJobFile,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const queues = candidates.filter(isQueueManifest);
  const named = endpoint === undefined ? [] : queues.filter(({ name }) => name === endpoint);
  if (named.length > 0) return sameBaseName(file, named) ?? nearest(file, named)[0] ?? named[0];
  return sameBaseName(file, queues) ?? onlyOne(nearest(file, candidates).filter(isQueueManifest));
}

export function isQueueManifest({ type }: ManifestCandidate): boolean {
  return type !== 'LOAD_BALANCER';
}

function sameBaseName<Candidate extends ManifestCandidate>(
  file: string,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const base = path.posix.basename(file, JOB_FILE_SUFFIX);
  return onlyOne(
    candidates.filter(
      (candidate) =>
        folderOf(candidate.path) === folderOf(file) &&
        path.posix.basename(candidate.path).replace(MANIFEST_SUFFIX, '') === base,
    ),
  );
}

/** Returns the manifests in the nearest folder that has some: the folder of the file, or one of its parents. */
function nearest<Candidate extends ManifestCandidate>(file: string, candidates: readonly Candidate[]): Candidate[] {
  for (let folder = folderOf(file); ; folder = folderOf(folder)) {
    const found = candidates.filter((candidate) => folderOf(candidate.path) === folder);
    if (found.length > 0) return found;
    // The root folder is its own parent.
    if (folderOf(folder) === folder) return [];
  }
}

function folderOf(file: string): string {
  return path.posix.dirname(file);
}

function onlyOne<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}
