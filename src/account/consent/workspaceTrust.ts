import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from '../../kit/userError.ts';
import { confirmed } from '../../kit/messages.ts';
import { shown, type Showable } from '../../text/shownText.ts';
import type { Profile } from '../connections/connectionStore.ts';
import { ENDPOINT_SCHEME } from '../endpoints/endpointAddress.ts';
import { processQuestion, valuesQuestion } from './consentQuestions.ts';
import { decideTrust, notAgreed, withAgreement, type Act, type AgreedValues } from './trustDecision.ts';

/** Workspace-state key of the connection IDs for which the user has agreed to `process:` endpoints. */
const AGREED = 'cloudCompute.trust.processConnections';
/** Workspace-state key of the environment variables and secrets that the user has agreed to send, by connection. */
const AGREED_VALUES = 'cloudCompute.trust.sentValues';
/** Schemes of documents that are not files. */
const TYPED_SCHEMES: readonly string[] = ['untitled', ENDPOINT_SCHEME];

export interface TrustedAct extends Act {
  /** The act as a gerund, as in `<deed> requires a trusted workspace`. */
  readonly deed: Showable;
}

/** Returns the source of an act on a document. */
export function sourceOf({ scheme }: vscode.Uri): Act['source'] {
  return TYPED_SCHEMES.includes(scheme) ? 'typed' : 'workspaceFile';
}

/** @throws UserError with a button that manages workspace trust, when the act requires a trusted workspace */
export function requireTrust({ deed, ...act }: TrustedAct): void {
  const trusted = vscode.workspace.isTrusted;
  if (decideTrust(act, { trusted, platform: undefined, agreed: false }).kind === 'refuse')
    throw new UserError(shown`${deed} requires a trusted workspace (use “Manage Workspace Trust”)`, {
      label: l10n.t('Manage Workspace Trust'),
      command: 'workbench.trust.manage',
    });
}

/**
 * Returns whether an act is allowed on a connection. Asks before the first `process:` endpoint of this workspace on each platform other
 * than the user's own local platform, and before this workspace sends the value of a reference to a connection for the first time. Remembers
 * consent.
 *
 * @throws UserError with a button that manages workspace trust, when the act requires a trusted workspace
 */
export async function mayAct(memento: vscode.Memento, profile: Profile, act: TrustedAct): Promise<boolean> {
  requireTrust(act);
  return (await mayRun(memento, profile, act)) && (await maySendValues(memento, profile, act));
}

async function mayRun(memento: vscode.Memento, profile: Profile, act: Act): Promise<boolean> {
  const agreed = memento.get<readonly string[]>(AGREED, []);
  const decision = decideTrust(act, {
    trusted: true,
    platform: profile.kind === 'local' ? 'own' : 'other',
    agreed: agreed.includes(profile.id),
  });
  if (decision.kind !== 'ask') return decision.kind === 'allow';
  const { message, detail } = processQuestion(profile, decision.process);
  if (!(await confirmed(message, detail, l10n.t('Run Command')))) return false;
  await memento.update(AGREED, [...agreed, profile.id]);
  return true;
}

async function maySendValues(memento: vscode.Memento, profile: Profile, { references = [] }: Act): Promise<boolean> {
  const agreed = memento.get<AgreedValues>(AGREED_VALUES, {});
  const unknown = notAgreed(agreed, profile.id, references);
  if (unknown.length === 0) return true;
  const { message, detail } = valuesQuestion(profile, unknown);
  if (!(await confirmed(message, detail, l10n.t('Send Values')))) return false;
  await memento.update(AGREED_VALUES, withAgreement(agreed, profile.id, unknown));
  return true;
}
