import type { AlertsPart } from '../../../contract/alerts.ts';
import type { FoundManifest } from '../../manifest/actions/readManifests.ts';
import { nameOf } from '../../manifest/model/deployment/matchEndpoint.ts';
import { readManifestFile, type CheckOptions, type ManifestPart } from '../../manifest/model/manifestFile.ts';
import { problemsOfChosen } from '../../manifest/model/problem.ts';

/** A manifest with conditions. */
export interface AlertedManifest<Place> {
  readonly place: Place;
  /** Path relative to the folder, with slashes. */
  readonly file: string;
  readonly part: ManifestPart;
  readonly names: readonly (string | undefined)[];
  readonly name: string;
  readonly alerts: AlertsPart;
}

/** A manifest with conditions that cannot be used. */
export interface UnusableManifest {
  readonly file: string;
  /** First error of the chosen environment. */
  readonly reason: string | undefined;
  /** Whether the manifest has environments and none of them is chosen. */
  readonly needsEnvironment: boolean;
}

export interface Alerted<Place> {
  readonly manifests: readonly AlertedManifest<Place>[];
  readonly unusable: readonly UnusableManifest[];
}

/** Returns the manifests with conditions. A file without the text `x-alerts` is not parsed. */
export function findAlerted<Place>(files: readonly FoundManifest<Place>[], options: CheckOptions): Alerted<Place> {
  const manifests: AlertedManifest<Place>[] = [];
  const unusable: UnusableManifest[] = [];
  for (const { place, path: file, content } of files) {
    if (!('text' in content) || !content.text.includes('x-alerts')) continue;
    const language = file.endsWith('.json') ? 'json' : 'yaml';
    const { parts } = readManifestFile(content.text, { language, ...options });
    const names = parts.map(nameOf);
    for (const part of parts) {
      const name = names[part.index];
      const alerts = part.manifest?.['x-alerts'];
      const needsEnvironment = part.environments.length > 0 && !part.environment;
      if (needsEnvironment || !part.manifest) {
        const reason = problemsOfChosen(part).find(({ severity }) => severity === 'error')?.message;
        unusable.push({ file, reason, needsEnvironment });
      } else if (alerts && name !== undefined) manifests.push({ place, file, part, names, name, alerts });
    }
  }
  return { manifests, unusable };
}
