import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { UserError } from '../../../kit/userError.ts';
import { lineAndColumn } from '../../jobs/model/jobInput.ts';
import { readJobFile } from '../../jobs/model/checkJobFile.ts';
import { manifestOfJobFile } from '../../jobs/model/manifestOfJobFile.ts';
import { readFiles, type FileTree } from '../../manifest/actions/readManifests.ts';
import { readManifestFile, type ManifestPart } from '../../manifest/model/manifestFile.ts';
import { JOB_FILES } from '../../manifest/model/testFiles.ts';
import type { SafetyJob } from './checkRetrySafety.ts';

/** An endpoint of a manifest, with its jobs. */
export interface SafetyTarget<Place> {
  /** Path of the manifest relative to the folder, with slashes. */
  readonly path: string;
  readonly place: Place;
  readonly part: ManifestPart;
  readonly name: string;
  readonly jobs: readonly (SafetyJob & { readonly place: Place })[];
}

export interface TargetSearch<Place> {
  readonly tree: FileTree<Place>;
  readonly folder: Place;
  /** Chooses manifests by their paths. Default: all. */
  readonly wantsManifest?: (path: string) => boolean;
  /** Chooses job files by their paths. Default: all. */
  readonly wantsJob?: (path: string) => boolean;
  readonly signal: AbortSignal;
}

const MANIFEST_FILES = { name: /\.endpoint\.(ya?ml|json)$/, maxBytes: 8 * 1_048_576 };

/**
 * Returns the wanted manifests of a folder with the job files that belong to them.
 *
 * @throws UserError if a manifest or a job file is invalid; the error of the file system if the folder cannot be read
 */
export async function findSafetyTargets<Place>({
  tree,
  folder,
  wantsManifest = () => true,
  wantsJob = () => true,
  signal,
}: TargetSearch<Place>): Promise<readonly SafetyTarget<Place>[]> {
  const files = await readFiles(tree, folder, MANIFEST_FILES, signal);
  const candidates = files.flatMap((file) => {
    if (!('text' in file.content)) {
      if (wantsManifest(file.path)) throw new UserError(l10n.t`${file.path} cannot be read`);
      return [];
    }
    const language = file.path.endsWith('.json') ? 'json' : 'yaml';
    return readManifestFile(file.content.text, { language, target: 'local' }).parts.map((part) => ({
      ...{ path: file.path, place: file.place, part },
      ...nameAndType(part),
    }));
  });
  const jobs = new Map<(typeof candidates)[number], (SafetyJob & { readonly place: Place })[]>();
  for (const { path: name, place, content } of await readFiles(tree, folder, JOB_FILES, signal)) {
    if (!wantsJob(name) || !('text' in content)) continue;
    const read = readJobFile(content.text);
    const candidate = manifestOfJobFile({ path: name, endpoint: read.file?.endpoint }, candidates);
    if (!candidate || !wantsManifest(candidate.path)) continue;
    if (!read.file) {
      const { line, column } = lineAndColumn(content.text, read.offset);
      throw new UserError(l10n.t`${name}, line ${line}, column ${column}: ${read.problem}`);
    }
    jobs.set(candidate, [...(jobs.get(candidate) ?? []), { path: name, file: read.file, place }]);
  }
  return candidates
    .filter((candidate) => wantsManifest(candidate.path))
    .map((candidate) => {
      const { path: file, place, part, name = path.posix.basename(file) } = candidate;
      const problem = part.problems.find(({ severity }) => severity === 'error');
      if (problem) throw new UserError(l10n.t`${file}: ${problem.message}`);
      return { path: file, place, part, name, jobs: jobs.get(candidate) ?? [] };
    });
}

function nameAndType({ value }: ManifestPart): {
  readonly name: string | undefined;
  readonly type: string | undefined;
} {
  const { name, type } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return {
    name: typeof name === 'string' ? name : undefined,
    type: typeof type === 'string' ? type : undefined,
  };
}
