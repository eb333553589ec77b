import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { confirmed, showMessage, showStatusBarMessage } from '../../../kit/messages.ts';
import type { ShownItem } from '../../../kit/quickInput.ts';
import { askItem, BACK } from '../../../kit/steps.ts';
import { joined, shown, type ShownText } from '../../../text/shownText.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { fileName, openManifests } from '../manifestFiles.ts';
import { referenceText } from '../../../account/secrets/envReferences.ts';
import { addSecret, askValue } from './addSecret.ts';
import { secretNames, type SecretStore } from '../../../account/secrets/secretStore.ts';

const TITLE = l10n.t('Manage Secrets');

interface SecretItem extends ShownItem {
  /** Undefined for a new secret. */
  readonly name?: string;
}

interface ActionItem extends ShownItem {
  /** Resolves with `BACK` if the list of actions must be shown again. */
  readonly run: () => Promise<typeof BACK | undefined>;
}

/** Lists the secrets, and replaces, copies, or deletes the chosen one. */
export async function manageSecrets(store: SecretStore, models: ManifestModels): Promise<void> {
  const add = l10n.t('Add Secret');
  if (store.names.size === 0) {
    const chosen = await showMessage('information', l10n.t('There are no secrets yet.'), add);
    if (chosen === add) await addSecret(store, models, undefined);
    return;
  }
  for (;;) {
    const items: SecretItem[] = [
      ...secretNames(store).map((name) => ({ label: shown`$(key) ${name}`, name })),
      { label: shown`$(add) Add Secret…`, alwaysShow: true },
    ];
    const chosen = await askItem({ place: { title: TITLE }, placeholder: l10n.t('Secret to change'), items });
    if (chosen === undefined || chosen === BACK) return;
    const { name } = chosen.item;
    if (name === undefined) return addSecret(store, models, undefined);
    if ((await act(store, models, name)) !== BACK) return;
  }
}

async function act(store: SecretStore, models: ManifestModels, name: string): Promise<typeof BACK | undefined> {
  const items: ActionItem[] = [
    { label: shown`$(edit) Replace Value…`, run: () => replaceValue(store, name) },
    { label: shown`$(copy) Copy Reference`, detail: referenceOf(name), run: () => copyReference(name) },
    { label: shown`$(trash) Delete…`, run: () => askAndDelete(store, models, name) },
  ];
  for (;;) {
    const place = { title: shown`Secret “${name}”`, back: true };
    const chosen = await askItem({ place, placeholder: l10n.t('Action'), items });
    if (chosen === undefined || chosen === BACK) return chosen;
    if ((await chosen.item.run()) !== BACK) return undefined;
  }
}

async function replaceValue(store: SecretStore, name: string): Promise<typeof BACK | undefined> {
  const value = await askValue({ title: shown`Secret “${name}”`, back: true }, name);
  if (value === undefined || value === BACK) return value;
  await store.set(name, value);
  showStatusBarMessage(shown`$(check) Value of “${name}” replaced`, 5_000);
  return undefined;
}

async function copyReference(name: string): Promise<undefined> {
  await vscode.env.clipboard.writeText(referenceOf(name));
  showStatusBarMessage(shown`$(check) Reference copied`, 3_000);
}

async function askAndDelete(store: SecretStore, models: ManifestModels, name: string): Promise<undefined> {
  const users = await usersOf(models, name);
  const lines = [
    users.length > 0 ? shown`Used by ${joined(users, ', ')}.` : l10n.t('No open manifest uses it.'),
    l10n.t('Deployed endpoints keep the value.'),
  ];
  if (!(await confirmed(shown`Delete the secret “${name}”?`, joined(lines, '\n'), l10n.t('Delete Secret')))) return;
  await store.delete(name);
  showStatusBarMessage(shown`$(check) Secret “${name}” deleted`, 5_000);
}

/** Returns the names of the open manifests that refer to a secret. */
async function usersOf(models: ManifestModels, name: string): Promise<readonly ShownText[]> {
  const { usersOfSecret } = await import('../model/environment/envEdit.ts');
  const found: ShownText[] = [];
  for (const document of openManifests())
    if (usersOfSecret(await models.read(document), name).length > 0) found.push(shown`${fileName(document.uri)}`);
  return found;
}

function referenceOf(name: string): string {
  return referenceText({ kind: 'secret', name });
}
