import * as l10n from '@vscode/l10n';
import type { Release } from '../../../contract/release.ts';
import { foreign } from '../../../text/shownText.ts';

/** The deployment that made a release, from the journal of deployments. */
export interface ReleaseDeployment {
  /** Name of the person. */
  readonly by: string;
  /** Commit of the files. Undefined outside of a repository. */
  readonly commit: string | undefined;
  /** Whether files differed from the commit. */
  readonly isDirty: boolean;
  readonly environment: string | undefined;
  /** Result of the last verification of the release. */
  readonly verification: 'verified' | 'failed' | 'none';
}

/** Returns the deployment of a version. Undefined if no journal of the workspace contains it. */
export type DeploymentOfVersion = (version: number) => ReleaseDeployment | undefined;

/** Reads the deployments of an endpoint from the journals of the workspace. */
export type FindDeployments = (endpointId: string) => Promise<DeploymentOfVersion>;

/** Returns the names of the changed settings, without the prefixes that they have on the wire. */
export function whatChanged({ diff }: Release): string {
  if (diff.length === 0) return l10n.t('created');
  const names = diff.map(({ field }) => field.replace(/^template\./, '').replace(/^imageName$/, 'image'));
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? l10n.t`${shown} and ${names.length - 3} more` : shown;
}

/** Names the person, the code, and the verification of a deployment. */
export function deploymentWords({ by, commit, isDirty, environment, verification }: ReleaseDeployment): string {
  const code = commit?.slice(0, 12) ?? '';
  const facts = [
    l10n.t`Deployed by ${foreign(by).text}`,
    ...(commit === undefined ? [] : [isDirty ? l10n.t`commit ${code} with changes` : l10n.t`commit ${code}`]),
    ...(environment === undefined ? [] : [foreign(environment).text]),
    VERIFICATION_WORDS[verification],
  ];
  return facts.join(' · ');
}

const VERIFICATION_WORDS = {
  verified: l10n.t('verified'),
  failed: l10n.t('failed its verification'),
  none: l10n.t('not verified'),
} satisfies Record<ReleaseDeployment['verification'], string>;
