import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { explain } from '../../kit/explain.ts';
import { UserError } from '../../kit/userError.ts';
import { confirmed, showStatusBarMessage } from '../../kit/messages.ts';
import { withProgress } from '../../kit/progress.ts';
import { joined, namedAtMost, oneLine, shown, withoutControls } from '../../text/shownText.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { deleteEndpoints, readBeforeDeletion } from './actions/deleteEndpoints.ts';
import { chosenEndpoints, chosenNodes } from '../../account/endpoints/chosenEndpoints.ts';
import type { EndpointSnapshot } from '../../account/endpoints/endpointSnapshot.ts';
import { consoleUrl } from '../../account/endpoints/consoleUrl.ts';
import { deletionQuestion } from './model/deletion.ts';

const VIEW = { viewId: 'cloudCompute.endpoints' } as const;
/** Duration of a confirmation in the status bar, in ms. */
const CONFIRMATION_MS = 3_000;

/** Reads the endpoints of the current connection again. */
export async function refreshEndpoints({ endpoints }: Pick<AccountServices, 'endpoints'>): Promise<void> {
  await withProgress({ title: l10n.t('Reading the endpoints…'), location: VIEW }, () => endpoints.refresh());
}

/** Reads the chosen endpoints again. An error row stands for its endpoint. */
export async function refreshChosen(
  services: Pick<AccountServices, 'connections' | 'endpoints'>,
  args: readonly unknown[],
): Promise<void> {
  const chosen = await chosenEndpoints(services, problemAsEndpoint(args), l10n.t('Endpoint to refresh'));
  await Promise.all(chosen.map(({ endpoint }) => services.endpoints.refreshOne(endpoint.id)));
}

/** Returns the arguments of a command with an error row replaced by the endpoint that it belongs to. */
function problemAsEndpoint([node, ...rest]: readonly unknown[]): readonly unknown[] {
  const { kind, endpointId } = (node ?? {}) as { kind?: string; endpointId?: string };
  return kind === 'problem' ? [{ kind: 'endpoint', endpointId }] : [node, ...rest];
}

/** Deletes the chosen endpoints after a confirmation that contains their jobs and workers. */
export async function askAndDelete(
  services: Pick<AccountServices, 'connections' | 'endpoints'>,
  args: readonly unknown[],
): Promise<void> {
  const { endpoints } = services;
  const { client } = requireConnection(services.connections);
  // The Delete key acts on any row, and the menu only on endpoints.
  if (chosenNodes(args).some(({ kind }) => kind === 'worker'))
    throw new UserError(l10n.t('a worker cannot be deleted; select its endpoint'));
  const chosen = (await chosenEndpoints(services, args, l10n.t('Endpoint to delete'))).filter(
    ({ deleting }) => !deleting,
  );
  if (chosen.length === 0) return;
  const ids = chosen.map(({ endpoint }) => endpoint.id);
  const current = await withProgress({ title: l10n.t('Counting jobs and workers…'), location: VIEW }, () =>
    readBeforeDeletion(endpoints, ids),
  );
  if (current.length === 0) throw new UserError(l10n.t('the endpoint no longer exists'));
  const { message, detail } = deletionQuestion(current);
  if (!(await confirmed(message, detail, l10n.t('Delete')))) return;
  const failed = await deleteEndpoints(
    { client, store: endpoints },
    current.map(({ endpoint }) => endpoint),
  );
  const [first] = failed;
  if (first && current.length === 1) throw first.error;
  if (first) {
    const names = joined(namedAtMost(failed.map(({ endpoint }) => shown`“${endpoint.name}”`)), ', ');
    const attempt = failed.length === 1 ? shown`${names} was not deleted` : shown`${names} were not deleted`;
    throw new UserError(explain(first.error, attempt), {
      label: l10n.t('Refresh'),
      command: 'cloudCompute.endpoints.refresh',
    });
  }
}

/** Copies the IDs of the chosen endpoints and workers, one per line. */
export async function copyIds(
  services: Pick<AccountServices, 'connections' | 'endpoints'>,
  args: readonly unknown[],
): Promise<void> {
  const nodes = chosenNodes(args);
  const ids =
    nodes.length > 0
      ? nodes.map((node) => (node.kind === 'worker' ? node.workerId : node.endpointId))
      : (await chosenEndpoints(services, [], l10n.t('Endpoint to copy the ID of'))).map(({ endpoint }) => endpoint.id);
  await copy(ids.map(oneLine), ids.length === 1 ? 'ID' : l10n.t`${ids.length} IDs`);
}

async function copy(texts: readonly string[], what: string): Promise<void> {
  if (texts.length === 0) return;
  await vscode.env.clipboard.writeText(texts.map(withoutControls).join('\n'));
  showStatusBarMessage(shown`$(check) ${what} copied`, CONFIRMATION_MS);
}

/** Opens the page of an endpoint in the console of its platform. */
export async function openInBrowser(
  { connections }: Pick<AccountServices, 'connections'>,
  { endpoint: { id } }: EndpointSnapshot,
): Promise<void> {
  const url = consoleUrl(connections.profile, id);
  if (url === undefined)
    throw new UserError(l10n.t('no console address is set for this platform'), {
      label: l10n.t('Open Settings'),
      command: 'workbench.action.openSettings',
      argument: 'cloudCompute.consoleAddresses',
    });
  await vscode.env.openExternal(vscode.Uri.parse(url, true));
}
