import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import { showMessage } from '../../../kit/messages.ts';
import { withLateProgress, withProgress } from '../../../kit/progress.ts';
import { pick, accepted, createPick, rowOf, separator, type Row, type ShownItem } from '../../../kit/quickInput.ts';
import { shown, joined } from '../../../text/shownText.ts';
import { UserError, type Remedy } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { chosenEndpoint, chosenNodes } from '../../../account/endpoints/chosenEndpoints.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { listCredentialsIfAllowed } from '../../../account/credentials.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { startProblemWords } from '../../../account/endpoints/startProblems.ts';
import { controlOf } from '../../../account/localPlatform/platformControl.ts';
import { pull, PullError } from './actions/engineActions.ts';
import {
  isContainerImage,
  imageChoices,
  imageTextProblem,
  type ImageChoice,
  type ImageUse,
} from '../../../account/endpoints/imageChoices.ts';
import { readManifests } from '../../manifest/actions/readManifests.ts';
import { languageOf, workspaceTree } from '../../manifest/index.ts';

/** An image to pull, and its endpoint if the user has chosen one. */
interface Wanted {
  readonly image: string;
  readonly registryId: string | undefined;
  readonly node?: EndpointNode;
}

/** Pulls the image of the clicked endpoint, or one that the user chooses, on the engine of the local platform. */
export async function pullImageCommand(
  services: Pick<AccountServices, 'clock' | 'connections' | 'localPlatform' | 'endpoints'>,
  args: readonly unknown[],
): Promise<void> {
  const { client, profile } = requireConnection(services.connections);
  if (profile.kind !== 'local')
    throw new UserError(
      l10n.t('images are pulled on the engine of the local platform, which is not the current connection'),
      {
        label: l10n.t('Switch Connection'),
        command: 'cloudCompute.connections.switch',
      },
    );
  const { context } = await controlOf(services);
  const wanted = await wantedImage(services, client, args);
  if (!wanted) return;
  const { image, registryId } = wanted;
  try {
    await withProgress(
      { title: shown`Pulling ${image}`, location: vscode.ProgressLocation.Notification },
      (signal, report) =>
        pull(
          context,
          { image, ...(registryId !== undefined && { registryId }) },
          {
            signal,
            onPercent: (percent) => {
              if (percent !== undefined) report(`${Math.floor(percent)} %`, percent);
            },
          },
        ),
    );
  } catch (error) {
    throw error instanceof PullError ? new UserError(error.message, remedyOf(error, wanted)) : error;
  }
  void showMessage('information', shown`Pulled ${image}.`);
}

async function wantedImage(
  services: Pick<AccountServices, 'clock' | 'connections' | 'endpoints'>,
  client: Client,
  args: readonly unknown[],
): Promise<Wanted | undefined> {
  if (chosenNodes(args).length > 0) {
    const snapshot = await chosenEndpoint(services, args, l10n.t('Endpoint to pull the image of'));
    if (!snapshot) return undefined;
    const { id, name, image, registry } = snapshot.endpoint;
    if (!isContainerImage(image)) throw new UserError(shown`“${name}” runs a command as a process, and has no image`);
    return { image, registryId: registry ?? undefined, node: { kind: 'endpoint', endpointId: id } };
  }
  const known = await withLateProgress(services.clock, l10n.t('Reading the manifests…'), () => knownImages(services));
  const choice = await chooseImage(known);
  if (!choice) return undefined;
  if (choice.registryId !== undefined) return { image: choice.image, registryId: choice.registryId };
  const credential = await askForCredential(client);
  return credential && { image: choice.image, registryId: credential.registryId };
}

/** Asks for a registry credential, if the platform has one. */
async function askForCredential(client: Client): Promise<{ readonly registryId: string | undefined } | undefined> {
  const credentials = (await listCredentialsIfAllowed(client)) ?? [];
  if (credentials.length === 0) return { registryId: undefined };
  return pick(
    [
      { label: l10n.t('No Credential'), description: l10n.t('for public images'), registryId: undefined },
      ...credentials.map(({ id, name }) => ({ label: shown`$(key) ${name}`, description: id, registryId: id })),
    ],
    { title: l10n.t('Pull Image'), placeholder: l10n.t('Credential for the registry') },
  );
}

