import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { accepted, createPick, rowOf, separator, type Row, type ShownItem } from '../../../kit/quickInput.ts';
import { joined, shown } from '../../../text/shownText.ts';
import { readManifests } from '../../manifest/actions/readManifests.ts';
import { languageOf, workspaceTree } from '../../manifest/index.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import {
  imageChoices,
  imageTextProblem,
  type ImageChoice,
  type ImageUse,
} from '../../../account/endpoints/imageChoices.ts';

interface ImageItem extends ShownItem {
  readonly choice?: Pick<ImageChoice, 'image' | 'registryId'>;
}

/** Returns the images of the endpoints, and those of the manifests in the workspace. */
export async function knownImages({ endpoints }: Pick<AccountServices, 'endpoints'>): Promise<ImageChoice[]> {
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
export function chooseImage(
  known: readonly ImageChoice[],
): Promise<Pick<ImageChoice, 'image' | 'registryId'> | undefined> {
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
