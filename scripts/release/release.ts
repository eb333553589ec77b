import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { changelogSections, hasEntries } from './changelog.ts';
import { missingTranslations } from './translations.ts';

export interface ReleaseCheck {
  /** Reasons why the commit cannot be released, with remedies. */
  readonly problems: readonly string[];
  /** Text of the release: its section of the changelog. */
  readonly notes: string;
}

/** Files of a repository that contain its version. */
interface Versions {
  readonly package: string;
  readonly lock: string;
}

/** Checks whether a repository can be released under a tag. */
export async function checkRelease(folder: string, tag: string): Promise<ReleaseCheck> {
  const read = (file: string) => readFile(path.join(folder, file), 'utf8');
  const versionIn = async (file: string) => (JSON.parse(await read(file)) as { version: string }).version;
  const versions = { package: await versionIn('package.json'), lock: await versionIn('package-lock.json') };
  const { problems, notes } = releaseProblems(tag, versions, await read('CHANGELOG.md'));
  return { problems: [...problems, ...(await missingTranslations(folder))], notes };
}

export function releaseProblems(tag: string, versions: Versions, changelog: string): ReleaseCheck {
  const version = /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1];
  // Marketplaces of VS Code accept only three numbers.
  if (version === undefined)
    return { problems: [`The tag ${tag} is not "v" and three numbers, such as v1.2.0.`], notes: '' };
  const problems: string[] = [];
  if (versions.package !== version)
    problems.push(`package.json has version ${versions.package}. Run "npm version --no-git-tag-version ${version}".`);
  if (versions.lock !== versions.package)
    problems.push(`package-lock.json has version ${versions.lock}. Run "npm install --package-lock-only".`);

  const sections = changelogSections(changelog);
  const unreleased = sections.find((one) => one.version === undefined);
  if (unreleased && hasEntries(unreleased))
    problems.push(`CHANGELOG.md has entries under "Unreleased". Move them below "## ${version} - <date>".`);
  const [newest] = sections.filter((one) => one.version !== undefined);
  const section = sections.find((one) => one.version === version);
  if (!section) problems.push(`CHANGELOG.md has no section for ${version}. Add "## ${version} - <date>".`);
  else if (section !== newest) problems.push(`The section for ${version} in CHANGELOG.md is not the newest one.`);
  else if (section.date === undefined) problems.push(`The section for ${version} in CHANGELOG.md has no date.`);
  else if (!hasEntries(section)) problems.push(`The section for ${version} in CHANGELOG.md has no entries.`);
  return { problems, notes: section?.text ?? '' };
}
