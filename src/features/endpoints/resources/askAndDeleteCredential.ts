import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import { confirmed } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { separator, type ShownItem } from '../../../kit/quickInput.ts';
import { askItem, askText, BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import { findUsers, listCredentialsIfAllowed } from '../../../account/credentials.ts';
import { credentialDeletionDetail } from '../model/deletion.ts';
import { isResource } from './resourceNode.ts';
import type { ResourceStore } from './resourceStore.ts';

const PLACE = { title: l10n.t('Delete Registry Credential') };

/** The credential to delete. Its name is undefined when the key has no permission to list credentials. */
interface Target {
  readonly id: string;
  readonly name: string | undefined;
}

/**
 * Deletes a credential after a confirmation that lists the endpoints and templates that use it.
 *
 * @param node the row that the command was run on; without one, the user selects a credential
 */
export async function askAndDeleteCredential(store: ResourceStore, client: Client, node: unknown): Promise<void> {
  // The key binding runs on any row, and only credentials can be deleted.
  if (isResource(node) && node.group !== 'registries') return;
  const target = isResource(node) ? rowOf(store, node.id) : await chooseTarget(client);
  if (!target) return;
  const what = target.name === undefined ? shown`with the ID ${target.id}` : shown`“${target.name}”`;
  const users = await withProgress(
    {
      title: l10n.t('Finding endpoints and templates that use the credential…'),
      location: { viewId: 'cloudCompute.resources' },
    },
    (signal) => findUsers(client, target.id, { signal }),
  );
  if (await confirmed(shown`Delete registry credential ${what}?`, credentialDeletionDetail(users), l10n.t('Delete')))
    await store.deleteRegistry(client, target.id);
}

function rowOf(store: ResourceStore, id: string): Target {
  return { id, name: store.listings.registries.items.find((one) => one.id === id)?.name };
}

async function chooseTarget(client: Client): Promise<Target | undefined> {
  const credentials = await listCredentialsIfAllowed(client);
  if (!credentials)
    return askForId(l10n.t('The API key has no permission to list credentials. The console shows their IDs.'));
  if (credentials.length === 0) return askForId(l10n.t('The list of credentials is empty.'));
  const byId = { label: shown`$(edit) Enter an ID…`, alwaysShow: true };
  const items = credentials.map(({ name, id }) => ({ label: name, description: id, id, name }));
  const chosen = await askItem<Partial<Target> & ShownItem>({
    place: PLACE,
    placeholder: l10n.t('Credential to delete'),
    items: [...items, separator(), byId],
  });
  if (chosen === BACK || chosen === undefined) return undefined;
  const { id, name } = chosen.item;
  return id === undefined ? askForId('') : { id, name };
}

async function askForId(why: string): Promise<Target | undefined> {
  const id = await askText({
    place: PLACE,
    prompt: l10n.t`${why} Enter the ID of the credential to delete.`.trim(),
    problem: (text) =>
      /^[\w-]+$/.test(text.trim())
        ? undefined
        : l10n.t('An ID must contain only letters, digits, hyphens, and underscores.'),
  });
  return typeof id === 'string' ? { id: id.trim(), name: undefined } : undefined;
}
