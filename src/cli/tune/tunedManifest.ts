import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { readManifest } from '../../features/manifest/actions/readManifests.ts';
import { lineAndColumn } from '../../features/jobs/model/jobInput.ts';
import { nameOf } from '../../features/manifest/model/deployment/matchEndpoint.ts';
import { explainObstacle } from '../../features/manifest/model/deployment/planWords.ts';
import { LONGEST_MANIFEST } from '../../features/manifest/model/text/bounds.ts';
import { readManifestFile } from '../../features/manifest/model/manifestFile.ts';
import { problemsOfChosen } from '../../features/manifest/model/problem.ts';
import type { TunedSubject } from '../../features/tuning/actions/tune.ts';
import { subjectOfManifest } from '../../features/tuning/model/subjects.ts';
import { localFiles } from '../localFiles.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';

/* Manifests whose scaling is tuned or compared. */

export interface ManifestChoice {
  /** Path of the file. */
  readonly file: string;
  /** Name of one of several endpoints. */
  readonly name?: string | undefined;
  readonly environment?: string | undefined;
  readonly isLocal: boolean;
}

/** Returns the endpoint of a manifest. @throws CannotRunError if the file cannot be read or has errors, or if the name is missing */
export async function manifestSubject(choice: ManifestChoice): Promise<TunedSubject> {
  const content = await readManifest(localFiles, path.resolve(choice.file));
  if (!('text' in content)) {
    const { reason } = explainObstacle({ kind: 'unreadable', reason: content.unreadable });
    throw new CannotRunError(`${choice.file}: ${reason.text}`);
  }
  const found = subjectIn(content.text, choice, choice.file);
  if (found) return found;
  throw new CannotRunError(`${choice.file} has no endpoint ${choice.name ?? ''}`.trimEnd(), EXIT_CODES.cannotTune);
}

/**
 * Returns the same endpoint in another manifest, or in the same file of a Git revision. Undefined if it did not exist there.
 *
 * @param name name of the endpoint
 * @throws CannotRunError if neither exists, or if the manifest has errors
 */
export async function baseSubject(
  base: string,
  choice: ManifestChoice & { readonly name: string },
): Promise<TunedSubject | undefined> {
  if (await isFile(base)) return subjectOfFile(base, choice);
  const folder = path.dirname(path.resolve(choice.file));
  const git = (...args: string[]) =>
    promisify(execFile)('git', args, { cwd: folder, encoding: 'utf8', maxBuffer: 4 * LONGEST_MANIFEST });
  const commit = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  if (commit === undefined)
    throw new CannotRunError(
      `${base} is neither a manifest nor a revision of the Git repository`,
      EXIT_CODES.cannotTune,
    );
  const text = await git('show', `${commit}:./${path.basename(choice.file)}`).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
  return text === undefined ? undefined : subjectIn(text, choice, `${choice.file} at ${base}`);
}

async function subjectOfFile(file: string, choice: ManifestChoice & { readonly name: string }) {
  const content = await readManifest(localFiles, path.resolve(file));
  if ('text' in content) return subjectIn(content.text, { ...choice, file }, file);
  const { reason } = explainObstacle({ kind: 'unreadable', reason: content.unreadable });
  throw new CannotRunError(`${file}: ${reason.text}`);
}

async function isFile(name: string): Promise<boolean> {
  return (await stat(name).catch(() => undefined))?.isFile() ?? false;
}

function subjectIn(
  text: string,
  { file, name, environment, isLocal }: ManifestChoice,
  shownFile: string,
): TunedSubject | undefined {
  const language = file.endsWith('.json') ? 'json' : 'yaml';
  const { parts } = readManifestFile(text, { language, target: isLocal ? 'local' : 'hosted', environment });
  const [only, ...others] = parts;
  const part = name === undefined ? only : (parts.find((one) => nameOf(one) === name) ?? undefined);
  if (name === undefined && others.length > 0)
    throw new CannotRunError(
      `${shownFile} has several endpoints: name one of ${parts.map(nameOf).join(', ')} with --endpoint`,
      EXIT_CODES.cannotTune,
    );
  if (!part) return undefined;
  const [first] = part.manifest ? [] : problemsOfChosen(part).filter(({ severity }) => severity === 'error');
  if (part.manifest) return subjectOfManifest(part.manifest);
  const { line, column } = lineAndColumn(text, first?.start ?? 0);
  throw new CannotRunError(`${shownFile}:${line}:${column}: ${first?.message ?? 'it is not a manifest'}`);
}
