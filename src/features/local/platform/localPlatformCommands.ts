import { existsSync } from 'node:fs';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { PlatformAnnouncement } from '../../../contract/launch/localPlatform.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { confirmed, showMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { separator } from '../../../kit/quickInput.ts';
import { askItem, BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { emptyDataDirectory } from './actions/dataDirectory.ts';
import { engineWords, type SeenEngine } from '../engine/model/engineWords.ts';
import { readEngine } from '../engine/chooseEngine.ts';
import { dataDirectory } from '../../../account/localPlatform/localPlatformSettings.ts';
import { actionsIn, resetDetail, stateWords } from './localPlatformWords.ts';
import { useLocalPlatform } from '../../../account/localPlatform/useLocalPlatform.ts';
import { UserError } from '../../../kit/userError.ts';

const CHOOSE_ENGINE: CommandId = 'cloudCompute.localPlatform.chooseEngine';
const SWITCH: CommandId = 'cloudCompute.connections.switch';

/** Starts the local platform, and makes it the current connection. */
export async function startPlatform(services: Pick<AccountServices, 'connections' | 'localPlatform'>): Promise<void> {
  const { localPlatform } = services;
  const announcement = await inView(l10n.t('Starting the local platform…'), () => localPlatform.start());
  await useLocalPlatform(services, announcement);
}

/** Stops the local platform and starts it again. */
export async function restartPlatform(services: Pick<AccountServices, 'connections' | 'localPlatform'>): Promise<void> {
  await startAndUse(services, l10n.t('Restarting the local platform…'), () => services.localPlatform.restart());
}

/** Empties the local platform after a confirmation. */
export async function resetPlatform(
  services: Pick<AccountServices, 'context' | 'connections' | 'localPlatform'>,
): Promise<void> {
  const { localPlatform } = services;
  // The directory can change while the dialog is open. The reset empties the one that the user confirmed.
  const directory = folderOf(services);
  const detail = resetDetail(localPlatform.state, directory);
  if (!(await confirmed(l10n.t('Reset the local platform?'), detail, l10n.t('Reset')))) return;
  await startAndUse(services, l10n.t('Resetting the local platform…'), () =>
    localPlatform.reset(() => emptyDataDirectory(directory)),
  );
}

/** Shows the data directory in the file manager. */
export async function showPlatformFolder(services: Pick<AccountServices, 'context' | 'localPlatform'>): Promise<void> {
  await showDataFolder(folderOf(services));
}

/** Lets the user choose one of the actions for the local platform. */
export async function managePlatform(services: Pick<AccountServices, 'clock' | 'localPlatform'>): Promise<void> {
  const { state } = services.localPlatform;
  const closing = new AbortController();
  const items = (seen: SeenEngine) => [
    ...actionsIn(state).map((item) => ({ ...item, command: `cloudCompute.localPlatform.${item.action}` })),
    { ...separator(l10n.t('Engine for container images')), command: CHOOSE_ENGINE },
    { ...engineWords(seen), command: CHOOSE_ENGINE },
    { ...separator(l10n.t('Connection')), command: SWITCH },
    { label: shown`$(arrow-swap) Switch Connection…`, command: SWITCH },
  ];
  const isRunning = state.kind === 'running';
  const chosen = await askItem({
    place: { title: l10n.t('Manage Local Platform') },
    placeholder: l10n.t`The local platform is ${stateWords(state)}. Select an action`,
    items: items({ kind: isRunning ? 'checking' : 'unknown' }),
    ...(isRunning && { updated: readEngine(services, closing.signal).then(items) }),
  });
  closing.abort();
  if (chosen === undefined || chosen === BACK) return;
  await vscode.commands.executeCommand(chosen.item.command);
}

/** Returns the data directory of the running platform. The settings can have changed since it started. */
function folderOf({ context, localPlatform: { state } }: Pick<AccountServices, 'context' | 'localPlatform'>): string {
  return (state.kind === 'running' ? state.announcement.dataDir : undefined) ?? dataDirectory(context);
}

/** Runs `start`, and updates the addresses and key of the local connection unless another connection is the current one. */
async function startAndUse(
  services: Pick<AccountServices, 'connections'>,
  title: string,
  start: () => Promise<PlatformAnnouncement>,
): Promise<void> {
  const announcement = await inView(title, start);
  const { profile } = services.connections;
  if (!profile || profile.kind === 'local') await useLocalPlatform(services, announcement);
}

function inView<Result>(title: string, task: () => Promise<Result>): Thenable<Result> {
  return withProgress({ title, location: { viewId: 'cloudCompute.endpoints' } }, task);
}

/** Shows the data directory in the system's file manager. On a remote machine, shows its path. */
async function showDataFolder(directory: string): Promise<void> {
  if (!existsSync(directory)) {
    throw new UserError(shown`${directory} does not exist until the local platform starts`, {
      label: l10n.t('Start Local Platform'),
      command: 'cloudCompute.localPlatform.start',
    });
  }
  const elsewhere = vscode.env.uiKind === vscode.UIKind.Web || vscode.env.remoteName !== undefined;
  if (!elsewhere) {
    await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(directory));
    return;
  }
  const open = l10n.t('Open in New Window');
  const copy = l10n.t('Copy Path');
  // Not awaited, because the command is complete once the message is visible.
  void showMessage('information', shown`The local platform keeps its data in ${directory}`, copy, open).then(
    async (chosen) => {
      if (chosen === copy) await vscode.env.clipboard.writeText(directory);
      if (chosen === open) {
        const newWindow = { forceNewWindow: true };
        await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(directory), newWindow);
      }
    },
  );
}
