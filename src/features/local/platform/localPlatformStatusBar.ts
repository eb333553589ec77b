import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { StatusItem } from '../../../kit/statusBar.ts';
import type { ConnectionStore } from '../../../account/connections/connectionStore.ts';
import type { LocalPlatformStore } from '../../../account/localPlatform/localPlatformStore.ts';
import { statusWords } from './localPlatformWords.ts';

/** Creates a status bar item that shows the state of the local platform. A click lists its actions. */
export function localPlatformStatusBar(
  localPlatform: LocalPlatformStore,
  connections: ConnectionStore,
): vscode.Disposable {
  const item = new StatusItem({
    id: 'cloudCompute.localPlatform',
    name: l10n.t('Cloud Compute: Local Platform'),
    alignment: vscode.StatusBarAlignment.Left,
    priority: 9,
    command: 'cloudCompute.localPlatform.manage',
  });
  const render = () => {
    const words = statusWords(localPlatform.state, connections.profile?.kind === 'local');
    if (words) item.show({ ...words, tooltip: { markdown: words.tooltip } });
    else item.hide();
  };
  render();
  return vscode.Disposable.from(item, localPlatform.onDidChange(render), connections.onDidChange(render));
}
