import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CiService } from '../model/ciSetup.ts';

/** A git repository. */
export interface Repository {
  /** Absolute path of its folder. */
  readonly root: string;
  /** Default branch of the remote repository. */
  readonly branch: string;
  /** Service of the remote repository or of existing files. Undefined if they do not tell. */
  readonly service: CiService | undefined;
}

const DEFAULT_BRANCH = 'main';

/** Finds the repository that contains a folder. Without one, the folder itself is the root. */
export async function findRepository(folder: string): Promise<Repository> {
  let root = folder;
  while (!existsSync(path.join(root, '.git'))) {
    const parent = path.dirname(root);
    if (parent === root) {
      root = folder;
      break;
    }
    root = parent;
  }
  const git = await gitFolder(path.join(root, '.git'));
  const head = await textOf(path.join(git, 'refs/remotes/origin/HEAD'));
  const [, branch = DEFAULT_BRANCH] = /^ref: refs\/remotes\/origin\/(.+)$/m.exec(head) ?? [];
  const [, remote = ''] = /^\s*url\s*=\s*(.+)$/m.exec(await textOf(path.join(git, 'config'))) ?? [];
  const hasGitlab = /gitlab/i.test(remote) || existsSync(path.join(root, '.gitlab-ci.yml'));
  const hasGithub = /github/i.test(remote) || existsSync(path.join(root, '.github'));
  return { root, branch, service: hasGitlab ? 'gitlab' : hasGithub ? 'github' : undefined };
}

/** Returns the folder of git's files. A worktree has a file that names its own, below that of the repository. */
async function gitFolder(place: string): Promise<string> {
  const [, folder] = /^gitdir: (.+)$/m.exec(await textOf(place)) ?? [];
  if (folder === undefined) return place;
  const own = path.resolve(path.dirname(place), folder);
  return path.resolve(own, (await textOf(path.join(own, 'commondir'))).trim() || '.');
}

/** Returns the text of a file. Empty if it cannot be read. */
function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
