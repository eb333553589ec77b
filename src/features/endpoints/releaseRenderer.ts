import * as l10n from '@vscode/l10n';
import type { Release, ReleaseDiffEntry, ReleaseList } from '../../contract/release.ts';
import type { Row } from '../../kit/trees.ts';
import type { EndpointSnapshot } from '../../account/endpoints/endpointSnapshot.ts';
import { whatChanged } from './model/releaseWords.ts';
import { duration } from '../../text/quantities.ts';

/** Returns the parent row of an endpoint's releases. */
export function renderReleases({ workers, releases }: Pick<EndpointSnapshot, 'workers' | 'releases'>): Row {
  const version = releases?.endpointVersion ?? workers?.endpointVersion;
  const facts = [...(version == null ? [] : [l10n.t`version ${version}`]), ...rolloutWords(releases)];
  return {
    label: l10n.t('Releases'),
    description: facts.join(' · '),
    icon: 'history',
    color: undefined,
    contextValue: 'releases',
    spoken: [l10n.t('Releases'), ...facts].join(', '),
  };
}

function rolloutWords(releases: ReleaseList | undefined): string[] {
  if (!releases?.rollout.inProgress) return [];
  const { workersOnLatest, workersTotal } = releases.rollout;
  return [
    workersTotal === 1
      ? l10n.t`rolling out, ${workersOnLatest} of 1 worker`
      : l10n.t`rolling out, ${workersOnLatest} of ${workersTotal} workers`,
  ];
}

export function renderRelease(release: Release, list: ReleaseList, now: number): Row {
  const isNewest = list.releases[0]?.id === release.id;
  const isRollingOut = isNewest && list.rollout.inProgress;
  const name = release.version == null ? release.id : l10n.t`Version ${release.version}`;
  const age = l10n.t`${duration(Math.max(0, now - Date.parse(release.createdAt)) / 1000)} ago`;
  const facts = [
    whatChanged(release),
    ...(release.workerCount > 0
      ? [release.workerCount === 1 ? l10n.t('1 worker') : l10n.t`${release.workerCount} workers`]
      : []),
    ...(release.source === 'GIT_BUILD' ? [l10n.t('from Git')] : []),
    age,
  ];
  return {
    label: name,
    description: facts.join(' · '),
    icon: isRollingOut ? 'sync~spin' : isNewest ? 'tag' : 'circle-small',
    color: isNewest ? 'testing.iconPassed' : undefined,
    contextValue: isNewest ? 'release.newest' : 'release',
    spoken: [name, ...(isNewest ? [l10n.t('newest')] : []), ...facts].join(', '),
  };
}

/** Returns a changed value as text. Environment variables appear by name only, because their values can be secrets. */
export function changedValue({ field }: ReleaseDiffEntry, value: unknown): string {
  if (value == null) return '–';
  if (/(^|\.)env$/i.test(field) && typeof value === 'object') return Object.keys(value).join(', ') || '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
