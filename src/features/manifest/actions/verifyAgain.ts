import pMap from 'p-map';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { unchangedParts, type DeploymentPlan, type UnchangedPart } from '../model/deployment/deploymentPlan.ts';
import { unverifiedDeployment, type JournaledDeployment } from '../model/deployment/journal.ts';
import type { Verification } from '../model/deployment/verification.ts';
import type { VerificationTest } from '../model/deployment/verificationTest.ts';
import { newestVersion } from './deploymentJournal.ts';
import { verifyDeployment, type VerifyOptions } from './verifyDeployment.ts';

/* Verifies endpoints again that are in sync with their manifests, and whose last deployment was not verified. */

/**
 * Returns whether the last deployment of an endpoint was not verified, or has no result. False if its newest version comes from elsewhere.
 *
 * @param deployments those of the platform, newest first
 */
export async function isUnverified(
  client: Client,
  deployments: readonly JournaledDeployment[],
  endpoint: Endpoint,
): Promise<boolean> {
  const last = unverifiedDeployment(deployments, endpoint);
  const version = last?.finished?.version;
  return last !== undefined && (version === undefined || (await newestVersion(client, endpoint.id)) === version);
}

/** An endpoint that is in sync with its manifest, and not verified. */
export type UnverifiedPart = UnchangedPart & {
  readonly name: string;
  readonly unverified: { readonly test: VerificationTest | undefined };
};

export function unverifiedParts(plan: DeploymentPlan): readonly UnverifiedPart[] {
  return unchangedParts(plan).flatMap((part) =>
    part.unverified ? [{ ...part, name: part.endpoint.name, unverified: part.unverified }] : [],
  );
}

/** The result of another verification. */
export interface VerifiedAgain {
  readonly part: UnverifiedPart;
  readonly verification: Verification;
}

/** Maximum number of endpoints that are watched at the same time. */
const CONCURRENCY = 4;

/** Verifies endpoints again, as after their deployment. */
export function verifyAgain(
  client: Client,
  parts: readonly UnverifiedPart[],
  {
    onState,
    ...options
  }: Omit<VerifyOptions, 'test' | 'onState'> & {
    readonly onState: (part: UnverifiedPart, state: { readonly headline: string }) => void;
  },
): Promise<readonly VerifiedAgain[]> {
  return pMap(
    parts,
    async (part) => {
      const { endpoint, unverified } = part;
      const own = {
        ...options,
        test: unverified.test,
        onState: (state: { readonly headline: string }) => onState(part, state),
      };
      return { part, verification: await verifyDeployment(client, endpoint, own) };
    },
    { concurrency: CONCURRENCY },
  );
}
