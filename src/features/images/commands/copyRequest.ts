import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { callUrl } from '../../../client/request.ts';
import { operations } from '../../../contract/operations.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { withoutControls } from '../../../text/shownText.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { jobRequestCode } from '../../../account/requestCode/requestExample.ts';
import type { AccountServices } from '../../../account/accountServices.ts';

/** Duration of a confirmation in the status bar, in ms. */
const CONFIRMATION_MS = 3_000;

/** Request that the copied command sends. */
const EXAMPLE = { input: { prompt: 'make it black and white', image: 'https://example.com/photo.png' } };

/** Copies the URL that edits an image. */
export async function copyModelUrl(services: Pick<AccountServices, 'connections'>): Promise<void> {
  await copy(modelUrl(services), l10n.t('Request URL copied'));
}

/** Copies a command that edits an image. */
export async function copyModelCurl(services: Pick<AccountServices, 'connections'>): Promise<void> {
  await copy(jobRequestCode('curl', modelUrl(services), EXAMPLE), l10n.t('cURL command copied'));
}

/** Returns the URL that edits an image and waits for the result. @throws NotConnectedError */
function modelUrl({ connections }: Pick<AccountServices, 'connections'>): string {
  const { client } = requireConnection(connections);
  return withoutControls(callUrl('editImage', operations.editImage, client.context, { parameters: {} }).href);
}

async function copy(text: string, confirmation: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  showStatusBarMessage(confirmation, CONFIRMATION_MS);
}
