import { lstat, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { createTemporaryFolder } from '../../../machine/folderLock.ts';
import { shown } from '../../../text/shownText.ts';
import { git, GitError } from '../../manifest/gate/actions/git.ts';
import { GateError } from './gateError.ts';

/* Earlier versions of a manifest and its worker, which git checks out into a temporary folder. */

/** Folders with the dependencies of a worker, which repositories do not contain. */
const DEPENDENCIES = ['node_modules', '.venv', 'venv'];

export interface Revision {
  /** The commit. */
  readonly commit: string;
  /** Abbreviated commit. */
  readonly label: string;
}

/** The place of a manifest in its repository. */
interface Repository {
  readonly root: string;
  /** Path of the manifest, relative to the root. */
  readonly file: string;
}

/**
 * Returns a revision by its name. Without one: `HEAD` if the manifest or its worker differ from it, else the parent of the last commit that
 * changed them.
 *
 * @param directory absolute path of the worker, if a directory has it
 * @throws GateError
 */
export async function findRevision(
  { manifest, directory }: { readonly manifest: string; readonly directory: string | undefined },
  name: string | undefined,
  signal: AbortSignal,
): Promise<Revision> {
  const { root, file } = await repositoryOf(manifest, signal);
  const wanted = name ?? (await defaultRevision(root, [file, ...(await pathIn(root, directory))], signal));
  const commit = await resolved(root, wanted, signal);
  if (commit === undefined)
    throw new GateError('noRevision', shown`the revision ${wanted} does not exist in this repository`);
  const short = await git(root, ['rev-parse', '--short', commit], signal);
  return { commit, label: short.trim() };
}

/** Returns the path of a directory in a repository. */
async function pathIn(root: string, directory: string | undefined): Promise<readonly string[]> {
  const real = directory === undefined ? undefined : await realpath(directory).catch(() => undefined);
  const relative = real === undefined ? '..' : path.relative(root, real);
  return relative.startsWith('..') || path.isAbsolute(relative) ? [] : [relative === '' ? '.' : relative];
}

async function defaultRevision(root: string, contents: readonly string[], signal: AbortSignal): Promise<string> {
  const paths = ['--', ...contents, ':(exclude,glob)**/*.recordings/**'];
  if ((await resolved(root, 'HEAD', signal)) === undefined)
    throw new GateError('noRevision', l10n.t('the repository has no commit to compare with'));
  const changes = await git(root, ['status', '--porcelain', ...paths], signal);
  if (changes.trim() !== '') return 'HEAD';
  const last = (await git(root, ['log', '-1', '--format=%H', ...paths], signal)).trim();
  if ((await resolved(root, `${last}^`, signal)) !== undefined) return `${last}^`;
  throw new GateError('noRevision', l10n.t('the worker has no earlier version to compare with'));
}

/**
 * Checks out a revision, and removes it after the action, even if that fails.
 *
 * @param act receives the path of the manifest in the earlier version
 * @throws GateError if it cannot be checked out
 */
export async function withRevision<Result>(
  manifest: string,
  { commit, label }: Revision,
  signal: AbortSignal,
  act: (manifest: string) => Promise<Result>,
): Promise<Result> {
  const { root, file } = await repositoryOf(manifest, signal);
  const temporary = await createTemporaryFolder('cloud-compute-gate-');
  const tree = path.join(temporary.path, 'worker');
  try {
    try {
      await git(root, ['worktree', 'add', '--detach', '--quiet', tree, commit], signal);
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      throw new GateError('noRevision', shown`${label} cannot be checked out: ${error.message}`);
    }
    return await act(path.join(tree, file));
  } finally {
    // The signal does not apply: nothing must stay behind.
    await temporary.remove();
    await git(root, ['worktree', 'prune']).catch(() => undefined);
  }
}

/** Links the dependencies of a folder into the same folder of an earlier version, which does not have them. */
export async function linkDependencies(folder: string, earlier: string): Promise<void> {
  for (const name of DEPENDENCIES) {
    const [source, target] = [path.join(folder, name), path.join(earlier, name)];
    const exists = async (file: string) => (await lstat(file).catch(() => undefined)) !== undefined;
    if ((await exists(source)) && (await exists(earlier)) && !(await exists(target)))
      await symlink(source, target, 'junction');
  }
}

async function repositoryOf(manifest: string, signal: AbortSignal): Promise<Repository> {
  const folder = await realpath(path.dirname(manifest));
  try {
    const root = (await git(folder, ['rev-parse', '--show-toplevel'], signal)).trim();
    const prefix = (await git(folder, ['rev-parse', '--show-prefix'], signal)).trim();
    return { root, file: prefix + path.basename(manifest) };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new GateError(
      'noRepository',
      l10n.t('the manifest is not in a git repository, so it has no earlier version. Compare with an image instead'),
    );
  }
}

/** Returns the commit of a revision. Undefined if it does not exist. */
async function resolved(root: string, name: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (
      await git(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], signal)
    ).trim();
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
