import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { PlatformAnnouncement } from '../../../contract/launch/localPlatform.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { registerCommand } from '../../../kit/commands.ts';
import { confirmed } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { separator } from '../../../kit/quickInput.ts';
import { askItem, BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { emptyDataDirectory } from './actions/dataDirectory.ts';
import { engineWords, type SeenEngine } from '../engine/model/engineWords.ts';
import { readEngine } from '../engine/readEngine.ts';
import { dataDirectory } from '../../../account/localPlatform/localPlatformSettings.ts';
import { actionsIn, resetDetail } from './localPlatformWords.ts';
import { showDataFolder } from './showDataFolder.ts';
import { useLocalPlatform } from '../../../account/localPlatform/useLocalPlatform.ts';

const CHOOSE_ENGINE: CommandId = 'cloudCompute.localPlatform.chooseEngine';
const SWITCH: CommandId = 'cloudCompute.connections.switch';

export function registerLocalPlatformCommands(services: AccountServices): vscode.Disposable {
  const { context, log, localPlatform, localPlatformLog, connections } = services;
  /** Returns the data directory of the running platform. The settings can have changed since it started. */
  const folder = () => {
    const { state } = localPlatform;
    return (state.kind === 'running' ? state.announcement.dataDir : undefined) ?? dataDirectory(context);
  };
  return vscode.Disposable.from(
    registerCommand(log, 'cloudCompute.localPlatform.start', l10n.t('Could not start the local platform'), async () => {
      await useLocalPlatform(
        services,
        await inView(l10n.t('Starting the local platform…'), () => localPlatform.start()),
      );
    }),
    registerCommand(log, 'cloudCompute.localPlatform.stop', l10n.t('Could not stop the local platform'), () =>
      localPlatform.stop(),
    ),
    registerCommand(log, 'cloudCompute.localPlatform.restart', l10n.t('Could not restart the local platform'), () =>
      startAndUse(services, l10n.t('Restarting the local platform…'), () => localPlatform.restart()),
    ),
    registerCommand(log, 'cloudCompute.localPlatform.reset', l10n.t('Could not reset the local platform'), async () => {
      // The directory can change while the dialog is open. The reset empties the one that the user confirmed.
      const directory = folder();
      const detail = resetDetail(localPlatform.state, directory);
      if (!(await confirmed(l10n.t('Reset the local platform?'), detail, l10n.t('Reset')))) return;
      await startAndUse(services, l10n.t('Resetting the local platform…'), () =>
        localPlatform.reset(() => emptyDataDirectory(directory)),
      );
    }),
    registerCommand(log, 'cloudCompute.localPlatform.openLog', l10n.t('Could not open the log'), () =>
      localPlatformLog.show(),
    ),
    registerCommand(log, 'cloudCompute.localPlatform.showDataFolder', l10n.t('Could not show the data folder'), () =>
      showDataFolder(folder()),
    ),
    registerCommand(
      log,
      'cloudCompute.localPlatform.manage',
      l10n.t('Could not manage the local platform'),
      async () => {
        const { state } = localPlatform;
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
          placeholder: l10n.t`The local platform is ${state.kind}. Select an action`,
          items: items({ kind: isRunning ? 'checking' : 'unknown' }),
          ...(isRunning && { updated: readEngine(services, closing.signal).then(items) }),
        });
        closing.abort();
        if (chosen === undefined || chosen === BACK) return;
        await vscode.commands.executeCommand(chosen.item.command);
      },
    ),
  );

  /** Runs `start`, and updates the addresses and key of the local connection unless another connection is the current one. */
  async function startAndUse(
    all: AccountServices,
    title: string,
    start: () => Promise<PlatformAnnouncement>,
  ): Promise<void> {
    const announcement = await inView(title, start);
    const { profile } = connections;
    if (!profile || profile.kind === 'local') await useLocalPlatform(all, announcement);
  }
}

function inView<Result>(title: string, task: () => Promise<Result>): Thenable<Result> {
  return withProgress({ title, location: { viewId: 'cloudCompute.endpoints' } }, task);
}
