import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { explain } from '../../../kit/explain.ts';
import { UserError } from '../../../kit/userError.ts';
import { closeDifference, showDifference } from '../../../kit/showDocuments.ts';
import { confirmed } from '../../../kit/messages.ts';
import { joined, shown, type Showable } from '../../../text/shownText.ts';
import { accountOf } from '../../../account/connections/storedConnections.ts';
import { connectionOfDocument } from '../../../account/connections/requireConnection.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { sendResolved, UnresolvedReferencesError } from '../actions/resolveBody.ts';
import { referencesOf } from '../../../account/secrets/envReferences.ts';
import { unresolved } from '../language/refusal.ts';
import { comparedValues, valueSource } from '../../../account/secrets/valueSource.ts';
import { mayAct } from '../../../account/consent/workspaceTrust.ts';
import { endpointAddresses } from '../../../account/endpoints/endpointAddress.ts';
import { InvalidEditError, overwrittenSettings, processAfter, readEdit } from '../actions/updateEndpoint.ts';
import { isChangeWanted } from '../environments/chooseEnvironment.ts';
import type { EditBase } from './endpointDocuments.ts';
import { changeWords, workersSentence, type ManifestChange } from '../model/deployment/difference.ts';

/**
 * Saves an edited manifest: shows the differences, asks for confirmation, and sends a PATCH with the changed settings. Returns the updated
 * endpoint.
 *
 * @throws UserError if the edit was not saved. The editor shows its message.
 */
export async function saveEdit(
  services: AccountServices,
  uri: vscode.Uri,
  text: string,
  { endpoint, connectionId, account }: EditBase,
): Promise<Endpoint> {
  const { client, profile } = await connectionOfDocument(services.connections, connectionId);
  if (accountOf(profile) !== account)
    throw new UserError(
      l10n.t('The connection or its team has changed since you opened the endpoint. Edit the endpoint again.'),
    );
  const change = await readEdit(text, endpoint, { target: profile.kind, values: comparedValues(services) }).catch(
    (error: unknown) => {
      if (error instanceof UnresolvedReferencesError) throw unresolved(error);
      throw error instanceof InvalidEditError ? new UserError(invalidEditMessage(error)) : error;
    },
  );
  if (Object.keys(change.body).length === 0) return endpoint;
  const process = await processAfter(client, change, endpoint).catch((error: unknown) => {
    throw new UserError(explain(error, l10n.t('Could not read the template')));
  });
  // The text comes from the platform and the user, not from a workspace file. A changed command still runs in a directory.
  const references = referencesOf(change.body.env);
  const deed = process
    ? l10n.t('changing the command of a process: endpoint')
    : l10n.t('sending environment variables and secrets');
  const act = { source: 'typed', process, references, deed } as const;
  const notUpdatedError = () =>
    new UserError(shown`“${endpoint.name}” was not updated. The file still contains your changes.`);
  if (!(await mayAct(services.context.workspaceState, profile, act))) throw notUpdatedError();
  const overwritten = await overwrittenSettings(client, change, endpoint).catch((error: unknown) => {
    throw new UserError(explain(error, l10n.t('Could not read the endpoint')));
  });
  if (!(await isWanted(uri, change, endpoint, overwritten))) throw notUpdatedError();
  if (!(await isChangeWanted(services, profile, endpoint))) throw notUpdatedError();
  try {
    return await sendResolved(change.body, valueSource(services), (body, redact) =>
      services.endpoints.update(client, endpoint.id, body, { redact }),
    );
  } catch (error) {
    if (error instanceof UnresolvedReferencesError) throw unresolved(error);
    throw new UserError(explain(error, l10n.t('Could not update the endpoint')));
  }
}

function invalidEditMessage({ kind, reasons }: InvalidEditError): Showable {
  switch (kind) {
    case 'notManifest':
      return shown`The file is not a valid manifest: ${firstOf(reasons)}`;
    case 'process':
      return l10n.t(
        'x-local of an endpoint can contain only gpu and preload. To run another process, set the image to process:<directory>.',
      );
    case 'onlyInFiles':
      return shown`${firstOf(reasons)} is for manifests in files. Remove it.`;
    case 'localOnly':
      return l10n.t('x-local is only for the local platform. Remove the change to x-local.');
    case 'change':
      return `${firstOf(reasons)}.`;
  }
}

/** Returns the first five reasons and the number of the others, so that they fit in a message. */
function firstOf(reasons: readonly string[]): string {
  const most = 5;
  const more = reasons.length > most ? l10n.t`; and ${reasons.length - most} more` : '';
  return `${reasons.slice(0, most).join('; ')}${more}`;
}

/** Shows the differences in a diff editor and asks for confirmation. */
async function isWanted(
  uri: vscode.Uri,
  change: ManifestChange,
  endpoint: Endpoint,
  overwritten: readonly string[],
): Promise<boolean> {
  const before = vscode.Uri.from(endpointAddresses.sibling(uri, { kind: 'original' }) ?? uri);
  await showDifference(before, uri, shown`${endpoint.name}: Current ↔ Edited`);
  const lines = [
    ...change.changes.map(changeWords),
    '',
    workersSentence(change),
    ...(overwritten.length > 0
      ? ['', l10n.t`This overwrites a newer change of ${overwritten.join(l10n.t(' and '))}.`]
      : []),
  ];
  const wanted = await confirmed(
    shown`Update endpoint “${endpoint.name}”?`,
    joined(lines, '\n'),
    l10n.t('Update Endpoint'),
  );
  await closeDifference(before, uri);
  return wanted;
}
