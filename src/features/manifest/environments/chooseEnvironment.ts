import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { LOCAL_ID } from '../../../account/connections/connectionDocument.ts';
import { confirmed, showMessage } from '../../../kit/messages.ts';
import { askItem, askText } from '../../../kit/steps.ts';
import { UserError } from '../../../kit/userError.ts';
import { joined, shown, type ShownText } from '../../../text/shownText.ts';
import type { ChosenPart } from '../create/choosePart.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { languageOf, workspaceTree } from '../manifestFiles.ts';
import { isNamed, namedOf } from '../model/patched/connectionMatch.ts';
import type { FolderEnvironment } from '../model/patched/environmentsOf.ts';
import { productionLabel, type ActiveEnvironment } from './activeEnvironment.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { findProduction } from '../actions/findProduction.ts';
import { deploymentsOf } from '../deployed/windowJournal.ts';

const START: CommandId = 'cloudCompute.localPlatform.start';

export interface EnvironmentServices {
  readonly services: Pick<AccountServices, 'connections'>;
  readonly active: ActiveEnvironment;
}

/** Returns the environments of all manifests in a folder. */
export async function environmentsIn(folder: vscode.Uri): Promise<readonly FolderEnvironment[]> {
  const { readManifests } = await import('../actions/readManifests.ts');
  const { folderEnvironments } = await import('../model/patched/environmentsOf.ts');
  const files = await readManifests(workspaceTree, folder, new AbortController().signal);
  return folderEnvironments(files.map(({ place, content }) => ({ content, language: languageOf(place) })));
}

/**
 * Asks for one of the environments, which then is the one of the window, and for a switch to its connection. The last choice is first.
 * Resolves with undefined if the user dismissed a question.
 *
 * @throws UserError if there is no connection for the environment
 */
export async function chooseEnvironment(
  { services, active }: EnvironmentServices,
  environments: readonly FolderEnvironment[],
): Promise<FolderEnvironment | undefined> {
  const isLast = ({ name }: FolderEnvironment) => name === active.current?.name;
  const items = [...environments.filter(isLast), ...environments.filter((one) => !isLast(one))].map((environment) => ({
    label: environment.production
      ? shown`$(warning) ${environment.name}`
      : shown`$(server-environment) ${environment.name}`,
    description: descriptionOf(environment),
    environment,
  }));
  const choice = await askItem({
    place: { title: l10n.t('Choose Environment') },
    placeholder: l10n.t('Environment of the manifests'),
    items,
  });
  if (choice === undefined || typeof choice === 'symbol') return undefined;
  const { environment } = choice.item;
  if (!(await useConnectionOf(services, environment))) return undefined;
  await active.set(environment);
  return environment;
}

function descriptionOf({ name, production, connections }: FolderEnvironment): ShownText {
  const isMarked = production && name !== 'production';
  return joined([...(isMarked ? [l10n.t('production')] : []), ...connections], ' · ');
}

/** Asks before it switches to the connection of an environment. Returns whether that is the current connection now. */
async function useConnectionOf(
  { connections }: Pick<AccountServices, 'connections'>,
  { name, connections: [written, ...others] }: FolderEnvironment,
): Promise<boolean> {
  if (others.length > 0)
    throw new UserError(
      shown`the manifests name several connections for ${name}: ${joined([written ?? '', ...others], ', ')}`,
    );
  await connections.whenLoaded();
  if (written === undefined || (connections.profile && isNamed(written, namedOf(connections.profile)))) return true;
  const local = connections.find(LOCAL_ID);
  const candidates = [...(local ? [local] : []), ...connections.hosted].filter((one) => isNamed(written, namedOf(one)));
  const [first] = candidates.toSorted((a, b) => Number(b.name === written) - Number(a.name === written));
  if (!first)
    throw new UserError(shown`the environment ${name} is for “${written}”, and there is no such connection`, {
      label: l10n.t('Connect to a Platform'),
      command: 'cloudCompute.connect',
    });
  const question = shown`Switch to the connection “${first.name}”?`;
  const detail = shown`The environment ${name} is for ${written}. All windows switch to that connection.`;
  if (!(await confirmed(question, detail, l10n.t('Switch Connection')))) return false;
  if (first.kind === 'local') await vscode.commands.executeCommand(START);
  else await connections.select(first.id);
  return connections.profile?.id === first.id;
}

/**
 * Returns a part as the environment of the window has it. Asks for an environment if the part has others, and for a switch to its
 * connection. Resolves with undefined if the user dismissed a question.
 */
export async function inEnvironment(
  all: EnvironmentServices & { readonly models: Pick<ManifestModels, 'read'> },
  chosen: ChosenPart,
): Promise<ChosenPart | undefined> {
  const { environments, environment } = chosen.part;
  if (environments.length === 0) return chosen;
  const known = environments.map(({ name, production, connection }): FolderEnvironment => ({
    ...{ name, production },
    connections: connection === undefined ? [] : [connection],
  }));
  const current = known.find(({ name }) => name === environment?.name);
  const isReady = current ? await useConnectionOf(all.services, current) : await chooseEnvironment(all, known);
  if (!isReady) return undefined;
  const file = await all.models.read(chosen.document);
  const part = file.parts[chosen.part.index];
  return part && { ...chosen, file, part };
}

/** Asks for the name of an environment of production before endpoints are deployed or changed in it. */
export async function isProductionWanted(
  environment: { readonly name: string; readonly production: boolean } | undefined,
  platform: string,
  act: 'deploy' | 'change' = 'deploy',
): Promise<boolean> {
  if (!environment?.production) return true;
  const { name } = environment;
  const label = productionLabel(name);
  const words =
    act === 'deploy'
      ? {
          title: shown`Deploy to ${label}`,
          prompt: shown`Type ${name} to deploy to “${platform}” in production`,
          problem: l10n.t`Type ${name}, or press Escape to deploy nothing`,
        }
      : {
          title: shown`Change ${label}`,
          prompt: shown`Type ${name} to change “${platform}” in production`,
          problem: l10n.t`Type ${name}, or press Escape to change nothing`,
        };
  const answer = await askText({
    place: { title: words.title },
    prompt: words.prompt,
    value: '',
    problem: (text) => (text.trim() === name ? undefined : words.problem),
  });
  return typeof answer === 'string' && answer.trim() === name;
}

/** Lets the user choose the environment of the window among those of all manifests. */
export async function chooseWorkspaceEnvironment(all: EnvironmentServices): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const found = (await Promise.all(folders.map(({ uri }) => environmentsIn(uri)))).flat();
  const environments = [...Map.groupBy(found, ({ name }) => name)].map(([name, same]): FolderEnvironment => ({
    name,
    production: same.some(({ production }) => production),
    connections: [...new Set(same.flatMap(({ connections }) => connections))],
  }));
  if (environments.length > 0) {
    await chooseEnvironment(all, environments);
    return;
  }
  await all.active.set(undefined);
  void showMessage('information', l10n.t('No manifest of this workspace has environments (x-environments).'));
}

/** Asks for the name of the environment of production before an endpoint is changed that is in one, whatever changes it. */
export async function isChangeWanted(
  services: Pick<AccountServices, 'context' | 'log'>,
  profile: Profile,
  { id, name }: Pick<Endpoint, 'id' | 'name'>,
): Promise<boolean> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  const deployments = await deploymentsOf(services, profile, id);
  const endpoint = { name, connection: namedOf(profile), deployments };
  const production = await findProduction(workspaceTree, folders, endpoint, new AbortController().signal);
  return isProductionWanted(production, profile.name, 'change');
}
