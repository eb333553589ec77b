/** An endpoint of a manifest file. */
export interface ManifestCandidate {
  /** Path of the manifest with slashes, in the same form as the path of the job file. */
  readonly path: string;
  readonly name: string | undefined;
  readonly type: string | undefined;
}

const MANIFEST_SUFFIX = /\.endpoint\.(ya?ml|json)$/;
const JOB_SUFFIX = /\.job\.json$/;

/**
 * Returns the manifest that belongs to a job file: the one with the name in the `endpoint` member of the job file, else the one in the same
 * folder with the same base name, else the only queue manifest in the folder or in the nearest parent folder with manifests.
 */
export function manifestOfJobFile<Candidate extends ManifestCandidate>(
  { path, endpoint }: { readonly path: string; readonly endpoint?: string | undefined },
  candidates: readonly Candidate[],
): Candidate | undefined {
  if (endpoint !== undefined) {
    const named = candidates.filter(({ name }) => name === endpoint);
    if (named.length > 0) return nearest(path, named);
  }
  const base = path.replace(JOB_SUFFIX, '');
  const namesake = candidates.filter((one) => one.path.replace(MANIFEST_SUFFIX, '') === base);
  if (namesake.length > 0) return namesake.find(isQueue) ?? namesake[0];
  for (let folder = folderOf(path); folder !== undefined; folder = folderOf(folder)) {
    const here = candidates.filter((one) => folderOf(one.path) === folder);
    if (here.length === 0) continue;
    const queues = here.filter(isQueue);
    return queues.length === 1 ? queues[0] : undefined;
  }
  return undefined;
}

/** Returns the candidate that shares the most folders with a path. */
function nearest<Candidate extends ManifestCandidate>(
  path: string,
  named: readonly Candidate[],
): Candidate | undefined {
  return named.toSorted((a, b) => sharedFolders(path, b.path) - sharedFolders(path, a.path))[0];
}

function sharedFolders(left: string, right: string): number {
  const [a, b] = [left.split('/'), right.split('/')];
  const first = a.findIndex((segment, index) => segment !== b[index]);
  return first < 0 ? a.length : first;
}

function isQueue({ type }: ManifestCandidate): boolean {
  return type === 'QUEUE';
}

/** Returns the parent folder of a path with slashes. Undefined for the root. */
function folderOf(path: string): string | undefined {
  if (path === '' || path === '/') return undefined;
  const slash = path.lastIndexOf('/');
  if (slash < 0) return '';
  return slash === 0 ? '/' : path.slice(0, slash);
}
