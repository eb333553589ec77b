import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { showStatusBarMessage, confirmed } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { oneLine, shown } from '../../../text/shownText.ts';
import { RESOURCES_VIEW } from './index.ts';
import { isResource } from './resourceNode.ts';
import type { ResourceStore } from './resourceStore.ts';
import type { Client } from '../../../client/client.ts';
import { separator, type ShownItem } from '../../../kit/quickInput.ts';
import { askItem, askText, BACK, type Place } from '../../../kit/steps.ts';
import { findUsers, listCredentialsIfAllowed, createCredential } from '../../../account/credentials.ts';
import { credentialDeletionDetail } from '../model/deletion.ts';
import type { Registry } from '../../../contract/registry.ts';
import { isCanceled } from '../../../kit/errors.ts';
import { explain } from '../../../kit/explain.ts';

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
export async function addCredential(
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
async function askAndDeleteCredential(store: ResourceStore, client: Client, node: unknown): Promise<void> {
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

const TITLE = l10n.t('Add Registry Credential');

/** Asks for a name, user name, and password until the platform accepts them. */
async function askAndCreateCredential(store: ResourceStore, client: Client): Promise<void> {
  const answers = ['', ''];
  let step = 0;
  for (;;) {
    const answer = step < 2 ? await askPlainText(step, answers[step] ?? '', store) : await askPassword(client, answers);
    if (answer === undefined) return;
    if (answer === BACK) step--;
    else if (typeof answer !== 'string') {
      showStatusBarMessage(shown`$(check) Registry credential “${answer.name}” added`, 5_000);
      await store.refresh();
      return;
    } else answers[step++] = answer;
  }
}

const place = (step: number): Place => ({ title: TITLE, step: step + 1, totalSteps: 3, back: step > 0 });

async function askPlainText(
  step: number,
  value: string,
  store: ResourceStore,
): Promise<string | typeof BACK | undefined> {
  const names = new Set(store.listings.registries.items.map(({ name }) => name));
  const question =
    step === 0
      ? {
          prompt: l10n.t('Name of the credential'),
          placeholder: 'ghcr',
          problem: (text: string) =>
            required(l10n.t('A name'), text) ??
            (names.has(text.trim()) ? l10n.t('A credential with this name already exists.') : undefined),
        }
      : {
          prompt: l10n.t('User name on the registry'),
          problem: (text: string) => required(l10n.t('A user name'), text),
        };
  const answer = await askText({ place: place(step), value, ...question });
  return typeof answer === 'string' ? answer.trim() : answer === BACK ? BACK : undefined;
}

/** Asks for the password and creates the credential. The input stays open until the platform accepts the answers. */
async function askPassword(client: Client, [name = '', username = '']: readonly string[]) {
  let created: Registry | undefined;
  const answer = await askText({
    place: place(2),
    prompt: l10n.t('Password or access token. It is sent to the platform and not stored in the editor.'),
    password: true,
    problem: (text) => required(l10n.t('A password'), text),
    attempt: async (password, signal) => {
      try {
        created = await createCredential(client, { name, username, password }, { signal });
        return undefined;
      } catch (error) {
        return isCanceled(error) ? undefined : explain(error, l10n.t('Could not add the credential'));
      }
    },
  });
  return answer === BACK ? BACK : created;
}

function required(what: string, text: string): string | undefined {
  return text.trim() === '' ? l10n.t`${what} is required.` : undefined;
}
