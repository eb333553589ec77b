import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { showMessage, type Severity } from '../../../kit/messages.ts';
import type { Report } from '../../../kit/progress.ts';
import { pick } from '../../../kit/quickInput.ts';
import { UserError } from '../../../kit/userError.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import { verifyDeployment } from '../actions/verifyDeployment.ts';
import { isBroken, isVerified, verificationWords, type Verification } from '../model/deployment/verification.ts';
import {
  readVerificationTest,
  TestFileError,
  type VerificationTest,
  type VerificationTests,
} from '../model/deployment/verificationTest.ts';

/* Endpoints that the editor watches after it has deployed them. */

const EXPLAIN: CommandId = 'cloudCompute.endpoints.explain';
const ROLL_BACK: CommandId = 'cloudCompute.endpoints.rollBack';
const DELETE: CommandId = 'cloudCompute.endpoints.delete';

/** Time in which a worker must be up, in ms. The user can end the wait. */
export const VERIFY_MS = 300_000;

type Services = Pick<AccountServices, 'claimedFailures' | 'endpoints' | 'log'>;

/** Runs a deployment that reports the failures of endpoints itself. `claim` is called for each of them. */
export async function reportingFailures<Result>(
  { claimedFailures, endpoints }: Services,
  deploy: (claim: (endpointId: string) => void) => Promise<Result>,
): Promise<Result> {
  const claims: (() => void)[] = [];
  try {
    const result = await deploy((endpointId) => claims.push(claimedFailures.claim(endpointId)));
    // The store also sees the failures before others may report them.
    await endpoints.refresh();
    return result;
  } finally {
    for (const release of claims) release();
  }
}

interface Watched {
  readonly client: Client;
  readonly profile: Pick<Profile, 'kind'>;
  readonly endpoint: Endpoint;
  /** Default: none. */
  readonly test?: VerificationTest | undefined;
  readonly tests?: VerificationTests;
}

/** Watches a deployed endpoint until it works, with the reasons why it does not yet as progress. */
export function watchEndpoint(
  services: Services,
  { client, profile, endpoint, ...tested }: Watched,
  signal: AbortSignal,
  report: Report,
): Promise<Verification> {
  return reportingFailures(services, (claim) => {
    claim(endpoint.id);
    const onState = ({ headline }: { readonly headline: string }): void => report(shown`${headline}`);
    return verifyDeployment(client, endpoint, {
      ...{ platform: profile.kind, limitMs: VERIFY_MS, signal, onState, ...tested },
    });
  });
}

/** Reads the test of a manifest. @throws UserError for a job file or a request file that cannot be used */
export async function testOf(
  tests: VerificationTests,
  manifest: Manifest,
  { uri }: Pick<vscode.TextDocument, 'uri'>,
): Promise<VerificationTest | undefined> {
  try {
    return await readVerificationTest(tests, manifest, uri.toString());
  } catch (error) {
    if (!(error instanceof TestFileError)) throw error;
    throw new UserError(
      error.field === 'job'
        ? shown`the job of x-verify cannot be used: ${error.message}`
        : shown`the requests of x-verify cannot be used: ${error.message}`,
    );
  }
}

/** Returns the part of a question that names the test. */
export function testSentences(test: VerificationTest | undefined): readonly string[] {
  if (!test) return [];
  return [
    test.kind === 'job' ? l10n.t('Then runs the job of x-verify.') : l10n.t('Then sends the requests of x-verify.'),
  ];
}

/** Returns a sentence about a deployment, such as Endpoint “hello” updated: 1 worker is up. */
function deployedText(deployed: ShownText, verification: Verification): ShownText {
  return verification.outcome === 'accepted' && !verification.isPaused
    ? shown`${deployed}.`
    : shown`${deployed}: ${verificationWords(verification).replace(/\.$/, '')}.`;
}

/** Shows the result of a deployment, and offers what helps if the endpoint does not work, or else `next`. */
export function tellDeployed(
  deployed: ShownText,
  verification: Verification,
  broken: BrokenEndpoint,
  next: readonly Help[] = [],
): void {
  const isGood = isVerified(verification) || verification.outcome === 'interrupted';
  const text = deployedText(deployed, verification);
  tellWithHelp(isGood ? 'information' : 'error', text, isBroken(verification) ? [broken] : [], isGood ? next : []);
}

/** An endpoint that does not work after its deployment. */
export interface BrokenEndpoint {
  readonly endpoint: Endpoint;
  /** Whether the deployment created it. */
  readonly isNew: boolean;
}

/** A button of a message, and its action. */
export type Help = readonly [button: string, act: () => unknown];

/** Shows a message. Not awaited, because the command is complete before the user answers it. */
export function tellWithHelp(
  severity: Severity,
  text: ShownText,
  broken: readonly BrokenEndpoint[],
  others: readonly Help[] = [],
): void {
  const help: readonly Help[] = [...others, ...(broken.length > 0 ? helpFor(broken) : [])];
  void showMessage(severity, text, ...help.map(([button]) => button)).then((chosen) =>
    help.find(([button]) => button === chosen)?.[1](),
  );
}

function helpFor(broken: readonly BrokenEndpoint[]): readonly Help[] {
  const run = async (commandOf: (one: BrokenEndpoint) => CommandId): Promise<void> => {
    const one = await chosenOf(broken);
    const node: EndpointNode | undefined = one && { kind: 'endpoint', endpointId: one.endpoint.id };
    if (one) await vscode.commands.executeCommand(commandOf(one), node);
  };
  return [
    [l10n.t('Explain This Endpoint'), () => run(() => EXPLAIN)],
    // An endpoint that was created now has no earlier settings.
    [l10n.t('Roll Back…'), () => run(({ isNew }) => (isNew ? DELETE : ROLL_BACK))],
  ];
}

async function chosenOf(broken: readonly BrokenEndpoint[]): Promise<BrokenEndpoint | undefined> {
  const [first, ...others] = broken;
  if (others.length === 0) return first;
  const items = broken.map((one) => ({ label: shown`${one.endpoint.name}`, description: one.endpoint.id, one }));
  return (await pick(items, { placeholder: l10n.t('Endpoint that does not work') }))?.one;
}
