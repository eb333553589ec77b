import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showMessage } from '../../../vscode/messages.ts';
import { withLateProgress } from '../../../vscode/progress.ts';
import { count } from '../../../vscode/text/quantities.ts';
import { shown } from '../../../vscode/text/shownText.ts';
import type { BatchTask } from '../../jobs/batch/batchResults.ts';
import { nameOf } from '../../jobs/batch/batchWords.ts';
import type { Services } from '../../services.ts';
import { fetchEditedImage } from '../actions/fetchImage.ts';
import { editedFolderOf, savedImages, saveEditedImages, type EditedFolder } from './actions/saveEditedImages.ts';

/** Kind of the batches that edit images. */
export const IMAGE_BATCH = 'imageEdits';

/** Saves the images of batches when they end, and whenever their results are opened. */
export function registerImageBatches({ batches, connections, clock }: Services): vscode.Disposable {
  const save: BatchTask['save'] = async (folder, state) => {
    const { header, counts } = state;
    const target = targetOf(header.source.path);
    const connection = connections.find(header.connectionId);
    const { results, unsaved } = await withLateProgress(
      clock,
      shown`Saving the images of ${nameOf(header)}`,
      (signal, report) => {
        let saved = 0;
        const fetchImage = (url: string) =>
          fetchEditedImage({ fetch: globalThis.fetch, clock, signal, connection }, url);
        const onImage = (): void => report(l10n.t`${++saved} of ${counts.completed}`);
        return saveEditedImages({ folder, state, target, fetchImage, signal, onImage });
      },
    );
    if (unsaved > 0)
      void showMessage(
        'warning',
        shown`${count(unsaved, 'edited image')} of ${nameOf(header)} could not be saved. The results contain the reasons. To try again, open the results with “Manage Batches…”.`,
      );
    return results;
  };
  const isSaved: BatchTask['isSaved'] = async (folder, { counts }) => (await savedImages(folder)) >= counts.completed;
  batches.tasks.set(IMAGE_BATCH, { save, isSaved });
  return new vscode.Disposable(() => batches.tasks.delete(IMAGE_BATCH));
}

/** Returns the folder for the edited images of a folder. A workspace folder contains them, so that they stay in the workspace. */
export function targetOf(source: string): EditedFolder {
  const isRoot = (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => uri.fsPath === source);
  return editedFolderOf(source, isRoot);
}
