import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { callUrl } from '../../../client/request.ts';
import { operations } from '../../../contract/operations.ts';
import { registerCommand } from '../../../kit/commands.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { withoutControls } from '../../../text/shownText.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { jobRequestCode } from '../../../account/requestCode/jobRequestCode.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { ImageEditors } from '../imageEditors.ts';
import { editImageCommand } from './editImageCommand.ts';

/** Duration of a confirmation in the status bar, in ms. */
const CONFIRMATION_MS = 3_000;

/** Registers the commands of image edits. */
export function registerImageCommands(services: AccountServices, editors: ImageEditors): vscode.Disposable {
  const { log } = services;
  return vscode.Disposable.from(
    registerCommand(log, 'cloudCompute.images.edit', l10n.t('Could not edit the image'), (argument) =>
      editImageCommand(editors, argument),
    ),
    registerCommand(log, 'cloudCompute.images.copyUrl', l10n.t('Could not copy the URL'), () =>
      copy(modelUrl(services), l10n.t('Request URL copied')),
    ),
    registerCommand(log, 'cloudCompute.images.copyCurl', l10n.t('Could not copy the command'), () =>
      copy(jobRequestCode('curl', modelUrl(services), EXAMPLE), l10n.t('cURL command copied')),
    ),
  );
}

/** Request that the copied command sends. */
const EXAMPLE = { input: { prompt: 'make it black and white', image: 'https://example.com/photo.png' } };

/** Returns the URL that edits an image and waits for the result. @throws NotConnectedError */
function modelUrl({ connections }: AccountServices): string {
  const { client } = requireConnection(connections);
  return withoutControls(callUrl('editImage', operations.editImage, client.context, { parameters: {} }).href);
}

async function copy(text: string, confirmation: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  showStatusBarMessage(confirmation, CONFIRMATION_MS);
}
