import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { editOf } from '../../../kit/problems.ts';
import { askText, BACK, type Place } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { isManifest } from '../manifestFiles.ts';
import type { EnvPlace } from '../model/environment/envEdit.ts';
import { isSecretName } from '../../../account/secrets/envReferences.ts';
import type { SecretStore } from '../../../account/secrets/secretStore.ts';

const TITLE = l10n.t('Add Secret');

/** Argument of the command. */
export interface AddRequest {
  /** Name of the secret, which the user does not choose. */
  readonly name?: string;
  /** A manifest and the place of the literal that becomes the value. */
  readonly uri?: vscode.Uri;
  readonly place?: EnvPlace;
}

/**
 * Asks for a secret and stores it. With the cursor in a value of `env`, writes the reference there. For a literal in a manifest, stores
 * the literal and replaces it by the reference.
 */
export async function addSecret(store: SecretStore, models: ManifestModels, argument: unknown): Promise<void> {
  const { name: wanted, uri, place } = requestOf(argument);
  if (uri && place) return moveLiteral(store, models, uri, place);
  const cursor = wanted === undefined ? await cursorPlace(models) : undefined;
  const answer = await askBoth(store, wanted, cursor?.place.variable);
  if (answer === undefined) return;
  await store.set(answer.name, answer.value);
  if (cursor) await insertAt(models, cursor.editor, answer.name);
  showStatusBarMessage(shown`$(check) Secret “${answer.name}” added`, 5_000);
}

/** Validates the argument. A message's button passes only a name. */
function requestOf(argument: unknown): AddRequest {
  if (typeof argument === 'string') return isSecretName(argument) ? { name: argument } : {};
  if (typeof argument !== 'object' || argument === null) return {};
  const { name, uri, place } = argument as Partial<Record<keyof AddRequest, unknown>>;
  if (typeof name === 'string' && isSecretName(name)) return { name };
  const { part, variable } = (place ?? {}) as Partial<Record<keyof EnvPlace, unknown>>;
  return uri instanceof vscode.Uri && isManifest({ uri }) && typeof part === 'number' && typeof variable === 'string'
    ? { uri, place: { part, variable } }
    : {};
}

/** Moves a literal to a secret. The value is not shown. */
async function moveLiteral(
  store: SecretStore,
  models: ManifestModels,
  uri: vscode.Uri,
  place: EnvPlace,
): Promise<void> {
  const name = await askName(store, { title: l10n.t('Move to a Secret') }, place.variable);
  if (typeof name !== 'string') return;
  const document = await vscode.workspace.openTextDocument(uri);
  const { literalAt, replaceByReference } = await import('../model/environment/envEdit.ts');
  const file = await models.read(document);
  const [value, change] = [literalAt(file, place), replaceByReference(file, place, { kind: 'secret', name })];
  if (value === undefined || !change) throw new UserError(l10n.t('the value in the manifest has changed'));
  const { version } = document;
  await store.set(name, value);
  if (document.version !== version || !(await vscode.workspace.applyEdit(editOf(document, [change]))))
    throw new UserError(
      shown`the secret “${name}” was added, but the manifest has changed and still contains the value`,
    );
  showStatusBarMessage(shown`$(check) Value moved to the secret “${name}”`, 5_000);
}

interface Cursor {
  readonly editor: vscode.TextEditor;
  readonly place: EnvPlace;
}

async function cursorPlace(models: ManifestModels): Promise<Cursor | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !isManifest(editor.document)) return undefined;
  const { envPlaceAt } = await import('../model/environment/envEdit.ts');
  const { document, selection } = editor;
  const place = envPlaceAt(await models.read(document), document.offsetAt(selection.active));
  return place && { editor, place };
}

/** Writes the reference at the cursor. Writes nothing if the cursor has left the value in the meantime. */
async function insertAt(
  models: ManifestModels,
  { document, selection }: vscode.TextEditor,
  name: string,
): Promise<void> {
  const { envPlaceAt, insertReference } = await import('../model/environment/envEdit.ts');
  const { version } = document;
  const file = await models.read(document);
  const span = { start: document.offsetAt(selection.start), end: document.offsetAt(selection.end) };
  const place = envPlaceAt(file, document.offsetAt(selection.active));
  const change = place && insertReference(file, place, { kind: 'secret', name }, span);
  if (change && document.version === version) await vscode.workspace.applyEdit(editOf(document, [change]));
}

/** Asks for the name, unless it is given, and for the value. */
async function askBoth(
  store: SecretStore,
  wanted: string | undefined,
  suggested: string | undefined,
): Promise<{ readonly name: string; readonly value: string } | undefined> {
  let name = wanted ?? suggested;
  for (;;) {
    if (wanted === undefined) {
      const answer = await askName(store, { title: TITLE, step: 1, totalSteps: 2 }, name);
      if (typeof answer !== 'string') return undefined;
      name = answer;
    }
    if (name === undefined) return undefined;
    const steps = wanted === undefined ? { step: 2, totalSteps: 2, back: true } : {};
    const value = await askValue({ title: TITLE, ...steps }, name);
    if (value !== BACK) return value === undefined ? undefined : { name, value };
  }
}

async function askName(store: SecretStore, place: Place, suggested: string | undefined): Promise<string | undefined> {
  const answer = await askText({
    place,
    prompt: shown`Name of the secret. Manifests refer to it as ${'${secret:NAME}'}.`,
    placeholder: 'API_TOKEN',
    value: suggested !== undefined && nameProblem(store, suggested) === undefined ? suggested : '',
    problem: (text) => nameProblem(store, text.trim()),
  });
  return typeof answer === 'string' ? answer.trim() : undefined;
}

function nameProblem({ names }: SecretStore, name: string): string | undefined {
  if (name === '') return l10n.t('A name is required.');
  if (!isSecretName(name))
    return l10n.t(
      'A name starts with a letter or “_”, contains only letters, digits, “_”, “-”, and “.”, and has at most 128 characters.',
    );
  return names.has(name) ? l10n.t('A secret with this name already exists.') : undefined;
}

/** Asks for a value in a password input. */
export async function askValue(place: Place, name: string): Promise<string | typeof BACK | undefined> {
  const answer = await askText({
    place,
    prompt: shown`Value of “${name}”. It is stored in the editor’s secret storage, and sent only with an endpoint that uses it.`,
    password: true,
    problem: (text) => {
      if (text === '') return l10n.t('A value is required.');
      return text.includes('\0') ? l10n.t('A value must not contain the NUL character.') : undefined;
    },
  });
  return typeof answer === 'string' || answer === BACK ? answer : undefined;
}
