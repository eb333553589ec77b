import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { oneLine, shown } from '../../../text/shownText.ts';
import { askAndCreateCredential } from './askAndCreateCredential.ts';
import { askAndDeleteCredential } from './askAndDeleteCredential.ts';
import { RESOURCES_VIEW } from './index.ts';
import { isResource } from './resourceNode.ts';
import type { ResourceStore } from './resourceStore.ts';

/** Reads the resources again. */
export async function refreshResources(store: ResourceStore): Promise<void> {
  const location = { viewId: RESOURCES_VIEW };
  await withProgress({ title: l10n.t('Refreshing…'), location }, () => store.refresh());
}

/** Copies the ID of a row. */
export async function copyResourceId(node: unknown): Promise<void> {
  if (!isResource(node)) return;
  await vscode.env.clipboard.writeText(oneLine(node.id));
  showStatusBarMessage(shown`$(check) ID copied`, 3_000);
}

/** Adds a credential for a container registry. Completion in manifests offers it. */
export async function createCredential(
  { connections, liveValues }: Pick<AccountServices, 'connections' | 'liveValues'>,
  store: ResourceStore,
): Promise<void> {
  await askAndCreateCredential(store, requireConnection(connections).client);
  liveValues.refresh('registries');
}

/** Deletes the credential of a row after a confirmation. */
export async function deleteCredential(
  { connections, liveValues }: Pick<AccountServices, 'connections' | 'liveValues'>,
  store: ResourceStore,
  node: unknown,
): Promise<void> {
  await askAndDeleteCredential(store, requireConnection(connections).client, node);
  liveValues.refresh('registries');
}
