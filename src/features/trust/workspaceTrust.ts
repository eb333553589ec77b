import * as vscode from 'vscode';
import { UserError } from '../../vscode/errors.ts';
import { confirmed } from '../../vscode/messages.ts';
import { foreign, joined, NO_TEXT, shown, type Showable } from '../../vscode/text/shownText.ts';
import type { Profile } from '../connections/connectionStore.ts';
import { ENDPOINT_SCHEME } from '../endpoints/editing/endpointAddress.ts';
import { decideTrust, type Act, type ProcessCommand } from './trustDecision.ts';

/** Ids of the connections on which a person agreed to `process:` endpoints, for this workspace. */
const AGREED = 'cloudCompute.trust.processConnections';
/** Documents that are no files. */
const TYPED_SCHEMES: readonly string[] = ['untitled', ENDPOINT_SCHEME];

export interface TrustedAct extends Act {
  /** What is refused, as in `To <deed>, trust this workspace`. */
  readonly deed: Showable;
}

export function sourceOf({ scheme }: vscode.Uri): Act['source'] {
  return TYPED_SCHEMES.includes(scheme) ? 'typed' : 'workspaceFile';
}

/** @throws UserError that offers to trust the workspace, where the act needs it */
export function requireTrust({ deed, ...act }: TrustedAct): void {
  const trusted = vscode.workspace.isTrusted;
  if (decideTrust(act, { trusted, platform: undefined, agreed: false }).kind === 'refuse')
    throw new UserError(shown`this workspace is not trusted. To ${deed}, trust it with “Manage Workspace Trust”.`, {
      label: 'Manage Workspace Trust',
      command: 'workbench.trust.manage',
    });
}

/**
 * Whether an act may be done on a connection. Asks before the first `process:` endpoint of this workspace on a platform that is not
 * our own local one, and remembers a yes.
 *
 * @throws UserError that offers to trust the workspace, where the act needs it
 */
export async function mayAct(memento: vscode.Memento, profile: Profile, act: TrustedAct): Promise<boolean> {
  requireTrust(act);
  const agreed = memento.get<readonly string[]>(AGREED, []);
  const decision = decideTrust(act, {
    trusted: true,
    platform: profile.kind === 'local' ? 'own' : 'other',
    agreed: agreed.includes(profile.id),
  });
  if (decision.kind !== 'ask') return decision.kind === 'allow';
  if (!(await isAgreed(profile, decision.process))) return false;
  await memento.update(AGREED, [...agreed, profile.id]);
  return true;
}

/** A person who agrees must see what runs: a command is cut later than other texts, in UTF-16 code units. */
const LONGEST_COMMAND = 4_000;

function isAgreed({ name, baseUrl }: Profile, { directory, command }: ProcessCommand): Promise<boolean> {
  const detail = joined(
    [
      shown`Command: ${command === '' ? 'the one that the endpoint has' : foreign(command, LONGEST_COMMAND)}`,
      shown`Directory: ${directory}`,
      shown`Platform: ${new URL(baseUrl).host}`,
      NO_TEXT,
      shown`The command runs outside of any container, with the rights of that platform. This workspace does not ask again on this connection.`,
    ],
    '\n',
  );
  return confirmed(shown`Run a command on the machine of the platform “${name}”?`, detail, 'Run Command');
}