/** Returns the button for the cause of a failed pull. */
function remedyOf({ problem }: PullError, { node }: Wanted): Remedy | undefined {
  if (problem === undefined) return { label: l10n.t('Open Log'), command: 'cloudCompute.localPlatform.openLog' };
  const { remedies } = startProblemWords(problem, 'local');
  const remedy = remedies.find(({ needsEndpoint }) => node !== undefined || !needsEndpoint);
  return remedy && { label: remedy.title, command: remedy.command, argument: node };
}

interface ImageItem extends ShownItem {
  readonly choice?: Pick<ImageChoice, 'image' | 'registryId'>;
}

/** Returns the images of the endpoints, and those of the manifests in the workspace. */
async function knownImages({ endpoints }: Pick<AccountServices, 'endpoints'>): Promise<ImageChoice[]> {
  if (endpoints.state.kind !== 'ready') await endpoints.refresh();
  const ofEndpoints = endpoints.endpoints.map(({ endpoint: { name, image = '', registry } }) => ({
    ...{ user: name, image, registryId: registry ?? undefined },
  }));
  return imageChoices([...ofEndpoints, ...(await imagesOfManifests())]);
}

async function imagesOfManifests(): Promise<ImageUse[]> {
  const [{ parseManifestFile }, { draftOf }] = await Promise.all([
    import('../../manifest/model/manifestFile.ts'),
    import('../../manifest/model/draft.ts'),
  ]);
  const { signal } = new AbortController();
  const folders = vscode.workspace.workspaceFolders ?? [];
  // A folder that cannot be read has no images.
  const found = await Promise.all(folders.map(({ uri }) => readManifests(workspaceTree, uri, signal).catch(() => [])));
  return found.flat().flatMap(({ place, path, content }) => {
    if (!('text' in content)) return [];
    return parseManifestFile(content.text, languageOf(place)).parts.flatMap(({ root }) => {
      const { image, registry, 'x-local': local } = draftOf(root);
      if (image === undefined || local?.directory !== undefined) return [];
      return [{ image, registryId: registry ?? undefined, user: path }];
    });
  });
}

/** Asks for an image: a known one, or any other, which the user types. */
function chooseImage(known: readonly ImageChoice[]): Promise<Pick<ImageChoice, 'image' | 'registryId'> | undefined> {
  const list = createPick<ImageItem>({
    title: l10n.t('Pull Image'),
    placeholder: l10n.t('Enter an image, such as example/worker:1'),
  });
  list.matchOnDescription = true;
  const knownRows = known.map((choice) =>
    rowOf<ImageItem>({ label: choice.image, description: joined(choice.users, ', '), choice }),
  );
  const show = (text: string): void => {
    const typed = typedRow(text, known);
    list.items = [
      ...(typed ? [typed] : []),
      ...(knownRows.length > 0 ? [rowOf<ImageItem>(separator(l10n.t('Endpoints and manifests'))), ...knownRows] : []),
    ];
  };
  show('');
  list.onDidChangeValue(show);
  return accepted(list, () => list.selectedItems[0]?.item.choice);
}

/** Returns the row for the typed text: the image to pull, or the reason why it cannot be one. */
function typedRow(text: string, known: readonly ImageChoice[]): Row<ImageItem> | undefined {
  const image = text.trim();
  if (image === '' || known.some((choice) => choice.image === image)) return undefined;
  const problem = imageTextProblem(image);
  if (problem !== undefined) return rowOf({ label: shown`$(error) ${problem}`, alwaysShow: true });
  const choice = { image, registryId: undefined };
  return rowOf({ label: shown`$(cloud-download) Pull “${image}”`, alwaysShow: true, choice });
}
