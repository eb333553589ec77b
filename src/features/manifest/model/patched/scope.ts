import type { Path } from '../../../../contract/violation.ts';
import type { ManifestNode } from '../text/node.ts';
import { ENVIRONMENTS, environmentsOf, manifestIn } from './environmentsOf.ts';

/** The manifest that a path belongs to: the one of an environment inside its patch, or else the one of the file. */
export interface Scope {
  readonly root: ManifestNode | undefined;
  /** Path in that manifest. */
  readonly path: Path;
  /** Path of the patch in the file. Empty outside patches. */
  readonly prefix: Path;
}

/** Returns the manifest that a path of a file belongs to, with its path there. */
export function scopeOf(root: ManifestNode | undefined, path: Path): Scope {
  const [first, name, field, ...inner] = path;
  const isInPatch = first === ENVIRONMENTS && field === 'patch';
  const environment = isInPatch ? environmentsOf(root).find((one) => one.name === name) : undefined;
  if (!environment) return { root, path, prefix: [] };
  return { root: manifestIn(environment, root), path: inner, prefix: path.slice(0, 3) };
}
